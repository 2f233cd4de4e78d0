--- Actions can be replaced; `chosen` is what each key does now.

local M = { chosen = {} }

for _, name in ipairs({ "select_default", "select_horizontal", "select_vertical", "select_tab" }) do
  M[name] = {
    replace = function(_, action)
      M.chosen[name] = action
    end,
  }
end

function M.close(buffer)
  vim.api.nvim_buf_delete(buffer, { force = true })
end

return M
