--- The program on the command line: finding the index, starting the daemon, and answers where no daemon runs.

local config = require("onebrain.config")

local M = {}

local function text(lines)
  return table.concat(lines or {}, "\n")
end

--- Run the program with arguments in a folder. done(code, stdout, stderr) is called once, code 127 when it is missing.
--- Returns a function that ends it; done is then not called.
function M.run(arguments, opts, done)
  local command = config.command(arguments)
  local cancelled, out, err = false, {}, {}
  if vim.fn.executable(command[1]) ~= 1 then
    vim.schedule(function()
      done(127, "", ("%s was not found: install onebrain-search, or set `program`"):format(command[1]))
    end)
    return function() end
  end
  local folder = opts.folder and vim.fn.isdirectory(opts.folder) == 1 and opts.folder or nil
  local job = vim.fn.jobstart(command, {
    cwd = folder,
    detach = opts.detach,
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines)
      out = lines
    end,
    on_stderr = function(_, lines)
      err = lines
    end,
    on_exit = function(_, code)
      if not cancelled then
        done(code, text(out), vim.trim(text(err)))
      end
    end,
  })
  return function()
    cancelled = true
    vim.fn.jobstop(job)
  end
end

-- How each call is written on the command line.
local WRITTEN = {
  search = function(f)
    local retrieval = f.stage == "lexical" and "lexical" or f.retrieval or "hybrid"
    return { "search", "--json", "--retrieval", retrieval, "-n", f.limit or config.limit, "--", f.query }
  end,
  ask = function(f)
    return { "search", "--json", "--mode", f.mode or "auto", "-n", f.limit or config.limit, "--", f.question }
  end,
  related = function(f)
    return { "related", "--json", "-n", f.limit or config.limit, "--", f.path }
  end,
  get = function(f)
    return { "get", "--json", "--", f.address }
  end,
  status = function()
    return { "status", "--json" }
  end,
}

--- The last line of what a failed command said, without its `error:`.
local function said(code, err)
  local line = err:match("([^\n]+)%s*$") or ("onebrain-search ended with code %d"):format(code)
  return (line:gsub("^[Ee]rror: ", ""))
end

--- Answer a call by the program itself: done(trouble, object). Returns a function that gives it up.
function M.call(name, fields, opts, done)
  local arguments = vim.tbl_map(tostring, WRITTEN[name](fields))
  if opts.vault then
    arguments = vim.list_extend({ table.remove(arguments, 1), "--vault", opts.vault }, arguments)
  end
  return M.run(arguments, { folder = opts.folder }, function(code, out, err)
    local ok, object = pcall(vim.json.decode, out, { luanil = { object = true, array = true } })
    if code > 1 or not ok or type(object) ~= "table" then
      return done({ line = said(code, err), missing = code == 127 })
    end
    done(nil, object)
  end)
end

return M
