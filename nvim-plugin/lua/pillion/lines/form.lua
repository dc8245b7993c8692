-- The lines of a form: a field on each, with its value, and what is wrong with it.

local block = require('pillion.lines.block')
local form = require('pillion.form')
local json = require('pillion.json')
local text = require('pillion.text')

local M = {}

---@class (exact) pillion.lines.FieldItem
---@field kind "field"
---@field field pillion.Field

---@class (exact) pillion.lines.SendItem
---@field kind "send"

---What <CR> does on a field, in words.
---@param field pillion.Field
---@return string
function M.hint(field)
  if field.type == 'boolean' then
    return 'switch'
  elseif field.type == 'array' then
    return 'add an item'
  elseif field.type == 'json' then
    return 'write it as JSON'
  elseif field.type == 'object' then
    return 'write its fields, or J for JSON'
  end
  return field.type == 'choice' and 'choose' or 'write'
end

---@param field pillion.Field
---@return pillion.Chunk[]
local function value(field)
  if field.type == 'array' then
    local n = #field.items
    return { { n == 0 and 'no items' or n == 1 and '1 item' or n .. ' items', 'PillionDetail' } }
  elseif field.type == 'object' then
    return {}
  elseif not field.value then
    local words = field.default and 'default ' .. block.cut(field.default, 40) or ''
    return { { words, 'PillionDetail' } }
  end
  local shown = field.value
  if field.type == 'choice' then
    for _, choice in ipairs(field.choices) do
      shown = choice.text == field.value and choice.label or shown
    end
  end
  return { { text.visible((shown:gsub('%s*\n%s*', ' '))), 'PillionValue' } }
end

---@param field pillion.Field
---@param names integer
---@param kinds integer
---@param fault string?
---@return pillion.Line[]
local function rows(field, names, kinds, fault)
  local inner = ('  '):rep(math.max(field.depth - 1, 0))
  local name = field.path == '' and 'arguments' or field.name
  local line = {
    ' ' .. inner,
    { block.pad(block.cut(name, names - #inner), names - #inner), 'PillionName' },
    { field.required and ' * ' or '   ', 'PillionRequired' },
    { block.pad(form.kind(field), kinds) .. '  ', 'PillionType' },
  }
  vim.list_extend(line, value(field))
  local lines = { line }
  local indent = ' ' .. (' '):rep(names + 3)
  if fault then
    local words = field.path == '' and fault or ('%s: %s'):format(field.path, fault)
    lines[#lines + 1] = { indent, { text.visible(words), 'PillionProblem' } }
  end
  local doc = field.doc or field.title
  if field.reason and not fault then
    lines[#lines + 1] = { indent, { 'written as JSON: ' .. text.visible(field.reason), 'PillionDetail' } }
  end
  if doc then
    block.append(lines, block.foreign(doc, indent, 'PillionDetail'))
  end
  return block.about(lines, 'field:' .. field.path, { kind = 'field', field = field }, M.hint(field))
end

---The whole page: the fields with what is wrong with them, and what would be sent.
---@param made pillion.Form
---@param tool pillion.Tool
---@param faults pillion.Fault[] those that are shown
---@return pillion.Line[]
function M.lines(made, tool, faults)
  local by_path = {}
  for _, fault in ipairs(faults) do
    local field = form.at(made, fault.path)
    local path = field and field.path or ''
    local words = fault.message
    if path ~= fault.path then
      words = fault.path .. ': ' .. words
    end
    by_path[path] = by_path[path] and by_path[path] .. '; ' .. words or words
  end
  local lines = {}
  local description = tool.description or tool.summary or ''
  if description ~= '' then
    block.append(lines, block.about(block.foreign(description, ' '), 'description', { kind = 'description' }))
    lines[#lines + 1] = {}
  end
  local fields = form.rows(made)
  local names = block.widest(
    vim.tbl_map(function(field)
      return ('  '):rep(math.max(field.depth - 1, 0)) .. (field.path == '' and 'arguments' or text.visible(field.name))
    end, fields),
    28
  )
  local kinds = block.widest(vim.tbl_map(form.kind, fields), 16)
  for _, field in ipairs(fields) do
    block.append(lines, rows(field, names, kinds, by_path[field.path]))
  end
  if #fields == 0 then
    lines[#lines + 1] = { ' ', { 'It takes no arguments.', 'PillionDetail' } }
  end
  if by_path[''] and made.root.type ~= 'json' then
    lines[#lines + 1] = { ' ', { text.visible(by_path['']), 'PillionProblem' } }
  end
  lines[#lines + 1] = {}
  local send = { { ' ', { '[ Run ]', 'PillionKey' }, { '  sends', 'PillionDetail' } } }
  local body = block.json(form.text(made), ' ')
  block.append(lines, block.about(send, 'send', { kind = 'send' }, 'run it'))
  block.append(lines, block.about(body, 'sent', { kind = 'sent' }, 'write it as JSON'))
  return lines
end

---A value as lines to edit: a string as its text, everything else laid out.
---@param field pillion.Field
---@param current string? as JSON text
---@return string[]
function M.editable(field, current)
  if not current then
    return { '' }
  elseif field.type == 'string' then
    return vim.split(vim.json.decode(current), '\n', { plain = true })
  end
  return json.layout(current)
end

return M
