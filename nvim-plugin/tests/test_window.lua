-- The connectors window and the other pages of what is there. Scenarios have their names from editors/scenarios.txt.
local h = require('helpers')
local screen = require('screen')
local steps = require('steps')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()
local page, go = steps.page, steps.go

local function person(opts, connectors)
  return steps.person(machine(), neovim, opts, connectors)
end

T['connector dies and recovers'] = function()
  local broken = { command = 'sh', args = { '-c', 'echo no token is set >&2; exit 3' } }
  local n = person({ lines = 30 }, { broken = broken })
  n.connector('broken', 'failed')
  go(n, 'broken')
  screen.expect(n, 'connector-failed')
  local pid = n.connector('notes', 'ready').processes[1].pid
  assert(vim.uv.kill(pid, 'sigkill'))
  n.connector('notes', 'failed')
  n.wait_for_screen('2 do not run')
  go(n, 'notes ')
  n.type_keys('<CR>')
  n.connector('notes', 'ready')
  n.cmd('Pillion call notes.list_notes')
  page(n, 'result', 'welcome')
end

T['the keys are told'] = function()
  local n = person({ lines = 34 })
  n.type_keys('g?')
  page(n, 'keys')
  screen.expect(n, 'keys')
  n.type_keys('<Esc>')
  page(n, 'connectors')
end

T['activity, and its undo'] = function()
  local n = person({ columns = 120, lines = 40 })
  n.cmd('Pillion call notes.list_notes')
  page(n, 'result', 'welcome')
  n.cmd('Pillion call notes.write_note {"name": "a", "text": "b"}')
  page(n, 'question', 'write_note')
  n.alive()
  n.api_notify.nvim_input('t')
  steps.listed(n)
  n.api_notify.nvim_input('1<CR>')
  page(n, 'result', 'you allowed this call')
  n.cmd('Pillion activity')
  page(n, 'activity', 'it only reads')
  screen.expect(n, 'activity')
  n.fn.search('since ')
  n.type_keys('u')
  n.wait_for_screen('none: calls ask, but for what your own connectors say')
end

T['activity and permissions each follow what happens, whichever is closed'] = function()
  local n = person({ columns = 120, lines = 40 })
  n.cmd('Pillion activity')
  page(n, 'activity', 'nothing was called')
  local activity = n.api.nvim_get_current_buf()
  n.cmd('Pillion permissions')
  page(n, 'activity', 'nothing was decided')
  n.cmd('bwipeout')
  n.cmd('Pillion call notes.list_notes')
  page(n, 'result', 'welcome')
  n.cmd('buffer ' .. activity) -- what nobody sees is made when it is looked at
  n.wait_for(
    'the call in the activity',
    [[vim.api.nvim_buf_get_lines(..., 1, 2, false)[1]:find('notes.list_notes  done', 1, true)]],
    activity
  )
end

T['a list says why it could not be had, and is had again'] = function()
  local n = person()
  n.cmd('Pillion why notes')
  page(n, 'why', 'Nothing keeps it away')
  n.lua([[
    local client = require('pillion.client')
    local request = client.request
    client.request = function(method, params, done)
      client.request = request
      return request('pillion/no/such', params, done)
    end]])
  n.type_keys('gR')
  n.wait_for('the reason', [[vim.api.nvim_buf_line_count(0) > 1]])
  h.contains(n.screen(), 'Nothing keeps it away')
  -- What it follows changes.
  n.cmd('Pillion connector pin notes')
  n.wait_for('it to be had again', [[vim.api.nvim_buf_line_count(0) == 1]])
end

T['why'] = function()
  local n = person()
  n.cmd('Pillion tool off notes.chart')
  h.wait('the tool to be off', function()
    local came = n.await([[require('pillion').tools({ query = 'chart' }, done)]])
    return came.result and came.result.total == 0
  end)
  n.cmd('Pillion why notes.chart')
  page(n, 'why', '1.')
  screen.expect(n, 'why')
end

