-- Decisions over values: text made visible, options, the words of the status line.
local h = require('helpers')
local MiniTest = require('mini.test')
local T = MiniTest.new_set()
local options = require('pillion.options')
local statusline = require('pillion.statusline')
local text = require('pillion.text')

T['S17 nothing is hidden'] = MiniTest.new_set({
  parametrize = {
    { 'plain text: [1] {2}', 'plain text: [1] {2}' },
    { 'grün ✓ 日本', 'grün ✓ 日本' },
    { 'a\27[31mb', 'a\\u{1b}[31mb' },
    { 'a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}' },
    { 'a\u{202e}b', 'a\\u{202e}b' },
    { 'a\u{200b}b', 'a\\u{200b}b' },
    { 'a\u{e0041}b', 'a\\u{e0041}b' },
    { 'a\u{a0}b\u{3000}', 'a\\u{a0}b\\u{3000}' },
    { 'a\255b\192\128', 'a\\u{ff}b\\u{c0}\\u{80}' },
    { 'a\237\160\128', 'a\\u{d800}' },
    { '\\u{41}', '\\\\u{41}' },
    { '\\n \\', '\\n \\' },
    { 'a\0b', 'a\\u{0}b' },
  },
})

T['S17 nothing is hidden']['in'] = function(given, want)
  h.equal(text.visible(given), want)
end

T['S17 what Pillion has made visible is not made visible twice'] = function()
  h.equal(text.shown('server "x\\u{1b}" ended'), 'server "x\\u{1b}" ended')
  h.equal(text.shown('a\27b'), 'a\\u{1b}b')
end

T['only UTF-8 is sent'] = MiniTest.new_set({
  parametrize = {
    { 'plain', true },
    { '', true },
    { 'grün ✓ 日本 \u{1f600}', true },
    { 'a\255', false },
    { '\192\128', false },
    { '\237\160\128', false },
    { 'ab\195', false },
  },
})

T['only UTF-8 is sent']['of'] = function(given, want)
  h.equal(text.is_utf8(given), want)
end

T['S23 a status line has no commands of others'] = function()
  h.equal(text.statusline('%{system("x")} 100%'), '%%{system("x")} 100%%')
end

T['quotes are not left'] = function()
  h.equal(text.quoted('a" b'), '"a\\u{22} b"')
end

T['marks are those of hidden characters alone'] = function()
  local line = text.visible('a\u{202e}b\\u{41}')
  h.equal(text.marks(line), { { 1, 9 } })
end

T['lines keep their tabs'] = function()
  h.equal(text.lines('a\r\n\tb\27\n'), { 'a', '\tb\\u{1b}' })
end

T['cutting and wrapping count cells'] = function()
  h.equal(text.cut('日本語', 5), '日本…')
  h.equal(text.cut('abc', 3), 'abc')
  h.equal(text.wrap('one two three', 7), { 'one two', 'three' })
  h.equal(text.wrap('abcdefgh', 3), { 'abc', 'def', 'gh' })
  h.equal(text.wrap('', 3), { '' })
end

T['options that are wrong do not count, and are told'] = function()
  local read, problems = options.read({
    cmd = 'pillion',
    autostart = false,
    questions = { float = 1, other = true },
    restart = { attempts = -1, delay_ms = 20 },
    [1] = 'x',
  })
  h.equal(read.cmd, { 'pillion', '--stdio' })
  h.equal(read.autostart, false)
  h.equal(read.questions.float, true)
  h.equal(read.restart, { attempts = 5, delay_ms = 20 })
  h.equal(problems, {
    '1 is no option of Pillion',
    'cmd must be a list of strings, the program first',
    'questions.float must be a boolean, and is a number',
    'questions.other is no option of Pillion',
    'restart.attempts must be a whole number, 0 or more',
  })
  local _, none = options.read(nil)
  h.equal(none, {})
  local _, thrown = options.read(function()
    error('oh')
  end)
  h.contains(thrown[1], 'oh')
end

T['the status line says what waits first'] = function()
  local function words(facts)
    return statusline.words(vim.tbl_extend('force', {
      client = { state = 'running' },
      asks = 0,
      connectors = {},
    }, facts))
  end
  local function connector(name, state)
    return { name = name, state = state }
  end
  h.equal(words({ client = { state = 'off' } }), '')
  h.equal(words({ client = { state = 'failed' } }), 'Pillion: does not run, :Pillion restart')
  h.equal(words({}), 'Pillion')
  h.equal(words({ connectors = { connector('a', 'ready'), connector('b', 'idle') } }), 'Pillion: 2 ready')
  h.equal(
    words({ asks = 2, connectors = { connector('a', 'ready'), connector('b', 'waiting') } }),
    'Pillion: 2 questions, 1 needs permission'
  )
  h.equal(words({ connectors = { connector('50%', 'failed') } }), 'Pillion: 50%% does not run')
  h.equal(words({ connectors = { connector('a', 'failed'), connector('b', 'login') } }), 'Pillion: 2 do not run')
  h.equal(words({ mode = 'paused' }), 'Pillion: paused')
  h.equal(words({ progress = 'half \27 50%' }), 'Pillion: half \\u{1b} 50%%')
end

return T
