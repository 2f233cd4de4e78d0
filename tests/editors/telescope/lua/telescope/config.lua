return {
  values = {
    grep_previewer = function()
      return "grep"
    end,
  },
}
