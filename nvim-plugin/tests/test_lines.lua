local MiniTest = require('mini.test')
local connectors = require('pillion.lines.connectors')
local faults = require('pillion.faults')
local form = require('pillion.form')
local form_lines = require('pillion.lines.form')
local result = require('pillion.lines.result')
local tool_lines = require('pillion.lines.tool')
local view = require('pillion.view')
local words = require('pillion.words')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local function texts(lines)
  return vim.tbl_map(function(line)
    return (view.text(line):gsub('%s+$', ''))
  end, lines)
end

local function connector(name, state, more)
  return vim.tbl_extend('force', {
    id = name,
    name = name,
    state = state,
    source = 'user',
    transport = 'stdio',
    tools = 0,
    resources = 0,
    prompts = 0,
    tokens = 0,
    generation = 0,
    processes = {},
  }, more or {})
end

local function facts(more)
  return vim.tbl_extend('force', {
    client = { state = 'running' },
    connectors = {},
    calls = {},
    progress = {},
    opened = {},
    offers = {},
    width = 80,
  }, more or {})
end

T['U6 every state has its words and one first action'] = function()
  local seen = {}
  for _, state in ipairs({
    'waiting',
    'denied',
    'disabled',
    'starting',
    'ready',
    'idle',
    'login',
    'failed',
    'stopping',
    'novel',
  }) do
    local found = words.state(connector('x', state))
    seen[#seen + 1] = ('%s: %s, %s'):format(state, found.words, found.hint)
  end
  eq(seen, {
    'waiting: needs permission, review and allow',
    'denied: blocked by you, take the block back',
    'disabled: disabled, switch on',
    'starting: starting, follow its log',
    'ready: ready, show what it offers',
    'idle: ready, starts on use, show what it offers',
    'login: sign in, start it again',
    'failed: does not run, start it again',
    'stopping: stopping, start it again',
    'novel: novel, ask why',
  })
end

T['connectors stand with their problems and steps'] = function()
  local lines = connectors.lines(facts({
    mode = 'plan',
    calls = { { callId = '1', tool = 'demo.slow_count', state = 'running', at = '' } },
    progress = { ['1'] = '3 of 10' },
    connectors = {
      connector('demo', 'ready', { tools = 6, tokens = 512 }),
      connector('github', 'waiting', { source = 'project', root = 'file:///home/me/shop' }),
      connector('broken', 'failed', {
        problem = {
          kind = 'program',
          reason = 'There is no program no-such.',
          steps = { 'Install no-such.', 'Start it again.' },
        },
      }),
      connector('off', 'disabled', { disabledBy = { 'user' } }),
      connector('slow', 'starting', { phase = 'downloading, first run' }),
    },
  }))
  eq(texts(lines), {
    ' Plan mode: only tools that only read may run.',
    ' » demo.slow_count  3 of 10',
    '',
    ' ▸ demo    ready                6 tools, ~512 tokens, yours',
    ' ▸ github  needs permission     of shop',
    ' ▸ broken  does not run         yours',
    '    There is no program no-such.',
    '    1. Install no-such.',
    '    2. Start it again.',
    ' ▸ off     switched off by you  yours',
    ' ▸ slow    starting             yours',
    '    downloading, first run',
  })
  eq(lines[7].item.connector.name, 'broken')
end

T['an opened connector shows what it offers'] = function()
  local schema = '{"type":"object","properties":{"name":{"type":"string","description":"which"}},"required":["name"]}'
  local tools = {
    { id = 't1', name = 'list', summary = 'Lists.', permission = 'auto', tokens = 5, inputSchemaText = schema },
    { id = 't2', name = 'write', summary = ('Writes much. '):rep(9), permission = 'ask', tokens = 5 },
    { id = 't3', name = 'gone', summary = 'Is off.', permission = 'auto', state = 'off', tokens = 5 },
  }
  local lines = connectors.lines(facts({
    width = 70,
    opened = { ['connector:demo'] = true, ['tool:t1'] = true },
    offers = {
      demo = {
        tools = tools,
        resources = { { connector = 'demo', uri = 'note:///a', name = 'a' } },
        prompts = { { connector = 'demo', name = 'greet', description = 'Greets.', arguments = {} } },
      },
    },
    connectors = { connector('demo', 'ready', { tools = 3, generation = 1, uri = 'file:///etc/mcp.json' }) },
  }))
  eq(texts(lines), {
    ' ▾ demo  ready  3 tools, yours',
    '    in        /etc/mcp.json',
    '    Tools',
    '    ▾ list   Lists.',
    '        name * string',
    '               which',
    '      write  Writes much. Writes much. Writes much. Writes muc…  asks',
    '      gone   Is off.                                              off',
    '    Resources',
    '      a  note:///a',
    '    Prompts',
    '      greet  Greets.',
  })
end

T['U24 the first run offers what was found'] = function()
  local lines = connectors.lines(facts({
    found = {
      { uri = 'file:///a', format = 'cursor', names = { 'x', 'y' } },
      { uri = 'file:///b', format = 'zed', names = {}, problem = 'broken' },
    },
  }))
  eq(texts(lines), {
    ' There are no connectors yet: none in .mcp.json here, none in your own mcp.json.',
    '',
    '   Import        2 connectors in 1 file of other programs',
    '   Add           one of your own, or of this folder',
    '   Try the demo  a small connector that is part of Pillion',
  })
end

T['where Pillion does not run the way back is said'] = function()
  local lines = connectors.lines(facts({
    client = { state = 'failed', reason = 'there is no program pillion', steps = { '1. Install pillion.' } },
  }))
  eq(texts(lines), { ' Pillion does not run.', ' there is no program pillion', ' 1. Install pillion.' })
  eq(lines[1].item.action, 'restart')
end

T['a form shows its fields, faults and what is sent'] = function()
  local made = form.new([[{"type":"object","properties":{
    "name":{"type":"string","description":"a name\nof two lines"},
    "size":{"enum":["s","m"],"default":"m"},
    "at":{"type":"object","properties":{"x":{"type":"number"}}},
    "any":true},"required":["name"]}]])
  form.type(form.at(made, '/at/x'), '1.50')
  local tool = { summary = 'Does it.', inputSchemaText = '' }
  local lines = form_lines.lines(made, tool, faults.of(made))
  eq(texts(lines), {
    ' Does it.',
    '',
    ' name * string',
    '        /name: it is required',
    '        a name',
    '        of two lines',
    ' size   choice  default "m"',
    ' at     object',
    '   x    number  1.50',
    ' any    JSON',
    '        written as JSON: its schema leaves it open',
    '',
    ' [ Run ]  sends',
    ' {',
    '   "at": {',
    '     "x": 1.50',
    '   }',
    ' }',
  })
end

T['results'] = MiniTest.new_set({
  parametrize = {
    { 'cancelled', false, 'cancelled\nNothing ran.' },
    { 'cancelled', true, 'cancelled\nIt may have run: look before you call it again.' },
    { 'timeout', true, 'no answer in time\nIt may have run: look before you call it again.' },
    { 'declined', false, 'declined\nNothing ran.' },
    {
      'novel',
      true,
      'ended as "novel", which this plugin does not know; look before you call again\n'
        .. 'It may have run: look before you call it again.',
    },
    { 'ok', false, 'done  <1 ms' },
    { 'toolError', true, 'did not succeed  <1 ms' },
  },
})

T['results']['say truthfully whether it ran'] = function(status, may, expected)
  local lines = result.lines({ status = status, mayHaveRun = may, attachments = {}, durationMs = 0 })
  eq(table.concat(texts(lines), '\n'), expected)
end

T['a result has its parts as sections'] = function()
  local lines = result.lines({
    status = 'ok',
    mayHaveRun = true,
    durationMs = 1234,
    allowed = { by = 'answer' },
    text = 'one\ntwo\n',
    truncated = true,
    structuredText = '{"n":1.0}',
    attachments = { { uri = 'file:///tmp/a.png', mimeType = 'image/png', bytes = 2048, name = 'chart' } },
  }, { label = 'demo.chart', argumentsText = '{}' })
  eq(texts(lines), {
    'done  1.2 s  allowed: you allowed this call',
    '',
    'Text  2 lines',
    'one',
    'two',
    'Only the beginning is shown.',
    '',
    'Attachments',
    '  chart  image/png, 2.0 KiB',
    '  /tmp/a.png',
    '',
    'Structured  3 lines',
    '{',
    '  "n": 1.0',
    '}',
    '',
    'Arguments  as they were sent',
    '{}',
  })
  eq({ lines[3].folds, lines[4].fold, lines[9].hint }, { true, 1, 'open the picture' })
end

---The texts of the pieces of a group.
local function of_group(lines, group)
  local found = {}
  for _, line in ipairs(lines) do
    for _, chunk in ipairs(line) do
      if type(chunk) == 'table' and chunk[2] == group then
        found[#found + 1] = chunk[1]
      end
    end
  end
  return found
end

T['S17 what is hidden is set off on every page'] = function()
  local hidden = 'a\u{202e}b'
  local lines = result.lines({
    status = 'ok',
    mayHaveRun = false,
    durationMs = 0,
    text = hidden,
    structuredText = '{"' .. hidden .. '": ["' .. hidden .. '", 1.50, true]}',
    attachments = {},
  })
  eq(of_group(lines, 'PillionHidden'), { '\\u{202e}', '\\u{202e}', '\\u{202e}' })
  eq(of_group(lines, 'Number'), { '1.50' })
  eq(of_group(lines, 'Boolean'), { 'true' })
end

T['a difference stands the same on every page, and what is long is laid out'] = function()
  local changes = {
    { path = '/args', before = '["demo"]', after = '["demo","--other"]' },
    { path = '', before = '', after = '{"command":"a program with a name that is long","args":["one","two"]}' },
  }
  local expected = {
    '/args',
    '- ["demo"]',
    '+ ["demo","--other"]',
    '/',
    '+ {',
    '+   "command": "a program with a name that is long",',
    '+   "args": [',
    '+     "one",',
    '+     "two"',
    '+   ]',
    '+ }',
  }
  local tool = { summary = '', tokens = 1, permission = 'ask', servedName = 'x', changed = changes }
  local detail = texts(tool_lines.detail(tool))
  local asked = texts(require('pillion.lines.question').new():changes('what changed', changes).lines)
  for i, line in ipairs(expected) do
    eq({ detail[i + 4], asked[i + 1] }, { '  ' .. line, '│ ' .. line })
  end
end

T['S17 S23 nothing of a connector hides or moves text'] = function()
  local evil = 'a\27[31m\u{202e}b\u{200b}\u{e0041}\rc'
  local shown = {}
  vim.list_extend(
    shown,
    texts(result.lines({
      status = 'ok',
      mayHaveRun = false,
      durationMs = 0,
      text = evil,
      structuredText = '{"' .. evil:gsub('[\27\r]', '') .. '":"' .. evil:gsub('[\27\r]', '') .. '"}',
      attachments = { { uri = 'file:///x', mimeType = evil, bytes = 1, name = evil } },
    }))
  )
  local tool =
    { id = evil, name = evil, summary = evil, permission = 'ask', tokens = 1, servedName = evil, title = evil }
  vim.list_extend(shown, texts({ tool_lines.row(tool, tool.name, 60, 200, '') }))
  vim.list_extend(shown, texts(tool_lines.detail(tool, evil)))
  vim.list_extend(
    shown,
    texts(connectors.lines(facts({
      connectors = {
        connector(evil, 'failed', {
          phase = evil,
          warnings = { evil },
          problem = { kind = 'exited', reason = evil, steps = { evil } },
        }),
      },
      calls = { { callId = '1', tool = evil, state = 'running', at = '' } },
      progress = { ['1'] = evil },
    })))
  )
  local all = table.concat(shown, '\n')
  for _, hidden in ipairs({ '\27', '\r', '\u{202e}', '\u{200b}', '\u{e0041}' }) do
    eq(all:find(hidden, 1, true), nil)
  end
  eq(all:find('\\u{202e}', 1, true) ~= nil, true)
end

T['S17 what Pillion made visible stands as it is, and a line end in a name is seen'] = function()
  local server = { name = 'x\\u{1b}', version = '1', protocolVersion = '2025-11-25' }
  local problem = { reason = 'it said \\u{7}', steps = { 'Look at \\u{7}.' } }
  local one =
    connector('a\nb', 'failed', { server = server, problem = problem, warnings = { 'odd \\u{a}' }, generation = 1 })
  local row = { id = 't', name = 'na\nme', summary = '', label = 'x', permission = 'ask' }
  local found = table.concat(
    texts(connectors.lines(facts({
      connectors = { one },
      opened = { ['connector:a\nb'] = true },
      offers = { ['a\nb'] = { tools = { row } } },
    }))),
    '\n'
  )
  for _, part in ipairs({
    'a\\u{a}b',
    'x\\u{1b} 1, MCP',
    'it said \\u{7}',
    'Look at \\u{7}.',
    'odd \\u{a}',
    'na\\u{a}me',
  }) do
    eq({ part, found:find(part, 1, true) ~= nil }, { part, true })
  end
  eq(found:find('\\\\u{', 1, true), nil)
end

return T
