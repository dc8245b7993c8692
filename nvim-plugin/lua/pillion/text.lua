-- Text of connectors and files, made safe to show: nothing in it is hidden, moves other text, or is read as a command.
-- Lays nothing out and knows no window.
local M = {}

-- Characters without a mark of their own, and those that move others: first and last of each range.
local hidden = {
  { 0x00, 0x1f },
  { 0x7f, 0xa0 },
  { 0xad, 0xad },
  { 0x34f, 0x34f },
  { 0x600, 0x605 },
  { 0x61c, 0x61c },
  { 0x6dd, 0x6dd },
  { 0x70f, 0x70f },
  { 0x890, 0x891 },
  { 0x8e2, 0x8e2 },
  { 0x115f, 0x1160 },
  { 0x1680, 0x1680 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x2000, 0x200f },
  { 0x2028, 0x202f },
  { 0x205f, 0x206f },
  { 0x2800, 0x2800 },
  { 0x3000, 0x3000 },
  { 0x3164, 0x3164 },
  { 0xd800, 0xf8ff },
  { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffb },
  { 0xfffe, 0xffff },
  { 0x110bd, 0x110bd },
  { 0x110cd, 0x110cd },
  { 0x13430, 0x1343f },
  { 0x1bca0, 0x1bca3 },
  { 0x1d173, 0x1d17a },
  { 0xe0000, 0x10ffff },
}

---@param code integer
local function is_hidden(code)
  local low, high = 1, #hidden
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local range = hidden[middle]
    if code < range[1] then
      high = middle - 1
    elseif code > range[2] then
      low = middle + 1
    else
      return true
    end
  end
  return false
end

---Decodes the character at a byte.
---@return integer? code nil where the bytes are no UTF-8
---@return integer size
local function decode(s, i)
  local first = s:byte(i)
  if first < 0x80 then
    return first, 1
  end
  local size = first >= 0xf0 and first < 0xf5 and 4 or first >= 0xe0 and first < 0xf0 and 3 or first >= 0xc2 and 2 or 0
  if first >= 0xf5 or size == 0 or i + size - 1 > #s then
    return nil, 1
  end
  local code = first % (size == 2 and 0x20 or size == 3 and 0x10 or 0x08)
  for k = i + 1, i + size - 1 do
    local byte = s:byte(k)
    if byte < 0x80 or byte > 0xbf then
      return nil, 1
    end
    code = code * 64 + byte - 0x80
  end
  if (size == 3 and code < 0x800) or (size == 4 and (code < 0x10000 or code > 0x10ffff)) then
    return nil, 1
  end
  return code, size
end

