--- Search as you type: after a pause the words alone, which takes milliseconds, then words and meaning together.

local uv = vim.uv or vim.loop
local client = require("onebrain.client")
local config = require("onebrain.config")

local MAKING = "the index is being made …"

local Live = {}
Live.__index = Live

--- A live search for a folder. on_change(state) is called with { query, stage, sources, notes, trouble, index, busy }.
function Live.new(folder, on_change)
  local state = { query = "", sources = {}, notes = {}, busy = false }
  return setmetatable({ folder = folder, on_change = on_change, timer = uv.new_timer(), state = state }, Live)
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
    if trouble and trouble.overtaken then
      return
    end
    if trouble then
      -- A search by words does not wait for the first index to be made; the one by meaning does.
      local making = stage and trouble.status == 503
      self:_show({ trouble = making and MAKING or trouble.line, busy = making })
      return making and self:_go_on(query)
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
    if stage then
      self:_go_on(query)
    end
  end)
end

--- Ask by words and meaning, if that is still what is asked.
function Live:_go_on(query)
  if self.asked == query and not self.closed then
    self:_ask(query, nil)
  end
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
    self.sent = uv.hrtime()
    vim.schedule(function()
      if self.asked == query and not self.closed then
        self:_ask(query, "lexical")
      end
    end)
  end)
end

--- Whether something was asked that has no answer yet, nor an error.
function Live:waits()
  return self.state.busy or ((self.asked or "") ~= self.state.query and not self.state.trouble)
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
