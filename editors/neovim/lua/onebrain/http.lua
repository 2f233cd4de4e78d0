--- HTTP/1.1 to the loopback over vim.loop: one request a connection, never blocking.
--- Neovim 0.7 has neither vim.system nor vim.net, and curl is not on every machine.

local uv = vim.uv or vim.loop

local LONGEST = 40000 -- milliseconds; the daemon itself gives up earlier

local M = {}

--- Undo `Transfer-Encoding: chunked`. Returns the body, or nil while its last chunk is missing.
local function dechunk(text)
  local parts, at = {}, 1
  while true do
    local from, to, size = text:find("^(%x+)[^\r\n]*\r\n", at)
    if not from then
      return nil
    end
    local length = tonumber(size, 16)
    if length == 0 then
      return table.concat(parts)
    end
    if #text < to + length + 2 then
      return nil
    end
    parts[#parts + 1] = text:sub(to + 1, to + length)
    at = to + length + 3
  end
end

--- Read an answer as far as it has come. Returns {status, body}, or nil and how many bytes there must be at least.
--- `ended`: the other side has closed, which is how an answer without a length ends.
function M.parse(text, ended)
  local _, head_end = text:find("\r\n\r\n", 1, true)
  local status = text:match("^HTTP/1%.%d (%d%d%d)")
  if not head_end or not status then
    return nil, #text + 1
  end
  local head, rest = text:sub(1, head_end):lower(), text:sub(head_end + 1)
  local length = tonumber(head:match("\r\ncontent%-length:%s*(%d+)"))
  local body
  if head:find("\r\ntransfer%-encoding:[^\r\n]*chunked") then
    body = dechunk(rest)
  elseif length then
    body = #rest >= length and rest:sub(1, length) or nil
  else
    body = ended and rest or nil
  end
  if body then
    return { status = tonumber(status), body = body }
  end
  return nil, length and head_end + length or #text + 1
end

local function written(opts)
  local lines = {
    ("%s %s HTTP/1.1"):format(opts.method or "GET", opts.path),
    ("Host: 127.0.0.1:%d"):format(opts.port),
    "Connection: close",
    "Accept: application/json",
  }
  if opts.token then
    lines[#lines + 1] = "Authorization: Bearer " .. opts.token
  end
  if opts.body then
    lines[#lines + 1] = "Content-Type: application/json"
    lines[#lines + 1] = "Content-Length: " .. #opts.body
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. (opts.body or "")
end

--- Send one request: opts are port, path, and method, token, body, timeout (milliseconds) where needed.
--- done(problem, answer) is called once, on the main loop: with a word on what failed, or with {status, body}.
--- Returns a function that gives the request up; done is then not called.
function M.request(opts, done)
  local tcp, timer = uv.new_tcp(), uv.new_timer()
  local over, cancelled = false, false
  local got, size, needed = {}, 0, 1

  local function close()
    over = true
    for _, handle in ipairs({ timer, tcp }) do
      if not handle:is_closing() then
        handle:close()
      end
    end
  end

  local function finish(problem, answer)
    if over then
      return
    end
    close()
    vim.schedule(function()
      if not cancelled then
        done(problem, answer)
      end
    end)
  end

  local function on_read(problem, data)
    if problem then
      return finish(problem)
    end
    got[#got + 1] = data
    size = size + #(data or "")
    if not data or size >= needed then
      got = { table.concat(got) }
      local answer, least = M.parse(got[1], data == nil)
      if answer or not data then
        return finish(not answer and "the connection was closed too early" or nil, answer)
      end
      needed = least
    end
  end

  timer:start(opts.timeout or LONGEST, 0, function()
    finish("no answer in time")
  end)
  tcp:connect("127.0.0.1", opts.port, function(problem)
    if over then
      return
    end
    if problem then
      return finish(problem)
    end
    tcp:read_start(on_read)
    tcp:write(written(opts), function(failed)
      if failed then
        finish(failed)
      end
    end)
  end)
  return function()
    cancelled = true
    close()
  end
end

--- A value as a part of a query string.
function M.quoted(value)
  return (tostring(value):gsub("[^%w%-._~/]", function(c)
    return ("%%%02X"):format(c:byte())
  end))
end

return M
