--- Search as you type: after a pause the words alone, which takes milliseconds, then words and meaning together.

local client = require("onebrain.client")
local config = require("onebrain.config")

local Live = {}
Live.__index = Live

--- A live search for a folder. on_change(state) is called with { query, stage, sources, notes, trouble, index, busy }.
function Live.new(folder, on_change)
  local state = { query = "", sources = {}, notes = {}, busy = false }
  return setmetatable({ folder = folder, on_change = on_change, timer = vim.loop.new_timer(), state = state }, Live)
end

--- Give up what is on its way.
function Live:cancel()
  self.timer:stop()
  if self.stop then
    self.stop()
    self.stop = nil
  end
end

function Live:_show(changed)
  self.state = vim.tbl_extend("force", self.state, changed)
  self.on_change(self.state)
end

function Live:_ask(query, stage)
  local fields = { query = query, limit = config.limit, stage = stage }
  self.stop = client.call(self.folder, "search", fields, function(trouble, answer)
    self.stop = nil
    if trouble then
      return not trouble.overtaken and self:_show({ trouble = trouble.line, busy = false })
    end
    self.state.trouble = nil
    self:_show({
      query = query,
      stage = stage or "hybrid",
      sources = answer.sources,
      notes = answer.notes or {},
      index = answer.index,
      busy = stage ~= nil,
    })
    if stage and self.asked == query and not self.closed then
      self:_ask(query, nil)
    end
  end)
end

--- Take what was typed: whatever is on its way is given up, and the pause begins anew.
function Live:input(query)
  query = vim.trim(query)
  if query == self.asked then
    return
  end
  self:cancel()
  self.asked = query
  if query == "" then
    self.state.trouble = nil
    return self:_show({ query = "", sources = {}, notes = {}, busy = false })
  end
  self.timer:start(config.debounce, 0, function()
    self.sent = vim.loop.hrtime()
    vim.schedule(function()
      if self.asked == query and not self.closed then
        self:_ask(query, "lexical")
      end
    end)
  end)
end

--- End it; on_change is not called any more.
function Live:close()
  self.closed = true
  self:cancel()
  if not self.timer:is_closing() then
    self.timer:close()
  end
end

return Live
