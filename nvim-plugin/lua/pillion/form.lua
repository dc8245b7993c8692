-- The arguments of a tool as fields to fill in, made of its input schema.
-- It shows nothing, and is no validator: what it does not understand of a schema is left to the sidecar, which checks
-- the arguments before it sends them. Values are kept as JSON text, so that their digits survive.

local json = require('pillion.json')

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

local M = {}

-- Deeper than this an object or list is written as JSON: schemas may name themselves.
local deepest = 5

---@param node pillion.Json?
---@param key string
---@return pillion.Json?
local function member(node, key)
  return node and node.members and node.members[key]
end

---@return string?
local function string_of(node, key)
  local found = member(node, key)
  return found and found.kind == 'string' and found.value --[[@as string]] or nil
end

---@param name string
---@return string
local function token(name)
  return (name:gsub('~', '~0'):gsub('/', '~1'))
end

---What a reference inside the same schema names.
---@param root pillion.Json
---@param ref string
---@return pillion.Json?
local function lookup(root, ref)
  if ref == '#' then
    return root
  elseif ref:sub(1, 2) ~= '#/' then
    return nil
  end
  local node = root ---@type pillion.Json?
  for _, part in ipairs(vim.split(ref:sub(3), '/', { plain = true })) do
    part = vim.uri_decode(part):gsub('~1', '/'):gsub('~0', '~')
    node = node and (member(node, part) or (node.items and node.items[(tonumber(part) or -1) + 1]))
  end
  return node
end

---@param node pillion.Json
---@return boolean
local function is_null(node)
  return string_of(node, 'type') == 'null' or (member(node, 'const') ~= nil and node.members.const.kind == 'null')
end

---Follows references and takes "or null" apart.
---@param root pillion.Json
---@param node pillion.Json
---@return pillion.Json? schema nil where it leads nowhere
---@return boolean nullable
local function resolve(root, node)
  local nullable = false
  for _ = 1, 20 do
    local ref = string_of(node, '$ref')
    local variants = member(node, 'anyOf') or member(node, 'oneOf')
    local all = member(node, 'allOf')
    if ref then
      local found = lookup(root, ref)
      if not found then
        return nil, nullable
      end
      node = found
    elseif all and all.items and #all.items == 1 and not member(node, 'properties') then
      node = all.items[1]
    elseif variants and variants.items and #variants.items == 2 then
      local a, b = variants.items[1], variants.items[2]
      if is_null(b) then
        node, nullable = a, true
      elseif is_null(a) then
        node, nullable = b, true
      else
        return node, nullable
      end
    else
      return node, nullable
    end
  end
  return nil, nullable -- it goes in a circle
end

---The values that a schema lists, with their names.
---@param node pillion.Json
---@return pillion.Choice[]?
local function choices_of(node)
  local const, enum = member(node, 'const'), member(node, 'enum')
  if const then
    return { { text = const.text, label = const.kind == 'string' and const.value or const.text } }
  elseif enum and enum.items and #enum.items > 0 then
    local names = member(node, 'enumNames')
    local choices = {}
    for i, item in ipairs(enum.items) do
      local name = names and names.items and names.items[i]
      local label = name and name.kind == 'string' and name.value or item.kind == 'string' and item.value or item.text
      choices[i] = { text = item.text, label = label }
    end
    return choices
  end
  local variants = member(node, 'oneOf') or member(node, 'anyOf')
  if not variants or not variants.items or #variants.items == 0 then
    return nil
  end
  local choices = {}
  for i, variant in ipairs(variants.items) do
    local value = member(variant, 'const')
    if not value then
      return nil
    end
    choices[i] = {
      text = value.text,
      label = string_of(variant, 'title') or (value.kind == 'string' and value.value) or value.text,
    }
  end
  return choices
end

---@param node pillion.Json
---@return string? type
---@return boolean nullable
local function type_of(node)
  local type = member(node, 'type')
  if not type then
    return member(node, 'properties') and 'object' or member(node, 'items') and 'array' or nil, false
  elseif type.kind == 'string' then
    return type.value, --[[@as string]]
      false
  end
  local found, nullable
  for _, item in ipairs(type.items or {}) do
    if item.value == 'null' then
      nullable = true
    elseif found then
      return nil, false
    else
      found = item.value
    end
  end
  return found, --[[@as string?]]
    nullable or false
end

