-- The lines of a tool: its row in a list, its arguments, and everything about it.
-- What a tool says of itself is its connector's word, and stands as such.

local block = require('pillion.lines.block')
local form = require('pillion.form')
local text = require('pillion.text')
local words = require('pillion.words')

local M = {}

local permission_groups = { auto = 'PillionReady', deny = 'PillionOff' }

---What a call of it would meet, and whether it is there at all.
---@param tool pillion.Tool
---@return string words
---@return string group
function M.stand(tool)
  if tool.state == 'quarantined' then
    return 'malformed', 'PillionFailed'
  elseif tool.state and tool.state ~= 'on' then
    return 'off', 'PillionOff'
  elseif tool.changed and #tool.changed > 0 then
    return 'changed, asks again', 'PillionWarning'
  end
  return words.permission(tool.permission), permission_groups[tool.permission] or 'PillionWaiting'
end

---The row of a tool in a list.
---@param tool pillion.Tool
---@param name string what stands first: its name or its label
---@param names integer width of the names
---@param room integer width of the whole
---@param indent string
---@return pillion.Line
function M.row(tool, name, names, room, indent)
  local stand, group = M.stand(tool)
  local line = { indent, { block.pad(text.cut(text.visible(name), names), names), 'PillionName' }, '  ' }
  -- That it runs without a question is the rule of the list, and goes without saying.
  local tail = stand ~= words.permission('auto') and stand or ''
  local left = room - vim.fn.strdisplaywidth(indent) - names - 2 - (tail ~= '' and #tail + 2 or 0)
  local summary = tool.title and tool.summary == '' and tool.title or tool.summary
  local off = group == 'PillionOff' and 'PillionOff' or nil
  line[#line + 1] = { tail ~= '' and block.pad(block.cut(summary, left), left) or block.cut(summary, left), off }
  if tail ~= '' then
    line[#line + 1] = { '  ' .. tail, group }
  end
  return line
end

---@param field pillion.Field
---@return pillion.Line[]
local function argument(field, indent, width)
  local inner = indent .. ('  '):rep(field.depth - 1)
  local head = {
    inner,
    { block.pad(text.visible(field.name), width - 2 * (field.depth - 1)), 'PillionName' },
    { field.required and ' * ' or '   ', 'PillionRequired' },
    { form.kind(field), 'PillionType' },
  }
  if field.type == 'choice' and #field.choices > 1 then
    head[#head + 1] = { ': ' .. text.visible(form.labels(field)), 'PillionDetail' }
  end
  if field.default then
    head[#head + 1] = { '  default ' .. block.cut(field.default, 40), 'PillionDetail' }
  end
  local lines = { head }
  if field.doc then
    local below = inner .. (' '):rep(width - 2 * (field.depth - 1) + 3)
    block.append(lines, block.foreign(field.doc, below, 'PillionDetail'))
  end
  return lines
end

---The arguments that a tool takes.
---@param schemaText string?
---@param indent string
---@return pillion.Line[]
function M.arguments(schemaText, indent)
  local made = form.new(schemaText)
  if made.root.type == 'json' then
    return { { indent, { 'written as JSON: ' .. text.visible(made.root.reason or ''), 'PillionDetail' } } }
  end
  local rows = form.rows(made)
  if #rows == 0 then
    return { { indent, { 'none', 'PillionDetail' } } }
  end
  local names = vim.tbl_map(function(field)
    return ('  '):rep(field.depth - 1) .. text.visible(field.name)
  end, rows)
  local width, lines = block.widest(names, 30), {}
  for _, field in ipairs(rows) do
    block.append(lines, argument(field, indent, width))
  end
  return lines
end

---@param tool pillion.Tool
---@param lines pillion.Line[]
local function head(tool, lines)
  local stand, group = M.stand(tool)
  local line = { { stand, group }, { ('  about %s'):format(text.count(tool.tokens, 'token')), 'PillionDetail' } }
  if tool.tags and #tool.tags > 0 then
    line[#line + 1] = { '  ' .. text.visible(table.concat(tool.tags, ', ')), 'PillionDetail' }
  end
  lines[#lines + 1] = line
  local hints = {}
  for key, value in vim.spairs(tool.annotations or {}) do
    hints[#hints + 1] = ('%s: %s'):format(key, type(value) == 'string' and value or vim.json.encode(value))
  end
  if #hints > 0 then
    local claims = 'it says of itself: ' .. table.concat(hints, ', ')
    lines[#lines + 1] = { { text.visible(claims), 'PillionDetail' } }
  end
  lines[#lines + 1] = { { 'for programs: ' .. text.visible(tool.servedName), 'PillionDetail' } }
end

---Everything about a tool.
---@param tool pillion.Tool
---@param typescript? string
---@return pillion.Line[]
function M.detail(tool, typescript)
  local lines = {}
  head(tool, lines)
  if tool.changed and #tool.changed > 0 then
    lines[#lines + 1] = {}
    block.append(lines, block.section('Changed since you allowed it', nil, block.changes(tool.changed, '  ')))
  end
  local description = tool.description or tool.summary
  if description ~= '' then
    lines[#lines + 1] = {}
    block.append(lines, block.section('Description', nil, block.foreign(description, '')))
  end
  lines[#lines + 1] = {}
  block.append(lines, block.section('Arguments', nil, M.arguments(tool.inputSchemaText, '  ')))
  if typescript and typescript ~= '' then
    lines[#lines + 1] = {}
    block.append(lines, block.section('Signature', nil, block.foreign(typescript, '')))
  end
  for _, schema in ipairs({
    { 'Schema of the arguments', tool.inputSchemaText },
    { 'Schema of the result', tool.outputSchemaText },
  }) do
    if schema[2] then
      lines[#lines + 1] = {}
      block.append(lines, block.section(schema[1], nil, block.json(schema[2], ''), 2))
    end
  end
  return block.about(lines, 'tool', { kind = 'tool', tool = tool }, 'run it')
end

return M
