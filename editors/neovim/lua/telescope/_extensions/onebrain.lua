return require("telescope").register_extension({
  exports = {
    onebrain = function(opts)
      require("onebrain").search((opts or {}).query, { picker = "telescope" })
    end,
  },
})
