--- The settings, with their defaults; `require("onebrain").setup{...}` changes them.

local M = {
  program = "onebrain-search", -- or a list, such as { "/opt/onebrain/bin/onebrain-search" }
  vault = nil, -- the folder of notes; by default the one that the current file lies in
  start = true, -- start the daemon where none runs; false: ask the program itself each time, which is slower
  debounce = 100, -- milliseconds without a key before a question is sent
  limit = 20, -- how many sources a list has
  picker = "auto", -- "telescope", "builtin", or "auto": telescope where it is installed
  link = nil, -- function(source) -> text, instead of [[path|title]]
}

local known = { program = true, vault = true, start = true, debounce = true, limit = true, picker = true, link = true }

--- Take over settings; a name that is none is an error, so that a slip of the pen is seen.
function M.take(settings)
  for name, value in pairs(settings or {}) do
    if not known[name] then
      error(("onebrain: there is no setting %q"):format(name), 0)
    end
    M[name] = name == "vault" and vim.fn.expand(value) or value
  end
end

--- The command line of the program, with arguments behind it.
function M.command(arguments)
  local command = type(M.program) == "table" and vim.deepcopy(M.program) or { M.program }
  return vim.list_extend(command, arguments)
end

return M
