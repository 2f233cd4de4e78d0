if vim.g.loaded_onebrain then
  return
end
vim.g.loaded_onebrain = true

if vim.fn.has("nvim-0.7") == 0 then
  vim.api.nvim_err_writeln("onebrain: needs Neovim 0.7 or newer")
  return
end

local function colours()
  for group, like in pairs({
    OneBrainNormal = "Normal",
    OneBrainBorder = "Comment",
    OneBrainTitle = "Title",
    OneBrainHeading = "Identifier",
    OneBrainExcerpt = "Comment",
    OneBrainMatch = "Special",
    OneBrainDay = "Comment",
    OneBrainNumber = "LineNr",
    OneBrainNow = "String",
    OneBrainPath = "Directory",
    OneBrainSelected = "Visual",
  }) do
    vim.api.nvim_set_hl(0, group, { link = like, default = true })
  end
end

colours()
vim.api.nvim_create_autocmd("ColorScheme", { callback = colours })

local function command(name, description, act, nargs)
  vim.api.nvim_create_user_command(name, function(given)
    act(require("onebrain"), given.args)
  end, { nargs = nargs or "*", desc = description })
end

command("OneBrain", "Search notes as you type", function(onebrain, question)
  onebrain.search(question)
end)
command("OneBrainLink", "Search notes and insert a link", function(onebrain, question)
  onebrain.search(question, { linking = true })
end)
command("OneBrainAsk", "Answer a question in a split", function(onebrain, question)
  onebrain.ask(question)
end, "+")
command("OneBrainWhy", "Show the decisions behind something in a split", function(onebrain, question)
  onebrain.ask(question, "why")
end, "+")
command("OneBrainQuickfix", "Put what is found into the quickfix list", function(onebrain, question)
  onebrain.quickfix(question)
end, "+")
command("OneBrainRelated", "Show the notes that belong with this one", function(onebrain)
  onebrain.related()
end, 0)
command("OneBrainStatus", "Say what the index holds", function(onebrain)
  onebrain.status()
end, 0)