T['a log goes on'] = function()
  local m = machine()
  m.configure_user({ chatty = { command = 'sh', args = { '-c', 'echo one >&2; echo two >&2; exec pillion demo' } } })
  local n = neovim(m)
  n.cmd('Pillion')
  n.connector('chatty', 'ready')
  n.cmd('Pillion log chatty')
  page(n, 'log', 'two')
  screen.expect(n, 'log')
  h.equal(n.fn.line('.'), n.fn.line('$'))
  n.type_keys('R')
  n.wait_for('the log to go on', [[vim.fn.line('$') > 2 and vim.fn.line('.') == vim.fn.line('$')]])
end

T['first run'] = function()
  local m = machine()
  h.write(
    m.home .. '/.cursor/mcp.json',
    '{"mcpServers": {"one": {"command": "one"}, "two": {"url": "https://two.example"}}}'
  )
  local n = neovim(m, { args = { 'readme.md' } })
  n.cmd('Pillion')
  n.wait_for_screen('2 connectors in 1 file')
  screen.expect(n, 'first-run')
  go(n, 'Import')
  n.type_keys('<CR>')
  page(n, 'imports', 'Cursor')
  screen.expect(n, 'imports')
  n.type_keys('q')
  page(n, 'connectors')
  go(n, 'Try the demo')
  n.type_keys('<CR>')
  page(n, 'question', 'May this connector be on for you?')
  n.alive()
  n.type_keys('m')
  n.connector('demo', 'ready')
  n.wait_for_screen('6 tools')
end

T['what another program has is imported'] = MiniTest.new_set({ parametrize = { { 'one' }, { 'all' } } })

T['what another program has is imported']['to the end'] = function(how)
  local m = machine()
  h.write(
    m.home .. '/.cursor/mcp.json',
    '{"mcpServers": {"one": {"command": "pillion", "args": ["demo"], "odd": 1}, "two": {"url": "https://two.example"}}}'
  )
  local n = neovim(m, { args = { 'readme.md' }, columns = 120, lines = 40 })
  -- Of the places that are offered: the user's own file.
  n.lua([[vim.ui.select = function(items, opts, done)
    _G.places = vim.tbl_map(opts.format_item, items)
    done(items[1])
  end]])
  n.cmd('Pillion import')
  page(n, 'imports', 'Cursor')
  go(n, how == 'one' and '    one' or 'Cursor')
  n.type_keys('<CR>')
  n.wait_for_screen(how == 'one' and '1 connector imported' or '2 connectors imported')
  screen.expect(n, 'imported-' .. how)
  h.contains(n.lua_get('_G.places[1]'), 'your own mcp.json')
  local kept = vim.json.decode(h.read(m.home .. '/.config/pillion/mcp.json')).mcpServers
  h.equal({ kept.one.command, kept.two ~= nil }, { 'pillion', how == 'all' })
  -- It is among the others, and nothing of the other program's file was changed.
  n.cmd('Pillion')
  n.wait_for('the connectors', '#require("pillion").connectors() == ...', how == 'all' and 2 or 1)
  h.contains(h.read(m.home .. '/.cursor/mcp.json'), '"odd": 1')
end

---The names of the connectors in the order of the window.
local function order(n)
  return n.lua_get([[vim.tbl_map(function(c) return c.name end, require('pillion').connectors())]])
end

T['a connector is pinned, and unpinned'] = function()
  local n = person(nil, { aside = { command = 'pillion', args = { 'demo' } } })
  h.equal(order(n), { 'aside', 'notes' })
  go(n, 'notes ')
  n.type_keys('p')
  n.wait_for_screen('pinned')
  h.equal(order(n), { 'notes', 'aside' })
  -- The cursor is still on it.
  h.contains(n.api.nvim_get_current_line(), 'notes')
  n.cmd('Pillion connector pin notes')
  n.wait_for('the order of before', [[require('pillion').connectors()[1].name == 'aside']])
end

T['what was decided about a connector is taken back'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m)
  n.allow('notes')
  n.cmd('Pillion')
  n.wait_for_screen('6 tools')
  go(n, 'notes ')
  n.type_keys('U')
  n.connector('notes', 'waiting')
  n.wait_for_screen('needs permission')
  -- What is the user's own was never decided about, and that is said.
  m.configure_user({ mine = m.notes() })
  n.connector('mine', 'ready')
  n.cmd('Pillion connector revoke mine')
  h.contains(n.cmd_capture('messages'), 'nothing was decided about it')
  h.equal(n.connector('mine', 'ready').state, 'ready')
