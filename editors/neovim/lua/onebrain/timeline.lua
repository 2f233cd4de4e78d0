--- An answer in a split: for a why the dated decisions, oldest first, each line a way to its place.

local client = require("onebrain.client")
local config = require("onebrain.config")
local place = require("onebrain.place")
local text = require("onebrain.text")

local M = {}

local namespace = vim.api.nvim_create_namespace("onebrain_timeline")
local places = {} -- buffer -> line -> { path, line }

--- A page under construction: lines, what they lead to, and what stands over their margins.
local function page()
  local made = { lines = {}, places = {}, marks = {} }
  --- Add a line: its colour, the place that it leads to, and { text, colour } for its margin.
  function made.add(line, group, target, margin)
    made.lines[#made.lines + 1] = text.clean(line)
    made.places[#made.lines] = target
    made.marks[#made.lines] = { group = group, margin = margin }
  end
  return made
end

--- The colour and the sign of a decision: in force, replaced, or neither.
local function standing(link, answer)
  local now = answer.in_force
  if now and now.path == link.path and now.line == link.line then
    return "OneBrainNow", "●"
  end
  local over = link.status == "superseded" or link.status == "rejected" or #link.superseded_by > 0
  return over and "OneBrainExcerpt" or "OneBrainHeading", "○"
end

local function add_chain(made, answer)
  made.add("Decisions, oldest first", "OneBrainTitle")
  made.add("")
  for _, link in ipairs(answer.chain) do
    local day, said = text.decision(link)
    local group, sign = standing(link, answer)
    made.add(("  %s  %s"):format(day, said), group, link, { sign, group })
    if link.reason then
      made.add(("    “%s”"):format(link.reason), nil, link)
    end
    made.add(("    %s:%d"):format(link.path, link.line), "OneBrainPath", link)
    made.add("")
  end
end

--- Say the answer itself; for a why its last line is what is in force now.
local function add_answer(made, answer)
  if answer.confidence == "none" then
    made.add("  No strong match. The nearest candidates:", "WarningMsg")
    made.add("")
  end
  for _, line in ipairs(answer.answer ~= "" and vim.split(answer.answer, "\n") or {}) do
    local now = vim.startswith(line, "In force now")
    made.add("  " .. line, now and "OneBrainNow" or nil, now and answer.in_force or nil, now and { "➡", "OneBrainNow" })
    made.add("")
  end
end

--- The page of an answer.
local function composed(answer)
  local made = page()
  made.add(answer.question, "OneBrainTitle")
  made.add("")
  add_answer(made, answer)
  if #answer.chain > 0 then
    add_chain(made, answer)
  elseif answer.mode == "why" then
    made.add("  No dated decision about this was found.", "WarningMsg")
    made.add("")
  end
  made.add("Sources", "OneBrainTitle")
  made.add("")
  for _, source in ipairs(answer.sources) do
    made.add(("  %s"):format(text.label(source)), "OneBrainHeading", source, { tostring(source.rank), "OneBrainDay" })
    made.add("    " .. source.excerpt, nil, source)
    made.add(("    %s:%d"):format(source.path, source.line), "OneBrainPath", source)
  end
  for _, note in ipairs(answer.notes) do
    made.add("")
    made.add("  note: " .. note, "WarningMsg")
  end
  return made
end

--- Open the place that the current line belongs to, in another window of this tab.
local function follow(folder, buffer)
  local target = (places[buffer] or {})[vim.api.nvim_win_get_cursor(0)[1]]
  if not target then
    return
  end
  local own = vim.api.nvim_get_current_win()
  vim.cmd("wincmd p")
  local there = vim.api.nvim_get_current_win() ~= own
  place.open(folder, target, there and "edit" or "aboveleft vsplit")
end

local function split(folder)
  vim.cmd("botright vertical new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = "nofile", "wipe", false
  vim.bo[buffer].filetype = "OneBrainAnswer"
  vim.wo.wrap, vim.wo.linebreak, vim.wo.breakindent = true, true, true
  vim.wo.number, vim.wo.relativenumber, vim.wo.signcolumn = false, false, "no"
  vim.keymap.set("n", "<CR>", function()
    follow(folder, buffer)
  end, { buffer = buffer })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, nowait = true })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    callback = function()
      places[buffer] = nil
    end,
  })
  return buffer
end

local function fill(buffer, made)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, made.lines)
  vim.bo[buffer].modifiable = false
  for number, mark in ipairs(made.marks) do
    local row, length = number - 1, #made.lines[number]
    if mark.group then
      vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, { end_col = length, hl_group = mark.group })
    end
    if mark.margin then
      local over = { virt_text = { mark.margin }, virt_text_pos = "overlay" }
      vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, over)
    end
  end
  places[buffer] = made.places
end

--- Ask a question and show its answer in a split: mode is `auto`, `what` or `why`.
function M.ask(folder, question, mode)
  if vim.trim(question) == "" then
    return place.say("the question is empty", vim.log.levels.INFO)
  end
  local buffer, made = split(folder), page()
  pcall(vim.api.nvim_buf_set_name, buffer, "onebrain://" .. text.clean(question))
  made.add(question, "OneBrainTitle")
  made.add("")
  made.add("asking …", "OneBrainDay")
  fill(buffer, made)
  local fields = { question = question, mode = mode, limit = config.limit }
  local stop = client.call(folder, "ask", fields, function(trouble, answer)
    if trouble then
      made.lines[3], made.marks[3].group = text.clean(trouble.line), "ErrorMsg"
    end
    fill(buffer, trouble and made or composed(answer))
  end)
  vim.api.nvim_create_autocmd("BufWipeout", { buffer = buffer, callback = stop })
end

return M
