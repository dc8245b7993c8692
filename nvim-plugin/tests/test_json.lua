local json = require('pillion.json')
local MiniTest = require('mini.test')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['digits and order survive'] = function()
  local source = '{"z":1.0,"a":[12345678901234567890,-0,1e400],"m":{"b":null,"a":true}}'
  eq(json.layout(source), {
    '{',
    '  "z": 1.0,',
    '  "a": [',
    '    12345678901234567890,',
    '    -0,',
    '    1e400',
    '  ],',
    '  "m": {',
    '    "b": null,',
    '    "a": true',
    '  }',
    '}',
  })
  local node = json.read(source)
  eq(node.keys, { 'z', 'a', 'm' })
  eq(node.members.m.text, '{"b":null,"a":true}')
end

T['what is written is read again'] = function()
  for _, value in ipairs({ '', 'a/b', 'say "hi"\\', 'two\nlines\t', 'é\u{1F600}', '\1\127', ('x'):rep(5000) }) do
    local node, problem = json.read(json.quote(value))
    eq({ node and node.value, problem }, { value, nil })
    eq(vim.json.decode(json.quote(value)), value)
  end
end

T['empty containers stay on their line'] = function()
  eq(json.layout(' { "a" : [ ] , "b":{ } } '), { '{', '  "a": [],', '  "b": {}', '}' })
end

T['refuses'] = MiniTest.new_set({
  parametrize = {
    { '', 'line 1, column 1: the text ends here' },
    { '{"a":1,"a":2}', 'line 1, column 8: the name "a" stands here twice' },
    { '{"a":1,}', 'line 1, column 8: a name in quotes belongs here' },
    { '[1,\n 02]', 'line 2, column 2: this is no number' },
    { '{"a" 1}', 'line 1, column 6: a colon belongs here' },
    { '[1 2]', 'line 1, column 4: a comma or ] belongs here' },
    { 'True', 'line 1, column 1: a value belongs here' },
    { '{} x', 'line 1, column 4: nothing belongs here any more' },
    { '"abc', 'line 1, column 1: this string does not end' },
    { '"\\x"', 'line 1, column 1: this string has an escape that is none' },
    { '-', 'line 1, column 1: this is no number' },
    { ('['):rep(500), 'line 1, column 201: this is too deep' },
  },
})

T['refuses']['with the place'] = function(source, problem)
  eq({ json.read(source) }, { nil, problem })
end

T['what is no JSON is laid out as it is'] = function()
  eq(json.layout('{oops\nno'), { '{oops', 'no' })
end

return T
