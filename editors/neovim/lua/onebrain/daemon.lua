--- Finding a living daemon by its state file, and starting one.

local command = require("onebrain.command")
local http = require("onebrain.http")
local proof = require("onebrain.proof")

local PROTOCOL = 1
local PATIENCE = 20000 -- milliseconds that a daemon may need to start, on a busy machine with a cold disk
local STEP = 100 -- milliseconds between two looks at the state file

local M = {}

--- The JSON object of a text, or nil.
function M.decoded(text)
  local ok, object = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  return ok and type(object) == "table" and object or nil
end

--- What the state file says: {port, token, ...}, or nil when there is none that can be read.
local function announced(state)
  local file = io.open(state .. "/daemon.json", "rb")
  local found = file and M.decoded(file:read("*a") or "")
  if file then
    file:close()
  end
  local port = found and found.port
  return type(port) == "number" and port > 0 and port < 65536 and type(found.token) == "string" and found or nil
end

--- Greet the daemon of an index: done(connection or nil). Another program may have the port by now, so the one who
--- listens must prove to know the token before it is sent there.
function M.connect(state, done)
  local found = announced(state)
  if not found then
    vim.schedule(function()
      done(nil)
    end)
    return
  end
  local challenge = proof.challenge()
  http.request({ port = found.port, path = "/health?challenge=" .. challenge, timeout = 3000 }, function(_, answer)
    local health = answer and answer.status == 200 and M.decoded(answer.body) or {}
    local ours = health.protocol == PROTOCOL and health.proof == proof.hmac(found.token, challenge)
    done(ours and { port = found.port, token = found.token } or nil)
  end)
end

--- Start a daemon for a vault and wait for it: done(problem, connection).
function M.start(place, done)
  local over, waited = false, 0
  local function finish(problem, connection)
    if not over then
      over = true
      done(problem, connection)
    end
  end
  local arguments = { "serve", "--vault", place.vault }
  command.run(arguments, { folder = place.vault, detach = true }, function(code, _, err)
    if code ~= 0 then
      finish(err:match("([^\n]+)%s*$") or ("`serve` ended with code %d"):format(code))
    end
  end)
  local function look()
    M.connect(place.state, function(connection)
      if connection or waited > PATIENCE then
        return finish(not connection and "the daemon did not start in time" or nil, connection)
      end
      waited = waited + STEP
      if not over then
        vim.defer_fn(look, STEP)
      end
    end)
  end
  look()
end

return M
