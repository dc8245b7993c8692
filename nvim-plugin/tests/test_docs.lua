-- The documentation is what the source has, and every command in it runs.
local h = require('helpers')
local T, machine, neovim = h.set()

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local plugin = vim.fs.dirname(here)
local root = vim.fs.dirname(plugin)

T['the help and the table of commands are current'] = function()
  local done = vim
    .system({ vim.env.PILLION_NVIM, '--clean', '-l', plugin .. '/scripts/help.lua', 'check' }, { text = true })
    :wait()
  h.equal({ done.code, done.stderr }, { 0, '' })
end

T['the help has every tag once'] = function()
  local m = machine()
  -- The whole folder, as plugin managers do it: every *.txt in it is help.
  for name in vim.fs.dir(plugin .. '/doc') do
    h.write(m.root .. '/doc/' .. name, h.read(plugin .. '/doc/' .. name))
  end
  local n = neovim(m, { ui = false })
  n.cmd('helptags ' .. m.root .. '/doc')
  local tags = h.read(m.root .. '/doc/tags')
  for _, subcommand in ipairs(require('pillion.commands').all()) do
    h.contains(tags, ':Pillion' .. (subcommand.name == '' and '' or '-' .. subcommand.name:gsub(' ', '-')) .. '\t')
  end
end

-- Whoever writes for the plugin counts on these names.
T['the public functions are these, and the help has each'] = function()
  local names = vim.tbl_keys(require('pillion'))
  table.sort(names)
  h.equal(names, { 'call', 'connectors', 'on', 'questions', 'search', 'setup', 'statusline', 'tools' })
  local help = h.read(plugin .. '/doc/pillion.txt')
  for _, name in ipairs(names) do
    h.contains(help, ('*pillion.%s()*'):format(name))
  end
end

T['a listener gets what the help says'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = 'lua vim.g.pillion = { autostart = false }' })
  n.lua([[
    _G.heard = {}
    for _, kind in ipairs({ 'connectors', 'asks', 'calls', 'tools', 'client', 'mode', 'events' }) do
      require('pillion').on(kind, function(detail) _G.heard[kind] = detail or 'nothing' end)
    end]])
  n.cmd('Pillion start')
  n.allow('notes')
  n.cmd('Pillion mode plan')
  n.wait_for('the mode', [[_G.heard.mode == 'plan']])
  n.call('notes.list_notes', {})
  n.asked('approval')
  n.open_question()
  n.type_keys('o')
  n.result()
  -- That the question is closed and that its call has ended are told by two who do not wait for one another.
  n.wait_for('the end of the question', [[#_G.heard.asks.closed == 1]])
  local heard = n.wait_for('the end of the call', [[_G.heard.calls and _G.heard.calls.call == 'finished' and _G.heard]])
  h.equal(heard.connectors, 'nothing')
  h.equal({ heard.asks.opened, heard.asks.closed[1].how }, { {}, 'answered' })
  h.equal({ heard.calls.tool, heard.calls.status }, { 'notes.list_notes', 'ok' })
  h.equal({ heard.client.state, type(heard.tools.connector) }, { 'running', 'string' })
  h.equal(heard.events.kind ~= nil, true)
end

T['what is asked for can be given up'] = function()
  local m = machine()
  m.configure_user({ notes = m.notes() })
  local n = neovim(m)
  n.cmd('Pillion start')
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  n.lua([[
    local cancel = require('pillion').call('notes.slow_count', { to = 900, delayMs = 50 }, nil, function(err, result)
      _G.called = { err = err, result = result }
    end)
    _G.cancel = cancel]])
  n.wait_for('the call to run', [[(require('pillion.state').calls()[1] or {}).state == 'running']])
  n.lua('_G.cancel()')
  h.equal(n.result().status, 'cancelled')
  -- What was not sent yet is given up at once.
  n.lua([[
    require('pillion.client').restart()
    require('pillion').search('count', function(err) _G.given_up = err end)()]])
  h.equal(n.lua_get('_G.given_up').code, -32800)
end

T['every command of the docs runs'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  m.configure_user({ mine = m.notes() })
  local n = neovim(m, { columns = 120, lines = 40 })
  n.connector('notes', 'waiting')
  -- Whoever chooses and types nothing changes nothing.
  n.lua([[
    vim.ui.select = function(_, _, done) done(nil) end
    vim.ui.input = function(_, done) done(nil) end
    vim.ui.open = function() return {} end
  ]])
  n.answered()
  local all = require('pillion.commands').all()
  table.sort(all, function(a, b)
    return a.name ~= 'quit' and b.name == 'quit' -- the last one, for it leaves nothing to run
  end)
  for _, subcommand in ipairs(all) do
    local name = vim.trim('Pillion ' .. subcommand.name)
    n.cmd('silent ' .. name)
    n.answered()
    h.equal({ name, n.lua_get([[require('pillion.fault').all()]]) }, { name, {} })
    h.equal({ name, n.v.errmsg }, { name, '' })
    n.cmd('silent! only!')
  end
end

T['a command that is none says so'] = function()
  local m = machine()
  local n = neovim(m)
  n.cmd('Pillion no%such')
  h.contains(n.cmd_capture('messages'), 'there is no subcommand "no%such"')
end

T['subcommands are completed'] = function()
  local m = machine()
  m.configure({ notes = m.notes(), other = m.notes() })
  local n = neovim(m)
  n.connector('other', 'waiting')
  local function complete(line)
    return n.fn.getcompletion(line, 'cmdline')
  end
  h.equal(complete('Pillion ques'), { 'questions' })
  h.equal(complete('Pillion review '), { 'notes', 'other' })
  h.equal(complete('Pillion mode p'), { 'plan', 'paused' })
  h.equal(vim.list_contains(complete('Pillion connector '), 'restart'), true)
  h.equal(#complete('Pillion ') > 20, true)
end

T['every scenario of the editors has its one test'] = function()
  local all = {}
  for _, file in ipairs(vim.fn.globpath(here, 'test_*.lua', true, true)) do
    all[#all + 1] = h.read(file)
  end
  local text = '\n' .. table.concat(all, '\n')
  for line in h.read(root .. '/editors/scenarios.txt'):gmatch('[^\n]+') do
    local name, remark = line:match('^(.-) | (.*)$')
    name = name or line
    h.equal({ name, remark == nil or vim.startswith(remark, 'only neovim: ') }, { name, true })
    -- One that is parametrized is named a second time, by its case.
    local _, count = text:gsub(vim.pesc(("\nT['%s'] ="):format(name)), '')
    h.equal({ name, count }, { name, 1 })
  end
end

return T
