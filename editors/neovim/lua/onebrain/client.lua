--- Calls with the JSON of docs/json.md: to the daemon where one lives or can be started, else to the program itself.

local uv = vim.uv or vim.loop
local command = require("onebrain.command")
local config = require("onebrain.config")
local daemon = require("onebrain.daemon")
local http = require("onebrain.http")
local text = require("onebrain.text")

local M = {}

local NAME = ("neovim-%d"):format(uv.getpid()) -- a newer search of the same client drops its older ones
local places = {} -- folder -> { vault, state, connection, waiting, failed }

--- How each call goes to the daemon: method, path and body.
local ROUTES = {
  search = function(f)
    return "POST", "/v1/search", vim.tbl_extend("keep", f, { client = NAME })
  end,
  ask = function(f)
    return "POST", "/v1/ask", f
  end,
  related = function(f)
    return "GET", ("/v1/related?path=%s&limit=%d"):format(http.quoted(f.path), f.limit or config.limit)
  end,
  get = function(f)
    return "GET", "/v1/get?address=" .. http.quoted(f.address)
  end,
  status = function()
    return "GET", "/v1/status"
  end,
}

--- Find the vault that a folder belongs to and where its index lies: done(trouble, place). Asked once a folder.
local function find(folder, done)
  local key = config.vault or folder
  if places[key] then
    return done(nil, places[key])
  end
  command.call("status", {}, { folder = folder, vault = config.vault }, function(trouble, found)
    if trouble then
      return done(trouble)
    end
    places[key] = places[key] or { vault = found.vault, state = found.state }
    done(nil, places[key])
  end)
end

--- Tell all who wait for a connection.
local function settle(place, connection)
  local waiting = place.waiting
  place.waiting, place.connection = nil, connection
  for _, done in ipairs(waiting) do
    done(connection)
  end
end

--- Get a connection: done(connection), or done(nil) when there is no daemon and none can be started.
local function connected(place, done)
  if place.connection then
    return done(place.connection)
  end
  if place.waiting then
    place.waiting[#place.waiting + 1] = done
    return
  end
  place.waiting = { done }
  daemon.connect(place.state, function(connection)
    if connection or not config.start or place.failed then
      return settle(place, connection)
    end
    daemon.start(place, function(problem, started)
      if problem then
        place.failed = true -- said once; a daemon that somebody else starts is still found
        vim.notify(("onebrain: no daemon (%s): asking the program itself, which is slower"):format(problem), 3)
      end
      settle(place, started)
    end)
  end)
end

--- What an answer means: trouble, object. `stale`: the connection is of a daemon that is gone.
local function understood(problem, answer)
  if problem then
    return { line = "the daemon does not answer: " .. problem, stale = true }
  end
  local object = daemon.decoded(answer.body)
  if answer.status == 200 and object then
    return nil, object
  end
  local found = object and type(object.error) == "table" and object.error or {}
  found.what = found.what or ("the daemon answered with status %d"):format(answer.status)
  local stale = answer.status == 401 or answer.status == 403
  return { line = text.trouble(found), status = answer.status, stale = stale, overtaken = object and object.overtaken }
end

--- Make a call for a folder: done(trouble, object); trouble is { line, status, overtaken }.
--- Returns a function that gives it up; done is then not called.
function M.call(folder, name, fields, done)
  local scope = { over = false, stop = function() end }
  local function finish(trouble, object)
    if not scope.over then
      scope.over = true
      done(trouble, object)
    end
  end

  local function ask(place, again)
    connected(place, function(connection)
      if scope.over then
        return
      end
      if not connection then
        scope.stop = command.call(name, fields, { folder = folder, vault = place.vault }, finish)
        return
      end
      local method, path, body = ROUTES[name](fields)
      local sent = { method = method, path = path, port = connection.port, token = connection.token }
      sent.body = body and vim.json.encode(body)
      scope.stop = http.request(sent, function(problem, answer)
        local trouble, object = understood(problem, answer)
        if trouble and trouble.stale and place.connection == connection then
          place.connection = nil
        end
        if trouble and trouble.stale and not again then
          return ask(place, true)
        end
        finish(trouble, object)
      end)
    end)
  end

  find(folder, function(trouble, place)
    if trouble then
      return finish(trouble)
    end
    if not scope.over then
      ask(place, false)
    end
  end)
  return function()
    scope.over = true
    scope.stop()
  end
end

--- Find the vault that a folder belongs to: done(trouble, path). Asked once a folder.
function M.vault(folder, done)
  find(folder, function(trouble, place)
    done(trouble, place and place.vault)
  end)
end

--- Forget every vault and connection, for changed settings.
function M.forget()
  places = {}
end

return M