-- What changes the meaning of an object or a value and has no field here.
local beyond = { 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems' }

---@param node pillion.Json
---@return string?
local function beyond_fields(node)
  for _, key in ipairs(beyond) do
    if member(node, key) then
      return 'its schema has ' .. key
    end
  end
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
  local schema, nullable = resolve(root, node)
  local field = { name = name, path = path, required = required, schema = schema or node, depth = depth }
  field.title = string_of(node, 'title') or string_of(schema, 'title')
  field.doc = string_of(node, 'description') or string_of(schema, 'description')
  local default = member(node, 'default') or member(schema, 'default')
  field.default = default and default.text
  if not schema or schema.kind ~= 'object' then
    field.type, field.reason = 'json', 'its schema leaves it open'
    return field
  end
  local type, also = type_of(schema)
  field.nullable = (nullable or also) or nil
  field.choices = choices_of(schema)
  local reason = beyond_fields(schema)
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
    return { root = root, schema = schema }
  end
  local root = build(schema, schema, '', '', true, 0)
  if root.type ~= 'object' then
    root.type, root.value = 'json', '{}'
    root.fields, root.items, root.choices = nil, nil, nil
    root.reason = root.reason or 'its schema is not that of an object'
  end
  return { root = root, schema = schema }
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

---The arguments as JSON text: exactly what is sent.
---@param form pillion.Form
---@return string
function M.text(form)
  return text_of(form.root) or '{}'
end

---@param field pillion.Field
---@param node pillion.Json
---@param form pillion.Form
---@return string? problem
local function fill(form, field, node)
  if field.type == 'object' and node.kind == 'object' then
    local known = {}
    for _, child in ipairs(field.fields) do
      known[child.name] = true
      if node.members[child.name] then
        local problem = fill(form, child, node.members[child.name])
        if problem then
          return problem
        end
      end
    end
    for _, key in ipairs(node.keys) do
      if not known[key] then
        return field.path .. '/' .. token(key) .. ' has no field'
      end
    end
  elseif field.type == 'array' and node.kind == 'array' then
    for _, item in ipairs(node.items) do
      local problem = fill(form, M.add(form, field), item)
      if problem then
        return problem
      end
    end
  elseif node.kind == 'null' and field.nullable then
    field.value = 'null'
  elseif (field.type == 'string') ~= (node.kind == 'string') and field.type ~= 'choice' and field.type ~= 'json' then
    return field.path .. ' is of another type'
  elseif field.type == 'string' then
    field.value = node.text
  else
    return M.type(field, node.text)
  end
end

---The form with these arguments filled in; where they do not fit its fields, the whole is JSON.
---@param schemaText string?
---@param argumentsText string
---@return pillion.Form
function M.filled(schemaText, argumentsText)
  local form = M.new(schemaText)
  local node, problem = json.read(argumentsText)
  problem = problem or (node and fill(form, form.root, node))
  if problem then
    form.root = {
      name = '',
      path = '',
      type = 'json',
      required = true,
      schema = form.schema,
      depth = 0,
      value = argumentsText,
      reason = problem,
    }
  end
  return form
end

---@return number?
local function limit(field, key)
  local found = member(field.schema, key)
  return found and found.kind == 'number' and tonumber(found.text) or nil
end

---@param field pillion.Field
---@return string?
local function number_fault(field)
  local n = tonumber(field.value)
  local least, most = limit(field, 'minimum'), limit(field, 'maximum')
  local above, below = limit(field, 'exclusiveMinimum'), limit(field, 'exclusiveMaximum')
  if least and n < least then
    return ('it is below %s'):format(field.schema.members.minimum.text)
  elseif most and n > most then
    return ('it is above %s'):format(field.schema.members.maximum.text)
  elseif above and n <= above then
    return ('it is not above %s'):format(field.schema.members.exclusiveMinimum.text)
  elseif below and n >= below then
    return ('it is not below %s'):format(field.schema.members.exclusiveMaximum.text)
  end
end

---@param field pillion.Field
---@return string?
local function string_fault(field)
  local length = vim.fn.strchars(vim.json.decode(field.value))
  local least, most = limit(field, 'minLength'), limit(field, 'maxLength')
  if least and length < least then
    return ('it has %d characters and needs %d'):format(length, least)
  elseif most and length > most then
    return ('it has %d characters and may have %d'):format(length, most)
  end
end

---@param field pillion.Field
---@return string?
local function array_fault(field)
  local least, most = limit(field, 'minItems'), limit(field, 'maxItems')
  if least and #field.items < least and (field.required or #field.items > 0) then
    return ('it has %d items and needs %d'):format(#field.items, least)
  elseif most and #field.items > most then
    return ('it has %d items and may have %d'):format(#field.items, most)
  end
end

---What is wrong before anything is sent: what is missing, and what is plainly outside of the schema.
---@param form pillion.Form
---@return pillion.Fault[]
function M.faults(form)
  local faults = {}
  local function say(field, message)
    if message then
      faults[#faults + 1] = { path = field.path, message = message }
    end
  end
  local function check(field)
    local value = field.value
    if field.type == 'object' then
      -- An optional object of which nothing is filled in is left out, and so needs nothing.
      if text_of(field) then
        vim.tbl_map(check, field.fields)
      end
    elseif field.type == 'array' then
      say(field, array_fault(field))
      vim.tbl_map(check, field.items)
    elseif not value then
      say(field, field.required and 'it is required' or nil)
    elseif value == 'null' then
      return
    elseif field.type == 'string' then
      say(field, string_fault(field))
    elseif field.type == 'integer' or field.type == 'number' then
      say(field, number_fault(field))
    end
  end
  check(form.root)
  return faults
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
