--- Places in notes: opened at the line, linked to, put into the quickfix list.

local uv = vim.uv or vim.loop
local client = require("onebrain.client")
local config = require("onebrain.config")
local text = require("onebrain.text")

local M = {}

--- Say one line; `level` as in vim.log.levels, an error by default.
function M.say(line, level)
  vim.notify("onebrain: " .. line, level or vim.log.levels.ERROR)
end

--- The folder that a buffer's file lies in, or the current one for a buffer without a file.
function M.folder(buffer)
  local name = vim.api.nvim_buf_get_name(buffer or 0)
  local folder = vim.fn.fnamemodify(name, ":p:h")
  if name == "" or vim.bo[buffer or 0].buftype ~= "" or vim.fn.isdirectory(folder) == 0 then
    return vim.fn.getcwd()
  end
  return folder
end

--- The file of a written path, `note.md` in the vault or `name:file` in a code folder: done(file or nil).
function M.file(folder, path, done)
  local root, rest = path:match("^([%w_][%w_.-]*):(.+)$")
  client.vault(folder, function(_, vault)
    local plain = vault and vault .. "/" .. path
    if not root or (plain and uv.fs_stat(plain)) then
      return done(plain)
    end
    client.call(folder, "status", {}, function(_, status)
      local code = status and status.code or {}
      done(code[root] and code[root] .. "/" .. rest)
    end)
  end)
end

--- Open a place, a table with path and line, by a command such as `edit`, `split`, `vsplit` or `tabedit`.
function M.open(folder, place, how)
  M.file(folder, place.path, function(file)
    if not file or not uv.fs_stat(file) then
      return M.say(place.path .. " is gone since it was indexed")
    end
    local ok, problem = pcall(vim.cmd, (how or "edit") .. " " .. vim.fn.fnameescape(file))
    if not ok then
      return M.say(tostring(problem):match("E%d+:.*") or tostring(problem))
    end
    local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { math.min(place.line, last), 0 })
    vim.cmd("normal! zvzz")
  end)
end

--- Put a link to a source at the cursor of a window.
function M.insert_link(window, source)
  local buffer = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window)
  if not buffer or not vim.bo[buffer].modifiable then
    return M.say("the link cannot be put in: this buffer cannot be changed")
  end
  local link = (config.link or text.link)(source)
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local line = vim.api.nvim_buf_get_lines(buffer, row - 1, row, false)[1] or ""
  -- In normal mode the cursor stands on a character: the link goes behind it, as with `p`.
  local at = math.min(#line, column + (line == "" and 0 or #vim.fn.matchstr(line:sub(column + 1), ".")))
  vim.api.nvim_buf_set_text(buffer, row - 1, at, row - 1, at, { link })
  vim.api.nvim_win_set_cursor(window, { row, at + #link - 1 })
end

--- Put sources into the quickfix list and open it.
function M.quickfix(folder, title, sources)
  local items, left = {}, #sources
  if left == 0 then
    return M.say("nothing found", vim.log.levels.INFO)
  end
  for number, source in ipairs(sources) do
    M.file(folder, source.path, function(file)
      local said = text.label(source) .. ": " .. text.clean(source.excerpt)
      items[number] = { filename = file or source.path, lnum = source.line, text = said }
      left = left - 1
      if left == 0 then
        vim.fn.setqflist({}, " ", { title = "OneBrain: " .. title, items = items })
        vim.cmd("botright copen")
      end
    end)
  end
end

return M
