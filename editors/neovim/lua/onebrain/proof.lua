--- HMAC-SHA256, by which a daemon proves that it knows the token before it is told. Neovim's own sha256() cannot
--- take text with zero bytes, which the outer round needs.

local uv = vim.uv or vim.loop
local bit = require("bit")
local band, bnot, bxor, ror, shr = bit.band, bit.bnot, bit.bxor, bit.ror, bit.rshift

local M = {}

local BLOCK = 64 -- bytes

--- The first 32 bits of the fractional part of a root of a prime, by which FIPS 180-4 defines the constants.
local function fraction(value)
  return bit.tobit(math.floor((value - math.floor(value)) * 2 ^ 32))
end

local FIRST, ROUND = {}, {} -- the state before the first block, and the constant of each round
do
  local number = 2
  while #ROUND < 64 do
    local prime = true
    for divisor = 2, math.floor(math.sqrt(number)) do
      prime = prime and number % divisor ~= 0
    end
    if prime then
      FIRST[#FIRST + 1] = #FIRST < 8 and fraction(number ^ (1 / 2)) or nil
      ROUND[#ROUND + 1] = fraction(number ^ (1 / 3))
    end
    number = number + 1
  end
end

local function schedule(text, at)
  local w = {}
  for i = 1, 16 do
    local a, b, c, d = text:byte(at + 4 * i - 4, at + 4 * i - 1)
    w[i] = bit.bor(bit.lshift(a, 24), bit.lshift(b, 16), bit.lshift(c, 8), d)
  end
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local s0 = bxor(ror(x, 7), ror(x, 18), shr(x, 3))
    local s1 = bxor(ror(y, 17), ror(y, 19), shr(y, 10))
    w[i] = bit.tobit(w[i - 16] + s0 + w[i - 7] + s1)
  end
  return w
end

local function compress(state, w)
  local a, b, c, d, e, f, g, h = unpack(state)
  for i = 1, 64 do
    local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
    local t1 = h + s1 + bxor(band(e, f), band(bnot(e), g)) + ROUND[i] + w[i]
    local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
    local t2 = s0 + bxor(band(a, b), band(a, c), band(b, c))
    a, b, c, d, e, f, g, h = bit.tobit(t1 + t2), a, b, c, bit.tobit(d + t1), e, f, g
  end
  local after = { a, b, c, d, e, f, g, h }
  for i = 1, 8 do
    state[i] = bit.tobit(state[i] + after[i])
  end
end

--- The SHA-256 of a text, as 8 numbers of 32 bits.
local function digest(text)
  local zeros = (BLOCK - (#text + 9) % BLOCK) % BLOCK
  local padded = text .. "\128" .. ("\0"):rep(zeros + 4)
  local bits = 8 * #text
  padded = padded .. string.char(shr(bits, 24), band(shr(bits, 16), 255), band(shr(bits, 8), 255), band(bits, 255))
  local state = { unpack(FIRST) }
  for at = 1, #padded, BLOCK do
    compress(state, schedule(padded, at))
  end
  return state
end

local function bytes(numbers)
  local found = {}
  for i, number in ipairs(numbers) do
    found[i] = string.char(shr(number, 24), band(shr(number, 16), 255), band(shr(number, 8), 255), band(number, 255))
  end
  return table.concat(found)
end

local function hex(numbers)
  local found = {}
  for i, number in ipairs(numbers) do
    found[i] = bit.tohex(number)
  end
  return table.concat(found)
end

--- HMAC-SHA256 of a text under a key, in hexadecimal digits.
function M.hmac(key, text)
  key = #key > BLOCK and bytes(digest(key)) or key
  key = key .. ("\0"):rep(BLOCK - #key)
  local function mixed(with)
    return (key:gsub(".", function(c)
      return string.char(bxor(c:byte(), with))
    end))
  end
  return hex(digest(mixed(0x5c) .. bytes(digest(mixed(0x36) .. text))))
end

--- Digits that nobody can foresee, for a challenge.
function M.challenge()
  return (uv.random(16):gsub(".", function(c)
    return ("%02x"):format(c:byte())
  end))
end

return M
