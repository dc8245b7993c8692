-- The arguments of a tool as fields to fill in, made of its input schema.
-- It shows nothing, and is no validator: what it does not understand of a schema is left to the sidecar, which checks
-- the arguments before it sends them. Values are kept as JSON text, so that their digits survive.

local json = require('pillion.json')
local schema_of = require('pillion.schema')

local member, string_of = schema_of.member, schema_of.string_of

---@alias pillion.FieldType "string"|"integer"|"number"|"boolean"|"choice"|"object"|"array"|"json"

---@class (exact) pillion.Choice
---@field text string the value as JSON text
---@field label string

---@class (exact) pillion.Field
---@field name string as the schema has it; of an item its number; empty for the whole
---@field path string where it is in the arguments, as a JSON pointer
---@field type pillion.FieldType
---@field required boolean
---@field schema pillion.Json
---@field nullable? boolean
---@field title? string
---@field doc? string
---@field default? string as JSON text; told, never sent
---@field choices? pillion.Choice[]
---why it is filled in as JSON: what of the schema has no field
---@field reason? string
---what it is, as JSON text; absent: it is left out
---@field value? string
---@field fields? pillion.Field[] of an object
---@field items? pillion.Field[] of an array
---@field element? pillion.Json schema of an array's items
---@field depth integer

---@class (exact) pillion.Fault
---@field path string
---@field message string
---whether the schema allows it all the same: it only has no field
---@field is_free? boolean

local M = {}

-- Deeper than this an object or list is written as JSON: schemas may name themselves.
local deepest = 5

---@param name string
---@return string
local function token(name)
  return (name:gsub('~', '~0'):gsub('/', '~1'))
end

local build

