--- Search your notes from inside Neovim. The commands of plugin/onebrain.lua call these functions.

local uv = vim.uv or vim.loop
local client = require("onebrain.client")
local config = require("onebrain.config")
local place = require("onebrain.place")
local text = require("onebrain.text")

local M = {}

--- Change settings; they are listed in config.lua.
function M.setup(settings)
  config.take(settings)
  client.forget()
end

local function picker(kind)
  if kind == "telescope" or (kind == "auto" and pcall(require, "telescope")) then
    return require("onebrain.telescope")
  end
  return require("onebrain.picker")
end

--- Open the live picker, with a question or without. opts: picker, and linking (enter inserts a link).
function M.search(question, opts)
  opts = opts or {}
  local title = opts.linking and "OneBrain: link to" or "OneBrain"
  picker(opts.picker or config.picker).start({
    folder = place.folder(),
    title = title,
    query = question or "",
    linking = opts.linking,
  })
end

--- Answer a question in a split; mode is `auto`, `what` or `why`.
function M.ask(question, mode)
  require("onebrain.timeline").ask(place.folder(), question, mode or "auto")
end

--- Put what a question finds into the quickfix list.
function M.quickfix(question)
  local folder = place.folder()
  client.call(folder, "search", { query = question, limit = config.limit }, function(trouble, answer)
    if trouble then
      return place.say(trouble.line)
    end
    place.quickfix(folder, question, answer.sources)
  end)
end

--- The path of the current buffer's file below the vault; nil when it lies elsewhere.
local function path_in(vault)
  local file = uv.fs_realpath(vim.api.nvim_buf_get_name(0))
  local top = uv.fs_realpath(vault)
  if file and top and vim.startswith(file, top:gsub("[/\\]$", "") .. (file:match("[/\\]"))) then
    return (file:sub(#top:gsub("[/\\]$", "") + 2):gsub("\\", "/"))
  end
end

--- Show the notes that belong with the current buffer's.
function M.related()
  local folder, buffer = place.folder(), vim.api.nvim_get_current_buf()
  client.vault(folder, function(trouble, vault)
    local path = vault and vim.api.nvim_get_current_buf() == buffer and path_in(vault)
    if not path then
      return place.say(trouble and trouble.line or "this buffer is no note of the vault")
    end
    client.call(folder, "related", { path = path, limit = config.limit }, function(failed, found)
      if failed or #found.related == 0 then
        return place.say(failed and failed.line or "no related notes", not failed and vim.log.levels.INFO or nil)
      end
      local opts = { folder = folder, sources = found.related }
      opts.title = "Related to " .. vim.fn.fnamemodify(path, ":t:r")
      require("onebrain.picker").start(opts)
    end)
  end)
end

--- Say what the index holds and lacks.
function M.status()
  client.call(place.folder(), "status", {}, function(trouble, status)
    if trouble then
      return place.say(trouble.line)
    end
    local said = status.exists
        and ("%d files, %d passages, %d with vectors"):format(status.documents, status.chunks, status.vectors)
      or "no index yet: any question makes it"
    local lacks, daemon = text.lacks(status), status.daemon and "daemon" or "no daemon"
    place.say(table.concat({ status.vault, said, lacks or "complete", daemon }, " · "), vim.log.levels.INFO)
  end)
end

return M
