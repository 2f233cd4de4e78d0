--- The live search in telescope.nvim, where that is installed.

local Live = require("onebrain.live")
local client = require("onebrain.client")
local place = require("onebrain.place")
local text = require("onebrain.text")

local M = {}

--- An entry of telescope's list.
local function entry(folder, vault, source)
  return {
    value = source,
    ordinal = source.path .. ":" .. source.line,
    display = ("%s  %s"):format(text.label(source), text.clean(source.excerpt)),
    filename = vault and vault .. "/" .. source.path or source.path,
    lnum = source.line,
    folder = folder,
  }
end

--- A finder: telescope calls it with what is typed and takes entries until process_complete. The words come first;
--- when words and meaning are there, the picker is asked to look again and gets those from the state.
local function finder(folder)
  local found = {}
  local pending -- what to do with the next state
  local live = Live.new(folder, function(state)
    found.state = state
    if state.trouble then
      place.say(state.trouble)
    end
    if pending then
      pending()
    elseif found.picker and state.stage == "hybrid" then
      found.picker:refresh(nil, { reset_prompt = false })
    end
  end)
  local vault
  client.vault(folder, function(_, path)
    vault = path
  end)
  local function emit(process_result, process_complete)
    pending = nil
    for number, source in ipairs(found.state.sources) do
      local made = entry(folder, vault, source)
      made.index = number
      if process_result(made) then
        break
      end
    end
    process_complete()
  end
  local function find(_, prompt, process_result, process_complete)
    local query = vim.trim(prompt or "")
    if found.state and found.state.query == query then
      return emit(process_result, process_complete)
    end
    pending = function()
      emit(process_result, process_complete)
    end
    live:input(query)
  end
  found.close = function() end -- called at each refresh, too: the search ends with the prompt's buffer
  found.finish = function()
    live:close()
  end
  return setmetatable(found, { __call = find })
end

--- Open the picker: opts are folder, query and linking (enter inserts a link).
function M.start(opts)
  local actions, state = require("telescope.actions"), require("telescope.actions.state")
  local values = require("telescope.config").values
  local origin, search = vim.api.nvim_get_current_win(), finder(opts.folder)
  local function act(prompt, action)
    return function()
      local chosen = state.get_selected_entry()
      actions.close(prompt)
      if chosen then
        action(chosen.value)
      end
    end
  end
  local function link(source)
    place.insert_link(origin, source)
  end
  local function open(how)
    return function(source)
      place.open(opts.folder, source, how)
    end
  end
  search.picker = require("telescope.pickers").new({}, {
    prompt_title = "OneBrain",
    default_text = opts.query,
    finder = search,
    sorter = require("telescope.sorters").empty(), -- the order is the search's own
    previewer = values.grep_previewer({}),
    attach_mappings = function(prompt, map)
      vim.api.nvim_create_autocmd("BufWipeout", { buffer = prompt, callback = search.finish })
      actions.select_default:replace(act(prompt, opts.linking and link or open("edit")))
      actions.select_horizontal:replace(act(prompt, open("split")))
      actions.select_vertical:replace(act(prompt, open("vsplit")))
      actions.select_tab:replace(act(prompt, open("tabedit")))
      map("i", "<C-l>", act(prompt, link))
      map("i", "<C-y>", function()
        local question = state.get_current_line()
        actions.close(prompt)
        require("onebrain.timeline").ask(opts.folder, question, "why")
      end)
      return true
    end,
  })
  search.picker:find()
end

return M
