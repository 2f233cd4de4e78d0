--- The built-in picker: a prompt, sources that follow what is typed, and a preview of the chosen passage.

local uv = vim.uv or vim.loop
local Live = require("onebrain.live")
local frame = require("onebrain.frame")
local place = require("onebrain.place")
local text = require("onebrain.text")

local KEYS = "⏎ open  ^x split  ^v vsplit  ^t tab  ^l link  ^q quickfix  ^y why  esc esc close"
local namespace = vim.api.nvim_create_namespace("onebrain_picker")

local Picker = {}
Picker.__index = Picker

local open -- the picker that is on the screen; there is one at most

local function mark(buffer, row, from, to, group)
  pcall(vim.api.nvim_buf_set_extmark, buffer, namespace, row, from, { end_col = to, hl_group = group })
end

--- What was typed.
function Picker:typed()
  return vim.api.nvim_buf_get_lines(self.frame.buffers.prompt, 0, 1, false)[1]:sub(#self.sign + 1)
end

--- The source under the selection; nil when there is none.
function Picker:selected()
  return self.sources[self.index]
end

--- What stands at the right of a source.
local function day(source)
  return (" %s%s "):format(source.stale and "changed since " or "", source.date or "")
end

--- Draw the list: two lines a source, the title with its day and the excerpt.
function Picker:_draw_list()
  local buffer, lines, width = self.frame.buffers.list, {}, self.frame.measures.list
  for _, source in ipairs(self.sources) do
    lines[#lines + 1] = text.cut(" " .. text.label(source), width - #day(source))
    lines[#lines + 1] = text.cut("   " .. text.clean(source.excerpt), width - 1)
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, source in ipairs(self.sources) do
    local row = 2 * number - 2
    local title, excerpt = lines[row + 1], lines[row + 2]
    mark(buffer, row, 0, math.min(#title, #source.title + 1), "OneBrainTitle")
    mark(buffer, row, math.min(#title, #source.title + 1), #title, "OneBrainHeading")
    mark(buffer, row + 1, 0, #excerpt, "OneBrainExcerpt")
    for _, span in ipairs(text.marks(source, excerpt)) do
      mark(buffer, row + 1, span[1], span[2], "OneBrainMatch")
    end
    vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, {
      virt_text = { { day(source), source.stale and "WarningMsg" or "OneBrainDay" } },
      virt_text_pos = "right_align",
      hl_mode = "combine",
    })
  end
  self:_draw_selection()
end

function Picker:_draw_selection()
  local buffer, row = self.frame.buffers.list, 2 * self.index - 2
  for offset = 0, 1 do
    if self.sources[self.index] then
      local at = { id = 100000 + offset, line_hl_group = "OneBrainSelected" }
      vim.api.nvim_buf_set_extmark(buffer, namespace, row + offset, 0, at)
    end
  end
  if self.sources[self.index] then
    vim.api.nvim_win_set_cursor(self.frame.windows.list, { row + 2, 0 })
    vim.api.nvim_win_set_cursor(self.frame.windows.list, { row + 1, 0 })
  end
  self:_draw_preview()
end

--- Draw the passage of the selection with the numbers of its lines.
function Picker:_draw_preview()
  local buffer, source = self.frame.buffers.preview, self:selected()
  if not buffer then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  if not source then
    return vim.api.nvim_buf_set_lines(buffer, 0, -1, false, {})
  end
  local lines = { (" %s:%d"):format(text.clean(source.path), source.line), "" }
  local shift = 5
  for number, line in ipairs(vim.split(source.text, "\n", { plain = true })) do
    lines[#lines + 1] = ("%4d "):format(source.start_line + number - 1) .. line:gsub("%c", " ")
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  mark(buffer, 0, 0, #lines[1], "OneBrainPath")
  for row = 2, #lines - 1 do
    mark(buffer, row, 0, shift, "OneBrainNumber")
    if lines[row + 1]:sub(shift + 1):match("^#+ ") then
      mark(buffer, row, shift, #lines[row + 1], "OneBrainHeading")
    end
  end
  for _, span in ipairs(text.spans(source.text, source.highlights)) do
    mark(buffer, span[1] + 2, span[2] + shift, span[3] + shift, "OneBrainMatch")
  end
  local best = math.min(#lines, source.line - source.start_line + 3)
  vim.api.nvim_win_set_cursor(self.frame.windows.preview, { 1, 0 })
  vim.api.nvim_win_set_cursor(self.frame.windows.preview, { best, 0 })
end

--- Draw what is known besides sources: how many there are, what is missing, what went wrong.
function Picker:_draw_words()
  local state = self.state
  local said = state.stage == "lexical" and "words" or state.stage and "words + meaning"
  local count = state.query ~= "" and ("%d%s"):format(#self.sources, said and " · " .. said or "") or ""
  if self.live:waits() then
    count = count .. " …"
  end
  vim.api.nvim_buf_clear_namespace(self.frame.buffers.prompt, namespace, 0, -1)
  vim.api.nvim_buf_set_extmark(self.frame.buffers.prompt, namespace, 0, 0, {
    virt_text = { { count, "OneBrainDay" } },
    virt_text_pos = "right_align",
  })
  local foot = { { KEYS, "OneBrainDay" } }
  local note = text.lacks(state.index) or (state.notes or {})[1]
  if state.trouble then
    foot = { { state.trouble, "ErrorMsg" } }
  elseif state.query ~= "" and #self.sources == 0 and state.stage and not state.busy then
    foot = { { "nothing found", "WarningMsg" } }
  elseif note then
    foot = { { text.clean(note), "WarningMsg" } }
  end
  self.said = foot[1][1]
  frame.foot(self.frame, foot)
end

--- Show a new state. A selection that was moved stays on its passage where that is still there.
function Picker:show(state)
  if self.closed then
    return
  end
  local kept, moved = self:selected(), self.moved and self.state.query == state.query
  self.state, self.sources, self.index = state, state.sources, 1
  for number, source in ipairs(moved and kept and self.sources or {}) do
    if source.path == kept.path and source.start_line == kept.start_line then
      self.index = number
    end
  end
  self.moved = moved
  self:_draw_list()
  self:_draw_words()
  self.drawn = uv.hrtime()
end

--- Move the selection by some places, around the ends.
function Picker:move(by)
  if #self.sources > 0 then
    self.index = (self.index - 1 + by) % #self.sources + 1
    self.moved = true
    self:_draw_selection()
  end
end

--- Close all windows and go back to where the picker was opened.
function Picker:close()
  if self.closed then
    return
  end
  self.closed, open = true, nil
  self.live:close()
  vim.cmd("stopinsert")
  frame.close(self.frame)
  if vim.api.nvim_win_is_valid(self.origin) then
    vim.api.nvim_set_current_win(self.origin)
  end
end

--- Open the selection by a command such as `edit` or `split`.
function Picker:open(how)
  local source = self:selected()
  if source then
    self:close()
    place.open(self.folder, source, how)
  end
end

function Picker:link()
  local source = self:selected()
  if source then
    self:close()
    place.insert_link(self.origin, source)
  end
end

function Picker:quickfix()
  local sources, query = self.sources, self.state.query
  self:close()
  place.quickfix(self.folder, query, sources)
end

function Picker:why()
  local query = self:typed()
  self:close()
  require("onebrain.timeline").ask(self.folder, query, "why")
end

function Picker:_map()
  local function key(modes, keys, action)
    for _, left in ipairs(keys) do
      vim.keymap.set(modes, left, action, { buffer = self.frame.buffers.prompt, nowait = true })
    end
  end
  local function move(by)
    return function()
      self:move(by)
    end
  end
  local function open_by(how)
    return function()
      self:open(how)
    end
  end
  key({ "i", "n" }, { "<Down>", "<C-n>", "<C-j>" }, move(1))
  key({ "i", "n" }, { "<Up>", "<C-p>", "<C-k>" }, move(-1))
  key("n", { "j" }, move(1))
  key("n", { "k" }, move(-1))
  key({ "i", "n" }, { "<CR>" }, open_by(self.chosen or "edit"))
  key({ "i", "n" }, { "<C-x>" }, open_by("split"))
  key({ "i", "n" }, { "<C-v>" }, open_by("vsplit"))
  key({ "i", "n" }, { "<C-t>" }, open_by("tabedit"))
  for left, name in pairs({ ["<C-l>"] = "link", ["<C-q>"] = "quickfix", ["<C-y>"] = "why", ["<C-c>"] = "close" }) do
    key({ "i", "n" }, { left }, function()
      self[name](self)
    end)
  end
  key("n", { "<Esc>", "q" }, function()
    self:close()
  end)
  if self.linking then
    key({ "i", "n" }, { "<CR>" }, function()
      self:link()
    end)
  end
end

function Picker:_follow()
  local prompt = self.frame.buffers.prompt
  local changed = vim.schedule_wrap(function()
    if not self.closed then
      self.live:input(self:typed())
      self:_draw_words()
    end
  end)
  vim.api.nvim_buf_attach(prompt, false, { on_lines = changed })
  vim.api.nvim_create_autocmd("BufLeave", {
    buffer = prompt,
    callback = function()
      vim.schedule(function()
        self:close()
      end)
    end,
  })
  vim.api.nvim_create_autocmd("VimResized", {
    buffer = prompt,
    callback = function()
      frame.fit(self.frame)
      self:_draw_list()
      self:_draw_words()
    end,
  })
end

--- Sources that are there already, filtered by the words that are typed: the interface of a live search.
local function fixed(sources, on_change)
  local function input(_, query)
    local found = vim.tbl_filter(function(source)
      local all = (text.label(source) .. " " .. source.path .. " " .. source.excerpt):lower()
      for word in query:lower():gmatch("%S+") do
        if not all:find(word, 1, true) then
          return false
        end
      end
      return true
    end, sources)
    on_change({ query = vim.trim(query), sources = found, notes = {}, busy = false })
  end
  local function no()
    return false
  end
  return { input = input, waits = no, close = no }
end

--- Open the picker: opts are folder, and title, query, sources (a fixed list) and linking (enter inserts a link).
function Picker.start(opts)
  if open then
    open:close()
  end
  local self = setmetatable({ folder = opts.folder, sources = {}, index = 1, sign = "› " }, Picker)
  self.state = { query = "", sources = {}, notes = {} }
  self.origin, self.linking = vim.api.nvim_get_current_win(), opts.linking
  self.frame = frame.open(opts.title or "OneBrain")
  local prompt = self.frame.buffers.prompt
  vim.bo[prompt].buftype = "prompt"
  vim.bo[prompt].filetype = "OneBrainPrompt"
  vim.fn.prompt_setprompt(prompt, self.sign)
  local function show(state)
    self:show(state)
  end
  self.live = opts.sources and fixed(opts.sources, show) or Live.new(self.folder, show)
  local query = (opts.query or ""):gsub("%c", " ")
  vim.api.nvim_buf_set_lines(prompt, 0, -1, false, { self.sign .. query })
  self:_map()
  self:_follow()
  self:_draw_words()
  vim.cmd("startinsert!")
  self.live:input(query)
  open = self
  return self
end

--- The picker that is on the screen, or nil.
function Picker.current()
  return open
end

return Picker
