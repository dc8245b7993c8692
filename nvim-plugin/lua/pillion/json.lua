-- JSON as it is written: the order of the members and the digits of the numbers are kept, which vim.json loses.
-- It writes no values of Lua's; whoever needs those uses vim.json.

---A value of a JSON text.
---@class (exact) pillion.Json
---@field kind "object"|"array"|"string"|"number"|"boolean"|"null"
---the value as it is written
---@field text string
---of a string or a boolean
---@field value? string|boolean
---names of an object's members, in their order
---@field keys? string[]
---an object's members, by name
---@field members? table<string, pillion.Json>
---the values of an array
---@field items? pillion.Json[]

local M = {}

-- Deeper than this a text is refused, as vim.json does: reading is recursive.
local deepest = 200

local function fail(at, what)
  error({ at = at, what = what }, 0)
end

local function skip(text, at)
  return text:match('^[ \t\r\n]*()', at)
end

---@param text string
---@param at integer of the opening quote
---@return string value
---@return integer next
local function read_string(text, at)
  local from = at + 1
  while true do
    local stop, what = text:match('()(["\\%c])', from)
    if not stop then
      fail(at, 'this string does not end')
    elseif what == '"' then
      local ok, value = pcall(vim.json.decode, text:sub(at, stop))
      if not ok then
        fail(at, 'this string has an escape that is none')
      end
      return value, stop + 1
    elseif what == '\\' then
      from = stop + 2
    elseif what == '\127' then
      from = stop + 1
    else
      fail(stop, 'a string holds a control character')
    end
  end
end

---@param text string
---@param at integer
---@return integer next
local function read_number(text, at)
  local whole = text:match('^-?%d+()', at)
  if not whole or text:match('^-?0%d', at) then
    fail(at, 'this is no number')
  end
  local next = text:match('^%.%d+()', whole) or whole
  return text:match('^[eE][+-]?%d+()', next) or next
end

local read

---@return pillion.Json
---@return integer next
local function read_object(text, at, depth)
  local node = { kind = 'object', keys = {}, members = {} }
  local next = skip(text, at + 1)
  if text:sub(next, next) == '}' then
    node.text = text:sub(at, next)
    return node, next + 1
  end
  while true do
    if text:sub(next, next) ~= '"' then
      fail(next, 'a name in quotes belongs here')
    end
    local from = next
    local key
    key, next = read_string(text, next)
    if node.members[key] then
      fail(from, ('the name %q stands here twice'):format(key))
    end
    next = skip(text, next)
    if text:sub(next, next) ~= ':' then
      fail(next, 'a colon belongs here')
    end
    node.keys[#node.keys + 1] = key
    node.members[key], next = read(text, skip(text, next + 1), depth + 1)
    next = skip(text, next)
    local mark = text:sub(next, next)
    if mark == '}' then
      node.text = text:sub(at, next)
      return node, next + 1
    elseif mark ~= ',' then
      fail(next, 'a comma or } belongs here')
    end
    next = skip(text, next + 1)
  end
end

---@return pillion.Json
---@return integer next
local function read_array(text, at, depth)
  local node = { kind = 'array', items = {} }
  local next = skip(text, at + 1)
  if text:sub(next, next) == ']' then
    node.text = text:sub(at, next)
    return node, next + 1
  end
  while true do
    node.items[#node.items + 1], next = read(text, next, depth + 1)
    next = skip(text, next)
    local mark = text:sub(next, next)
    if mark == ']' then
      node.text = text:sub(at, next)
      return node, next + 1
    elseif mark ~= ',' then
      fail(next, 'a comma or ] belongs here')
    end
    next = skip(text, next + 1)
  end
end

local words = { ['true'] = 'boolean', ['false'] = 'boolean', null = 'null' }

---@param text string
---@param at integer of the value's first byte
---@param depth integer
---@return pillion.Json
---@return integer next
function read(text, at, depth)
  if depth > deepest then
    fail(at, 'this is too deep')
  end
  local first = text:sub(at, at)
  if first == '{' then
    return read_object(text, at, depth)
  elseif first == '[' then
    return read_array(text, at, depth)
  elseif first == '"' then
    local value, next = read_string(text, at)
    return { kind = 'string', value = value, text = text:sub(at, next - 1) }, next
  end
  local word = text:match('^%a+', at)
  if word and words[word] then
    local node = { kind = words[word], text = word }
    if node.kind == 'boolean' then
      node.value = word == 'true'
    end
    return node, at + #word
  elseif first:match('[%d-]') then
    local next = read_number(text, at)
    return { kind = 'number', text = text:sub(at, next - 1) }, next
  end
  return fail(at, first == '' and 'the text ends here' or 'a value belongs here')
end

---Reads a text.
---@param text string
---@return pillion.Json? node nil where the text is no JSON, or says a name twice
---@return string? problem with line and column
function M.read(text)
  local ok, node, next = pcall(read, text, skip(text, 1), 1)
  if ok and skip(text, next) <= #text then
    ok, node = false, { at = skip(text, next), what = 'nothing belongs here any more' }
  end
  if ok then
    return node
  elseif type(node) ~= 'table' then
    error(node, 0) -- a fault of ours
  end
  local before = text:sub(1, node.at - 1)
  local _, rows = before:gsub('\n', '')
  local column = #before:match('[^\n]*$') + 1
  return nil, ('line %d, column %d: %s'):format(rows + 1, column, node.what)
end

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

---A string as JSON writes it.
---@param value string
---@return string
function M.quote(value)
  return '"' .. value:gsub('["\\%c]', function(c)
    return escapes[c] or ('\\u%04x'):format(c:byte())
  end) .. '"'
end

---@param node pillion.Json
---@param indent string
---@param lines string[] the last one is gone on with
local function lay(node, indent, lines)
  local inner = indent .. '  '
  local children = node.keys or node.items
  if not children or #children == 0 then
    lines[#lines] = lines[#lines] .. (children and (node.keys and '{}' or '[]') or node.text)
    return
  end
  lines[#lines] = lines[#lines] .. (node.keys and '{' or '[')
  for i, child in ipairs(children) do
    lines[#lines + 1] = inner .. (node.keys and M.quote(child) .. ': ' or '')
    lay(node.keys and node.members[child] or child, inner, lines)
    if i < #children then
      lines[#lines] = lines[#lines] .. ','
    end
  end
  lines[#lines + 1] = indent .. (node.keys and '}' or ']')
end

---A text laid out over lines, with its digits and its order. One that is no JSON stays as it is.
---@param text string
---@return string[]
function M.layout(text)
  local node = M.read(text)
  if not node then
    return vim.split(text, '\n', { plain = true })
  end
  local lines = { '' }
  lay(node, '', lines)
  return lines
end

return M