end

T['a connector is removed from its file after a question'] = function()
  local n, m = person(nil, { aside = { command = 'pillion', args = { 'demo' } } })
  local file = m.home .. '/.config/pillion/mcp.json'
  local before = h.read(file)
  n.lua([[vim.ui.select = function(items, opts, done) _G.offered = items; done(items[_G.take]) end]])
  go(n, 'aside ')
  -- The safe answer stands first, and none at all changes nothing.
  for _, take in ipairs({ '1', 'nil' }) do
    n.lua('_G.take = ' .. take)
    n.type_keys('D')
    h.equal(n.lua_get('_G.offered[1]'), 'Keep it')
    n.answered()
    h.equal(h.read(file), before)
  end
  n.lua('_G.take = 2')
  n.type_keys('D')
  n.wait_for('it to be gone', [[#require('pillion').connectors() == 1]])
  h.equal(vim.tbl_keys(vim.json.decode(h.read(file)).mcpServers), { 'notes' })
end

T['a connector is off and on for the user alone'] = function()
  local n, m = person()
  local before = h.read(m.home .. '/.config/pillion/mcp.json')
  go(n, 'notes')
  n.type_keys('o')
  n.connector('notes', 'disabled')
  n.wait_for_screen('switched off by you')
  n.type_keys('<CR>')
  n.wait_for_screen('ready')
  h.equal(h.read(m.home .. '/.config/pillion/mcp.json'), before)
end

T['its place in the file opens beside the page'] = function()
  local n, m = person()
  go(n, 'notes')
  n.type_keys('gf')
  n.wait_for('the file', [[vim.api.nvim_buf_get_name(0) == ...]], m.home .. '/.config/pillion/mcp.json')
  h.contains(n.api.nvim_get_current_line(), '"notes"')
  h.equal(#n.api.nvim_list_wins(), 2)
end

T['a profile is chosen, and variables, in no file'] = function()
  local m = machine()
  m.configure([[{"pillion": {"profiles": {"work": {}}},
    "mcpServers": {"notes": {"command": "pillion", "args": ["demo"], "pillion": {"profiles": ["work"]}}}}]])
  local n = neovim(m)
  n.connector('notes', 'waiting')
  n.cmd('Pillion profile work')
  h.wait('the profile to be told', function()
    return n.cmd_capture('messages'):find('the profile is work', 1, true)
  end)
  h.contains(table.concat(n.fn.getcompletion('Pillion profile ', 'cmdline'), ' '), 'work')
  n.cmd('Pillion! profile')
  h.wait('that none is', function()
    return n.cmd_capture('messages'):find('no profile is chosen', 1, true)
  end)
  n.cmd('Pillion env')
  page(n, 'edit')
  n.type_keys('cc', '{"TOKEN": "${WORK_TOKEN}"}', '<Esc>', ':w<CR>')
  n.wait_for('the buffer to be taken', [[vim.bo.filetype ~= 'pillion-edit']])
  n.cmd('Pillion env')
  page(n, 'edit', '${WORK_TOKEN}')
end

T['secrets and sessions'] = function()
  local m = machine()
  m.configure_user([[{"inputs": [{"id": "key", "type": "promptString", "description": "a key", "password": true}],
    "mcpServers": {"notes": {"command": "pillion", "args": ["demo"], "env": {"KEY": "${input:key}"}}}}]])
  local n = neovim(m)
  n.cmd('Pillion secrets')
  page(n, 'secrets', 'not stored')
  n.api_notify.nvim_input('gg<CR>')
  n.api_notify.nvim_input('open sesame<CR>')
  n.wait_for_screen('  stored')
  h.lacks(n.screen(), 'sesame')
  n.type_keys('x')
  n.wait_for_screen('not stored')
  n.cmd('Pillion sessions')
  page(n, 'sessions', 'process')
end

T['doctor'] = function()
  local n = person({ columns = 120, lines = 40 })
  n.cmd('Pillion doctor')
  page(n, 'doctor', 'as they should be')
  h.contains(n.screen(), 'Files')
end

return T
