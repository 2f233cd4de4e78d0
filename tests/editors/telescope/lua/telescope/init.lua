--- As much of telescope.nvim as the plugin uses, without its windows: what is typed is set by the test.

return {
  register_extension = function(extension)
    return extension
  end,
}