---@param field pillion.Field
---@param root pillion.Json
local function build_object(field, root)
  local properties = member(field.schema, 'properties')
  if not properties or not properties.keys or #properties.keys == 0 then
    if field.path ~= '' or (member(field.schema, 'additionalProperties') or {}).kind == 'object' then
      field.type, field.reason = 'json', 'its names are free'
    else
      field.fields = {}
    end
    return
  end
  local required = {}
  for _, item in ipairs((member(field.schema, 'required') or {}).items or {}) do
    required[item.value] = true
  end
  field.fields = {}
  for _, name in ipairs(properties.keys) do
    local path = field.path .. '/' .. token(name)
    local child = build(root, properties.members[name], name, path, required[name] or false, field.depth + 1)
    field.fields[#field.fields + 1] = child
  end
end

---@param root pillion.Json
---@param node pillion.Json
---@param name string
---@param path string
---@param required boolean
---@param depth integer
---@return pillion.Field
function build(root, node, name, path, required, depth)
  local schema, nullable = schema_of.resolve(root, node)
  local field = { name = name, path = path, required = required, schema = schema or node, depth = depth }
  field.title = string_of(node, 'title') or string_of(schema, 'title')
  field.doc = string_of(node, 'description') or string_of(schema, 'description')
  local default = member(node, 'default') or member(schema, 'default')
  field.default = default and default.text
  if not schema or schema.kind ~= 'object' then
    field.type, field.reason = 'json', 'its schema leaves it open'
    return field
  end
  local type, also = schema_of.type(schema)
  field.nullable = (nullable or also) or nil
  field.choices = schema_of.choices(schema)
  local reason = schema_of.beyond(schema)
  if field.choices then
    field.type = 'choice'
  elseif reason then
    field.type, field.reason = 'json', reason
  elseif type == 'string' or type == 'integer' or type == 'number' or type == 'boolean' then
    field.type = type --[[@as pillion.FieldType]]
  elseif depth > deepest then
    field.type, field.reason = 'json', 'it is nested deeply'
  elseif type == 'object' then
    field.type = 'object'
    build_object(field, root)
  elseif type == 'array' and (member(schema, 'items') or {}).kind == 'object' then
    field.type, field.items, field.element = 'array', {}, schema.members.items
  else
    field.type, field.reason = 'json', 'its schema leaves it open'
  end
  return field
end

---@class (exact) pillion.Form
---@field root pillion.Field of the type object, or json where there are no fields
---@field schema pillion.Json
---@field schemaText? string

---The form of a schema. Where the schema has no fields that this could show, the whole is one field of JSON, whose
---reason says why.
---@param schemaText string?
---@return pillion.Form
function M.new(schemaText)
  local schema, problem = json.read(schemaText or '{"type":"object"}')
  if not schema then
    schema = { kind = 'object', text = '{}', keys = {}, members = {} }
    local root = { name = '', path = '', type = 'json', required = true, schema = schema, depth = 0 }
    root.reason = 'its schema is no JSON: ' .. problem
    root.value = '{}'
    return { root = root, schema = schema, schemaText = schemaText }
  end
  local root = build(schema, schema, '', '', true, 0)
  if root.type ~= 'object' then
    root.type, root.value = 'json', '{}'
    root.fields, root.items, root.choices = nil, nil, nil
    root.reason = root.reason or 'its schema is not that of an object'
  end
  return { root = root, schema = schema, schemaText = schemaText }
end

---The fields in the order in which they are shown, without the whole.
---@param form pillion.Form
---@return pillion.Field[]
function M.rows(form)
  local rows = {}
  local function walk(field)
    for _, child in ipairs(field.fields or field.items or {}) do
      rows[#rows + 1] = child
      walk(child)
    end
  end
  if form.root.type == 'json' then
    return { form.root }
  end
  walk(form.root)
  return rows
end

---The field at a path, or the nearest that it lies in.
---@param form pillion.Form
---@param path string
---@return pillion.Field?
function M.at(form, path)
  local best
  for _, field in ipairs(M.rows(form)) do
    local inside = path == field.path or vim.startswith(path, field.path .. '/')
    if inside and (not best or #field.path > #best.path) then
      best = field
    end
  end
  return best
end

---Adds an item to an array.
---@param form pillion.Form
---@param field pillion.Field
---@return pillion.Field
function M.add(form, field)
  local n = #field.items
  local item = build(form.schema, field.element, tostring(n + 1), field.path .. '/' .. n, true, field.depth + 1)
  field.items[n + 1] = item
  return item
end

---Gives the items of an array, and what is in them, the names of their places.
---@param field pillion.Field
local function renumber(field)
  local function move(child, from, to)
    child.path = to .. child.path:sub(#from + 1)
    for _, grandchild in ipairs(child.fields or child.items or {}) do
      move(grandchild, from, to)
    end
  end
  for i, item in ipairs(field.items) do
    item.name = tostring(i)
    move(item, item.path, field.path .. '/' .. (i - 1))
  end
end

---Leaves a field out again; an item of an array is taken out of it.
---@param form pillion.Form
---@param field pillion.Field
function M.clear(form, field)
  for _, other in ipairs(M.rows(form)) do
    for i, item in ipairs(other.items or {}) do
      if item == field then
        table.remove(other.items, i)
        renumber(other)
        return
      end
    end
  end
  field.value = field == form.root and '{}' or nil
  if field.items then
    field.items = {}
  end
  for _, child in ipairs(field.fields or {}) do
    M.clear(form, child)
  end
end

---@param text string
---@return string? problem
local function number_problem(field, text)
  local node = json.read(text)
  if not node or node.kind ~= 'number' then
    return 'a number belongs here'
  elseif field.type == 'integer' and not text:match('^-?%d+$') and not text:match('^-?%d+%.0+$') then
    return 'a whole number belongs here'
  end
end

---Takes what a person typed for a field.
---@param field pillion.Field
---@param typed string
---@return string? problem nothing was changed
function M.type(field, typed)
  if field.type == 'string' then
    field.value = json.quote(typed)
    return nil
  end
  typed = vim.trim(typed)
  if typed == '' then
    field.value = nil
    return nil
  end
  if field.nullable and typed == 'null' then
    field.value = 'null'
    return nil
  elseif field.type == 'integer' or field.type == 'number' then
    local problem = number_problem(field, typed)
    if problem then
      return problem
    end
  elseif field.type == 'boolean' then
    if typed ~= 'true' and typed ~= 'false' then
      return 'true or false belongs here'
    end
  elseif field.type == 'choice' then
    for _, choice in ipairs(field.choices) do
      if choice.text == typed or choice.label == typed then
        field.value = choice.text
        return nil
      end
    end
    return 'one of these belongs here: ' .. M.labels(field)
  else
    local node, problem = json.read(typed)
    if not node then
      return problem
    elseif field.path == '' and node.kind ~= 'object' then
      return 'an object belongs here'
    end
  end
  field.value = typed
end

---The names of the values that a field may have, as people list them.
---@param field pillion.Field
---@return string
function M.labels(field)
  return table.concat(
    vim.tbl_map(function(choice)
      return choice.label
    end, field.choices),
    ', '
  )
end

---@param field pillion.Field
---@return string? nil: it is left out
local function text_of(field)
  if field.value then
    return field.value
  end
  local parts = {}
  if field.type == 'object' then
    for _, child in ipairs(field.fields) do
      local text = text_of(child)
      if text then
        parts[#parts + 1] = json.quote(child.name) .. ':' .. text
      end
    end
    if #parts == 0 and not field.required then
      return nil
    end
    return '{' .. table.concat(parts, ',') .. '}'
  elseif field.type == 'array' then
    for _, item in ipairs(field.items) do
      parts[#parts + 1] = text_of(item) or 'null'
    end
    if #parts == 0 and not field.required then
      return nil
    end
    return '[' .. table.concat(parts, ',') .. ']'
  end
end

---Whether anything of a field is sent.
---@param field pillion.Field
---@return boolean
function M.is_sent(field)
  return text_of(field) ~= nil
end

---The arguments as JSON text: exactly what is sent.
---@param form pillion.Form
---@return string
function M.text(form)
  return text_of(form.root) or '{}'
end

---@param form pillion.Form
---@param field pillion.Field
---@param node pillion.Json
---@return pillion.Fault? misfit what does not fit the field
local function fill(form, field, node)
  if field.type == 'object' and node.kind == 'object' then
    local known = {}
    for _, child in ipairs(field.fields) do
      known[child.name] = true
      local misfit = node.members[child.name] and fill(form, child, node.members[child.name])
      if misfit then
        return misfit
      end
    end
    for _, key in ipairs(node.keys) do
      if not known[key] then
        local is_free = (member(field.schema, 'additionalProperties') or {}).value ~= false
        local message = is_free and 'it has no field' or 'there is no such argument'
        return { path = field.path .. '/' .. token(key), message = message, is_free = is_free }
      end
    end
  elseif field.type == 'array' and node.kind == 'array' then
    for _, item in ipairs(node.items) do
      local misfit = fill(form, M.add(form, field), item)
      if misfit then
        return misfit
      end
    end
  elseif node.kind == 'null' and field.nullable then
    field.value = 'null'
  elseif field.type == 'string' and node.kind == 'string' then
    field.value = node.text
  elseif (field.type == 'string' or node.kind == 'string') and field.type ~= 'choice' and field.type ~= 'json' then
    return { path = field.path, message = ('%s belongs here'):format(M.kind(field)) }
  else
    local problem = M.type(field, node.text)
    return problem and { path = field.path, message = problem } or nil
  end
end

---The form with these arguments filled in; where they do not fit its fields, the whole is JSON.
---@param schemaText string?
---@param argumentsText string
---@return pillion.Form form
---@return pillion.Fault? misfit why the whole is JSON
function M.filled(schemaText, argumentsText)
  local form = M.new(schemaText)
  local node, problem = json.read(argumentsText)
  local misfit = problem and { path = '', message = problem } or node and fill(form, form.root, node)
  if misfit then
    form.root = {
      name = '',
      path = '',
      type = 'json',
      required = true,
      schema = form.schema,
      depth = 0,
      value = argumentsText,
      reason = misfit.path == '' and misfit.message or ('%s: %s'):format(misfit.path, misfit.message),
    }
  end
  return form, misfit
end

---What is expected of a field, in words.
---@param field pillion.Field
---@return string
function M.kind(field)
  local words = field.type --[[@as string]]
  if field.type == 'choice' then
    words = #field.choices == 1 and 'always ' .. field.choices[1].label or 'choice'
  elseif field.type == 'json' then
    words = 'JSON'
  elseif field.type == 'array' then
    words = 'list'
  end
  return field.nullable and words .. ' or null' or words
end

return M
