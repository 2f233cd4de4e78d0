--- How things are written: labels, links, marked words. Pure functions; editors/protocol.json says what they return.

local M = {}

--- Text in one line, without what would move a terminal's cursor.
function M.clean(text)
  return (text:gsub("%c+", " "))
end

--- Text that takes at most so many columns.
function M.cut(text, columns)
  if vim.fn.strdisplaywidth(text) <= columns then
    return text
  end
  local kept = vim.fn.strcharpart(text, 0, math.max(0, columns - 1))
  while kept ~= "" and vim.fn.strdisplaywidth(kept) >= columns do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. "…"
end

--- What a source is called: its title, then the headings below it.
function M.label(source)
  local parts = { source.title }
  for _, heading in ipairs(source.heading or {}) do
    if heading ~= parts[#parts] then
      parts[#parts + 1] = heading
    end
  end
  if source.symbol then
    parts[#parts + 1] = source.symbol
  end
  return M.clean(table.concat(parts, " › "))
end

--- The link to a source's note: its path, which is never ambiguous, shown as its title.
function M.link(source)
  local path = source.path:gsub("%.md$", "")
  local title = M.clean(source.title):gsub("[%[%]|]", " ")
  if path == title then
    return "[[" .. path .. "]]"
  end
  return ("[[%s|%s]]"):format(path, title)
end

--- An error of the daemon in one line: what, where, what to do.
function M.trouble(found)
  local where = (found.where or "") ~= "" and (" (%s)"):format(found.where) or ""
  local fix = (found.fix or "") ~= "" and ": " .. found.fix or ""
  return M.clean((found.what or "unknown error") .. where .. fix)
end

--- Spans of code points in `text` as { line, first byte, end byte }, lines from 0.
function M.spans(text, highlights)
  local starts = { 1 }
  for at in text:gmatch("()\n") do
    starts[#starts + 1] = at + 1
  end
  local found, line = {}, 1
  for _, span in ipairs(highlights) do
    local first_ok, first = pcall(vim.str_byteindex, text, span[1])
    local last_ok, last = pcall(vim.str_byteindex, text, span[2])
    if first_ok and last_ok then
      while starts[line + 1] and starts[line + 1] <= first + 1 do
        line = line + 1
      end
      found[#found + 1] = { line - 1, first - starts[line] + 1, last - starts[line] + 1 }
    end
  end
  return found
end

--- Where the marked words of a source stand in another text of it: { first byte, end byte }.
function M.marks(source, text)
  local words, found, low = {}, {}, text:lower()
  local lines = vim.split(source.text, "\n", { plain = true })
  for _, span in ipairs(M.spans(source.text, source.highlights)) do
    local line = lines[span[1] + 1]
    words[line:sub(span[2] + 1, span[3]):lower()] = true
  end
  for word in pairs(words) do
    local at = 1
    while word ~= "" do
      local from, to = low:find(word, at, true)
      if not from then
        break
      end
      found[#found + 1] = { from - 1, to }
      at = to + 1
    end
  end
  return found
end

--- What an index lacks, in a few words; nil when nothing does.
function M.lacks(index)
  local all = index and index.chunks or 0
  if all > 0 and (index.pending or 0) > 0 then
    if index.vectors == 0 then
      return "words alone: no passage has a vector yet"
    end
    return ("indexing, %d%%"):format(math.floor(100 * (1 - index.pending / all)))
  end
end

--- One decision of a chain in one line, and its day.
function M.decision(link)
  local guessed = (link.date_source == "mtime" or link.date_source == "order") and "~" or ""
  local day = link.date and guessed .. link.date or "undated"
  local status = link.status and (" (%s)"):format(link.status) or ""
  return day, M.clean(link.what) .. status
end

return M
