return {
  empty = function()
    return "as they come"
  end,
}
