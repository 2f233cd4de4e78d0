--- The windows of the picker: one frame that is drawn, and on it a prompt, a list and, where there is room, a preview.
--- The frame is a buffer of its own because a floating window of Neovim 0.7 has no title and no footer.

local text = require("onebrain.text")

local M = {}

local WIDEST, HIGHEST = 140, 34
local PREVIEW_FROM = 92 -- columns from which list and preview stand side by side
local namespace = vim.api.nvim_create_namespace("onebrain_frame")

local ROUND = { h = "─", v = "│", tl = "╭", tr = "╮", bl = "╰", br = "╯", l = "├", r = "┤", t = "┬", b = "┴" }
local PLAIN = { h = "-", v = "|", tl = "+", tr = "+", bl = "+", br = "+", l = "+", r = "+", t = "+", b = "+" }

--- Sizes for the editor as it is now.
local function measures()
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width = math.max(24, math.min(columns - 4, WIDEST))
  local height = math.max(9, math.min(lines - 3, HIGHEST))
  local list = width >= PREVIEW_FROM and math.floor((width - 3) * 0.5) or width - 2
  return {
    width = width,
    height = height,
    row = math.max(0, math.floor((lines - height) / 2)),
    column = math.max(0, math.floor((columns - width) / 2)),
    list = list,
    preview = width >= PREVIEW_FROM and width - 3 - list or nil,
    body = height - 6,
  }
end

local function drawn(m, title)
  local c = vim.o.ambiwidth == "double" and PLAIN or ROUND
  local inner = m.width - 2
  local name = (" %s "):format(text.cut(title, inner - 4))
  local bar = function(left, middle, right)
    if not m.preview then
      return left .. c.h:rep(inner) .. right
    end
    return left .. c.h:rep(m.list) .. middle .. c.h:rep(m.preview) .. right
  end
  local lines = {
    c.tl .. c.h .. name .. c.h:rep(math.max(0, inner - 1 - vim.fn.strdisplaywidth(name))) .. c.tr,
    c.v .. (" "):rep(inner) .. c.v,
    bar(c.l, c.t, c.r),
  }
  local row = c.v .. (" "):rep(m.list) .. (m.preview and c.v .. (" "):rep(m.preview) or "") .. c.v
  for _ = 1, m.body do
    lines[#lines + 1] = row
  end
  lines[#lines + 1] = bar(c.l, c.b, c.r)
  lines[#lines + 1] = c.v .. (" "):rep(inner) .. c.v
  lines[#lines + 1] = c.bl .. c.h:rep(inner) .. c.br
  return lines
end

local function buffer()
  local made = vim.api.nvim_create_buf(false, true)
  vim.bo[made].bufhidden = "wipe"
  return made
end

--- Where each window stands.
local function shapes(m)
  local function at(row, column, width, height, zindex, focusable)
    return {
      relative = "editor",
      style = "minimal",
      row = m.row + row,
      col = m.column + column,
      width = width,
      height = height,
      zindex = zindex,
      focusable = focusable,
    }
  end
  return {
    frame = at(0, 0, m.width, m.height, 60, false),
    prompt = at(1, 2, m.width - 4, 1, 61, true),
    list = at(3, 1, m.list, m.body, 61, false),
    preview = m.preview and at(3, m.list + 2, m.preview, m.body, 61, false) or nil,
  }
end

local function window(made, shape, enter)
  local opened = vim.api.nvim_open_win(made, enter, shape)
  vim.wo[opened].winhighlight = "Normal:OneBrainNormal,NormalFloat:OneBrainNormal,EndOfBuffer:OneBrainNormal"
  vim.wo[opened].wrap = false
  vim.wo[opened].signcolumn = "no" -- a marked line would open it
  return opened
end

--- Open the windows, with the cursor in the prompt. Returns { buffers, windows, measures }.
function M.open(title)
  local m = measures()
  local shape = shapes(m)
  title = text.clean(title)
  local opened = { title = title, measures = m, buffers = {}, windows = {} }
  for _, name in ipairs({ "frame", "list", "preview", "prompt" }) do
    if shape[name] then
      opened.buffers[name] = buffer()
      opened.windows[name] = window(opened.buffers[name], shape[name], name == "prompt")
    end
  end
  if opened.windows.preview then
    vim.wo[opened.windows.preview].wrap = true
    vim.wo[opened.windows.preview].linebreak = true
    vim.wo[opened.windows.preview].showbreak = "     " -- as wide as a line's number
  end
  vim.api.nvim_buf_set_lines(opened.buffers.frame, 0, -1, false, drawn(m, title))
  M.colour(opened)
  return opened
end

--- Colour the lines of the frame.
function M.colour(opened)
  local function mark(row, from, to, group)
    local where = { end_col = to, hl_group = group }
    vim.api.nvim_buf_set_extmark(opened.buffers.frame, namespace, row, from, where)
  end
  local lines = vim.api.nvim_buf_get_lines(opened.buffers.frame, 0, -1, false)
  for row, line in ipairs(lines) do
    mark(row - 1, 0, #line, "OneBrainBorder")
  end
  local from, to = lines[1]:find(opened.title, 1, true)
  if from then
    mark(0, from - 1, to, "OneBrainTitle")
  end
end

--- Fit the windows to an editor that has another size now. A preview that has no room any more is closed.
function M.fit(opened)
  local m = measures()
  if not opened.windows.preview then
    m.list, m.preview = m.width - 2, nil
  elseif not m.preview then
    vim.api.nvim_win_close(opened.windows.preview, true)
    opened.windows.preview, opened.buffers.preview = nil, nil
  end
  opened.measures = m
  for name, shape in pairs(shapes(m)) do
    shape.zindex = nil
    vim.api.nvim_win_set_config(opened.windows[name], shape)
  end
  vim.api.nvim_buf_clear_namespace(opened.buffers.frame, namespace, 0, -1)
  vim.api.nvim_buf_set_lines(opened.buffers.frame, 0, -1, false, drawn(m, opened.title))
  M.colour(opened)
end

--- Write the line at the foot of the frame: a list of { text, highlight group }.
function M.foot(opened, pieces)
  local row, room, fitting = opened.measures.height - 2, opened.measures.width - 4, {}
  for _, piece in ipairs(pieces) do
    local said = text.cut(piece[1], room)
    room = room - vim.fn.strdisplaywidth(said)
    fitting[#fitting + 1] = { said, piece[2] }
  end
  fitting[#fitting + 1] = { (" "):rep(math.max(0, room)), "OneBrainNormal" }
  local mark = { id = 1, virt_text = fitting, virt_text_pos = "overlay", virt_text_win_col = 2 }
  vim.api.nvim_buf_set_extmark(opened.buffers.frame, namespace, row, 0, mark)
end

--- Close all windows.
function M.close(opened)
  for _, name in ipairs({ "preview", "list", "prompt", "frame" }) do
    local own = opened.windows[name]
    if own and vim.api.nvim_win_is_valid(own) then
      pcall(vim.api.nvim_win_close, own, true)
    end
  end
end

return M
