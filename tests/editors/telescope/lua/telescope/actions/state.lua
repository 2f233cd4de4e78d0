local M = {}

function M.get_selected_entry()
  return require("telescope.pickers").current.entries[1]
end

function M.get_current_line()
  return require("telescope.pickers").current.prompt
end

return M
