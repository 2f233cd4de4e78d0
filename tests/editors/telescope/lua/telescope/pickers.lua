--- A picker asks its finder again whenever the prompt changes, and when it is refreshed; entries of an older round are
--- refused, as telescope refuses them.

local M = {}

local Picker = {}
Picker.__index = Picker

function Picker:_look()
  self.round = self.round + 1
  local round, found = self.round, {}
  self.finder(self.prompt, function(entry)
    if round ~= self.round then
      return true
    end
    table.insert(found, entry)
  end, function()
    if round == self.round then
      self.entries = found
      table.insert(self.shown, #found)
    end
  end)
end

function Picker:type(prompt)
  self.prompt = prompt
  self:_look()
end

function Picker:refresh(finder)
  assert(not finder, "the finder stays")
  self:_look()
end

function Picker:find()
  M.current = self
  self.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[self.buffer].bufhidden = "wipe"
  self.attach_mappings(self.buffer, function(_, key, action)
    self.keys[key] = action
  end)
  self:_look()
end

function M.new(_, made)
  made.prompt = made.default_text or ""
  made.round, made.entries, made.shown, made.keys = 0, {}, {}, {}
  return setmetatable(made, Picker)
end

return M