---Foreign text as one line on which nothing is hidden (S17): what has no mark of its own, and bytes that are no UTF-8,
---stand as `\u{…}`; a backslash that could be mistaken for one is doubled.
---@param s string
---@return string
function M.visible(s)
  if not s:find('[%z\1-\31\92\127-\255]') then
    return s
  end
  local out, i = {}, 1
  while i <= #s do
    local code, size = decode(s, i)
    if not code then
      out[#out + 1] = ('\\u{%x}'):format(s:byte(i))
    elseif code == 0x5c and s:sub(i + 1, i + 2) == 'u{' then
      out[#out + 1] = '\\\\'
    elseif is_hidden(code) then
      out[#out + 1] = ('\\u{%x}'):format(code)
    else
      out[#out + 1] = s:sub(i, i + size - 1)
    end
    i = i + size
  end
  return table.concat(out)
end

---Text of Pillion's own that quotes foreign text, which Pillion has made visible already: that is not done twice.
---@param s string
---@return string
function M.shown(s)
  return (M.visible(s):gsub('\\\\u{', '\\u{'))
end

---Whether bytes are UTF-8, which is all that the protocol carries.
---@param s string
---@return boolean
function M.is_utf8(s)
  local i = s:find('[\128-\255]')
  while i do
    local code, size = decode(s, i)
    if not code or (code >= 0xd800 and code <= 0xdfff) then
      return false
    end
    i = s:find('[\128-\255]', i + size)
  end
  return true
end

---The places of what `visible` and `lines` wrote for hidden characters, as byte ranges from 0, for highlighting.
---@param line string
---@return {[1]: integer, [2]: integer}[]
function M.marks(line)
  local found, from = {}, 1
  while true do
    local first, last = line:find('\\u{%x+}', from)
    if not first then
      return found
    end
    if line:sub(first - 1, first - 1) ~= '\\' then
      found[#found + 1] = { first - 1, last }
    end
    from = last + 1
  end
end

---Visible in double quotes, out of which no text gets.
---@param s string
---@return string
function M.quoted(s)
  return '"' .. M.visible(s):gsub('"', '\\u{22}') .. '"'
end

---Foreign text of several lines. Tabs of indented text stay.
---@param s string
---@param one? fun(part: string): string instead of `visible`
---@return string[]
function M.lines(s, one)
  one = one or M.visible
  s = s:gsub('\r\n', '\n'):gsub('\n$', '')
  local found = {}
  for _, line in ipairs(vim.split(s, '\n', { plain = true })) do
    local parts = vim.split(line, '\t', { plain = true })
    for i, part in ipairs(parts) do
      parts[i] = one(part)
    end
    found[#found + 1] = table.concat(parts, '\t')
  end
  return found
end

---A line that is visible already, for a status line or window bar, in which `%` begins a command (S23).
---@param line string
---@return string
function M.statusline(line)
  return (line:gsub('%%', '%%%%'))
end

---The beginning of a line that is at most so many cells wide; what is left out stands as `…`.
---@param line string
---@param width integer
---@return string
function M.cut(line, width)
  if vim.fn.strdisplaywidth(line) <= width then
    return line
  end
  local part = vim.fn.strcharpart(line, 0, width)
  while part ~= '' and vim.fn.strdisplaywidth(part) > width - 1 do
    part = vim.fn.strcharpart(part, 0, vim.fn.strchars(part) - 1)
  end
  return part .. '…'
end

---Wraps a line between words, and within a word that is too long.
---@param line string
---@param width integer
---@return string[]
function M.wrap(line, width)
  local found, current = {}, ''
  local function push()
    found[#found + 1] = current
    current = ''
  end
  for word in line:gmatch('%S+') do
    if current ~= '' and vim.fn.strdisplaywidth(current .. ' ' .. word) > width then
      push()
    end
    current = current == '' and word or current .. ' ' .. word
    while vim.fn.strdisplaywidth(current) > width do
      local head, count = '', 0
      while vim.fn.strdisplaywidth(vim.fn.strcharpart(current, 0, count + 1)) <= width do
        count = count + 1
        head = vim.fn.strcharpart(current, 0, count)
      end
      if count == 0 then
        break
      end
      local rest = vim.fn.strcharpart(current, count)
      current = head
      push()
      current = rest
    end
  end
  if current ~= '' or #found == 0 then
    push()
  end
  return found
end

---A path or address for people: the home folder as `~`, nothing hidden.
---@param uri string a path or a file: address
function M.path(uri)
  local path = vim.startswith(uri, 'file:') and vim.uri_to_fname(uri) or uri
  return M.visible(vim.fn.fnamemodify(path, ':~'))
end

---The same entry's text with the indentation of its last line taken from all but the first.
---@param s string
---@return string
function M.dedented(s)
  local indent = s:match('\n([ \t]*)[^\n]*$') or ''
  return (s:gsub('\n' .. indent, '\n'))
end

---Names as people list them: "one", "one, two and three".
---@param words string[]
---@return string
function M.list(words)
  if #words < 2 then
    return words[1] or ''
  end
  return table.concat(words, ', ', 1, #words - 1) .. ' and ' .. words[#words]
end

---"1 question", "2 questions".
---@param count integer
---@param one string
---@param many? string
---@return string
function M.count(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or many or one .. 's')
end

return M
