local faults = require('pillion.faults')
local form = require('pillion.form')
local MiniTest = require('mini.test')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local schema = [[{
  "type": "object",
  "properties": {
    "zone": { "type": "string", "description": "where", "maxLength": 4 },
    "count": { "type": "integer", "minimum": 1, "maximum": 9, "default": 3 },
    "loud": { "type": "boolean" },
    "mood": { "enum": ["calm", "wild", 3] },
    "size": { "oneOf": [{ "const": 1, "title": "small" }, { "const": 2, "title": "large" }] },
    "maybe": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
    "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
    "place": { "$ref": "#/$defs/place" },
    "tree": { "$ref": "#/$defs/tree" },
    "odd": { "type": "string", "not": { "const": "x" } },
    "free": { "type": "object", "additionalProperties": true },
    "any": true
  },
  "required": ["zone", "count"],
  "$defs": {
    "place": { "type": "object", "properties": { "x/y": { "type": "number" } }, "required": ["x/y"] },
    "tree": { "type": "object", "properties": { "child": { "$ref": "#/$defs/tree" } } }
  }
}]]

local function field(made, path)
  for _, found in ipairs(form.rows(made)) do
    if found.path == path then
      return found
    end
  end
  error('no field ' .. path)
end

local function types(made)
  local found = {}
  for _, row in ipairs(form.rows(made)) do
    found[#found + 1] = row.path .. ' ' .. form.kind(row)
  end
  return found
end

T['fields stand in the order of the schema'] = function()
  eq(types(form.new(schema)), {
    '/zone string',
    '/count integer',
    '/loud boolean',
    '/mood choice',
    '/size choice',
    '/maybe number or null',
    '/tags list',
    '/place object',
    '/place/x~1y number',
    '/tree object',
    '/tree/child object',
    '/tree/child/child object',
    '/tree/child/child/child object',
    '/tree/child/child/child/child object',
    '/tree/child/child/child/child/child JSON',
    '/odd JSON',
    '/free JSON',
    '/any JSON',
  })
end

T['what is left out is not sent, and digits are'] = function()
  local made = form.new(schema)
  eq(form.text(made), '{}')
  eq(form.type(field(made, '/zone'), 'a "b"'), nil)
  eq(form.type(field(made, '/count'), ' 5 '), nil)
  eq(form.type(field(made, '/maybe'), '12345678901234567890.10'), nil)
  eq(form.type(field(made, '/mood'), 'wild'), nil)
  eq(form.type(field(made, '/size'), 'large'), nil)
  eq(form.type(form.add(made, field(made, '/tags')), 'x'), nil)
  eq(form.type(field(made, '/place/x~1y'), '1e2'), nil)
  local sent = '{"zone":"a \\"b\\"","count":5,"mood":"wild","size":2,"maybe":12345678901234567890.10,'
    .. '"tags":["x"],"place":{"x/y":1e2}}'
  eq(form.text(made), sent)
  eq(form.text(form.filled(schema, sent)), sent)
end

T['takes'] = MiniTest.new_set({
  parametrize = {
    { '/count', '5', '5' },
    { '/count', '5.0', '5.0' },
    { '/count', '', '(left out)' },
    { '/count', '5.5', '(left out)', 'a whole number belongs here' },
    { '/count', '0x10', '(left out)', 'a number belongs here' },
    { '/count', '05', '(left out)', 'a number belongs here' },
    { '/count', 'NaN', '(left out)', 'a number belongs here' },
    { '/loud', 'true', 'true' },
    { '/loud', 'yes', '(left out)', 'true or false belongs here' },
    { '/mood', '3', '3' },
    { '/mood', 'other', '(left out)', 'one of these belongs here: calm, wild, 3' },
    { '/maybe', 'null', 'null' },
    { '/zone', '', '""' },
    { '/zone', 'null', '"null"' },
    { '/any', '[1, 2', '(left out)', 'line 1, column 6: a comma or ] belongs here' },
    { '/any', '[1, 2.50]', '[1, 2.50]' },
  },
})

T['takes']['what a person types'] = function(path, typed, value, problem)
  local made = form.new(schema)
  eq(form.type(field(made, path), typed), problem)
  eq(field(made, path).value or '(left out)', value)
end

T['names what is wrong by its path'] = function()
  local made = form.new(schema)
  local function found()
    return vim.tbl_map(function(fault)
      return fault.path .. ' ' .. fault.message
    end, faults.of(made))
  end
  eq(found(), { '/zone it is required', '/count it is required' })
  form.type(field(made, '/zone'), 'äöüßx')
  form.type(field(made, '/count'), '10')
  for _ = 1, 3 do
    form.type(form.add(made, field(made, '/tags')), 'x')
  end
  eq(found(), {
    '/zone it has 5 characters and may have 4',
    '/count it is above 9',
    '/tags it has 3 items and may have 2',
  })
end

T['an item is taken out, and the others move up'] = function()
  local made = form.new(schema)
  local tags = field(made, '/tags')
  for _, value in ipairs({ 'a', 'b', 'c' }) do
    form.type(form.add(made, tags), value)
  end
  form.clear(made, field(made, '/tags/1'))
  eq(form.text(made), '{"tags":["a","c"]}')
  eq({ tags.items[2].path, tags.items[2].name }, { '/tags/1', '2' })
  form.clear(made, tags)
  eq(form.text(made), '{}')
end

T['falls back to JSON'] = MiniTest.new_set({
  parametrize = {
    { 'true', 'its schema leaves it open' },
    { '{"type":"array","items":{"type":"string"}}', 'its schema is not that of an object' },
    { '{"type":"object","properties":{"a":{}},"oneOf":[{"required":["a"]}]}', 'its schema has oneOf' },
    { '{"type":"object","additionalProperties":{"type":"string"}}', 'its names are free' },
    { '{', 'its schema is no JSON: line 1, column 2: a name in quotes belongs here' },
    { '{"$ref":"#"}', 'its schema leaves it open' },
    { '{"$ref":"https://elsewhere/x"}', 'its schema leaves it open' },
  },
})

T['falls back to JSON']['and says why'] = function(source, reason)
  local made = form.new(source)
  eq({ made.root.type, made.root.reason, form.text(made) }, { 'json', reason, '{}' })
  eq(form.type(made.root, '[1]'), 'an object belongs here')
  eq(form.type(made.root, '{"n": 1.0}'), nil)
  eq(form.text(made), '{"n": 1.0}')
end

T['arguments without a field are kept as JSON'] = function()
  local made = form.filled(schema, '{"zone":"a","new":1.00}')
  eq({ made.root.type, made.root.reason }, { 'json', '/new: it has no field' })
  eq(form.text(made), '{"zone":"a","new":1.00}')
end

T['no schema and no properties mean no arguments'] = function()
  for _, source in ipairs({ '{"type":"object"}', '{"type":"object","properties":{}}' }) do
    eq(form.rows(form.new(source)), {})
    eq(form.text(form.new(source)), '{}')
  end
  eq(form.rows(form.new(nil)), {})
end

T['arguments that somebody wrote are checked'] = MiniTest.new_set({
  parametrize = {
    { '{"zone":5,"count":1}', '/zone: string belongs here' },
    { '{"zone":"a","count":"1"}', '/count: integer belongs here' },
    { '{"zone":"a","count":1.5}', '/count: a whole number belongs here' },
    { '{"zone":"a"}', '/count: it is required' },
    { '{"zone":"a","count":1,"tags":"x"}', '/tags: list belongs here' },
    { '[]', ': an object belongs here' },
    { '{"zone":"a","count":1', ': line 1, column 22: a comma or } belongs here' },
    { '{"zone":"a","count":1,"else":1}', 'nothing' },
    { '{"zone":"a","count":1,"any":{"n":1}}', 'nothing' },
  },
})

T['arguments that somebody wrote are checked']['against the fields'] = function(arguments, expected)
  local fault = faults.of((form.filled(schema, arguments)))[1]
  eq(fault and fault.path .. ': ' .. fault.message or 'nothing', expected)
end

T['what a schema refuses is refused'] = function()
  local closed = '{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}'
  eq(faults.of((form.filled(closed, '{"b":1}'))), {
    { path = '/b', message = 'there is no such argument', is_free = false },
  })
end

return T
