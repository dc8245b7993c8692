-- The connectors window and what is run from it. The names of the scenarios are those of editors/scenarios.txt.
local h = require('helpers')
local screen = require('screen')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

---A person whose own file has the connector of notes.
local function person(opts, connectors)
  local m = machine()
  m.configure_user(vim.tbl_extend('force', { notes = m.notes() }, connectors or {}))
  local n = neovim(m, opts)
  n.cmd('Pillion')
  n.connector('notes', 'ready')
  n.wait_for_screen('6 tools')
  return n, m
end

---Waits for a page and for a text on the screen.
local function page(n, kind, part)
  n.wait_for('the page ' .. kind, [[vim.bo.filetype == ...]], 'pillion-' .. kind)
  if part then
    n.wait_for_screen(part)
  end
end

---Goes to the line that shows a text.
local function go(n, part)
  n.wait_for('a line with ' .. part, [[vim.fn.search('\\V' .. ..., 'wc') > 0]], part)
  n.type_keys('0')
end

local function alive(n)
  n.wait_for('the question to take an answer', [[vim.wo.winbar:find('PillionKey#', 1, true) ~= nil]])
end

T['find and run a tool with approval'] = function()
  local n = person()
  screen.expect(n, 'connectors')
  n.type_keys('<CR>')
  n.wait_for_screen('write_note')
  screen.expect(n, 'connectors-opened')
  go(n, 'write_note')
  n.type_keys('<CR>')
  page(n, 'form', 'name *')
  screen.expect(n, 'form-empty')
  -- What is missing is named by its path, and nothing is sent.
  n.type_keys('gr')
  n.wait_for_screen('/name: it is required')
  screen.expect(n, 'form-faults')
  n.type_keys('<Esc>')
  go(n, 'name *')
  n.type_keys('<CR>', 'todo', '<CR>')
  n.wait_for_screen('"name": "todo"')
  go(n, 'text *')
  n.type_keys('e')
  page(n, 'edit')
  n.type_keys('i', 'milk<CR>and "honey"', '<Esc>', ':w<CR>')
  page(n, 'form', '"text": "milk')
  screen.expect(n, 'form-filled')
  n.type_keys('gr')
  page(n, 'question', 'write_note')
  alive(n)
  n.type_keys('o')
  page(n, 'result', 'you allowed this call')
  screen.expect(n, 'result')
  -- Back to the form, and to the window.
  n.type_keys('q')
  page(n, 'form')
  n.type_keys('q')
  page(n, 'connectors')
end

T['cancel with progress'] = function()
  local n = person()
  n.cmd('Pillion call notes.slow_count {"to": 900, "delayMs": 50}')
  page(n, 'result', 'running')
  n.wait_for('progress in the status line', [[require('pillion').statusline():find('of 900', 1, true) ~= nil]])
  n.wait_for_screen('of 900')
  n.cmd('Pillion cancel')
  page(n, 'result', 'cancelled')
  screen.expect(n, 'cancelled')
  n.wait_for('nothing more in the status line', [[require('pillion').statusline() == 'Pillion: 1 ready']])
  h.equal(n.lua_get([[#require('pillion.state').calls()]]), 0)
end

T['a call goes on as a task'] = MiniTest.new_set({ parametrize = { { 'to its end' }, { 'until it is cancelled' } } })

T['a call goes on as a task']['and is followed'] = function(how)
  local m = machine()
  local ready = m.root .. '/ready'
  m.configure_user({ asking = m.asking(ready) })
  local n = neovim(m)
  n.cmd('Pillion')
  n.connector('asking', 'ready')
  n.cmd('Pillion call asking.brew')
  page(n, 'question', 'brew')
  alive(n)
  n.type_keys('o')
  page(n, 'result', 'goes on in the background')
  h.equal(n.lua_get([[#require('pillion.state').calls()]]), 1)
  if how == 'to its end' then
    screen.expect(n, 'task')
    h.write(ready, '')
    page(n, 'result', 'brewed')
    screen.expect(n, 'task-done')
  else
    n.type_keys('X')
    page(n, 'result', 'cancelled')
  end
  n.wait_for('nothing to be under way', [[#require('pillion.state').calls() == 0]])
end

T['picture result'] = function()
  local n = person()
  n.lua([[_G.opened = {}; vim.ui.open = function(path) table.insert(_G.opened, path) end]])
  n.cmd('Pillion call notes.chart {"values": [1, 2, 3]}')
  page(n, 'result', 'image/png')
  h.contains(n.screen(), 'Attachments')
  -- Nothing opens by itself.
  h.equal(n.lua_get('_G.opened'), {})
  go(n, '.png  image/png')
  n.type_keys('<CR>')
  local opened = n.wait_for('the picture to be opened', '_G.opened[1]')
  h.equal(h.read(opened):sub(2, 4), 'PNG')
end

T['picture result with a plugin that draws'] = function()
  local n = person()
  n.lua([[
    _G.drawn = {}
    package.loaded['image'] = { from_file = function(path, opts)
      return {
        render = function() table.insert(_G.drawn, { path = path, row = opts.y, buf = opts.buffer }) end,
        clear = function() end,
      }
    end }]])
  n.cmd('Pillion call notes.chart {"values": [1, 2, 3]}')
  page(n, 'result', 'image/png')
  local drawn = n.wait_for('the picture to be drawn', '_G.drawn[1]')
  h.equal(h.read(drawn.path):sub(2, 4), 'PNG')
  h.equal(drawn.buf, n.api.nvim_get_current_buf())
  h.contains(n.api.nvim_buf_get_lines(0, drawn.row, drawn.row + 1, true)[1], 'image-1.png')
end

T['picture result with snacks.image'] = function()
  local n = person()
  -- A stand-in with the functions that its documentation has, by the module that it puts into the global Snacks.
  n.lua([[
    _G.drawn, _G.closed = {}, 0
    _G.Snacks = { image = {
      supports_terminal = function() return true end,
      placement = { new = function(buf, src, opts)
        assert(type(buf) == 'number' and type(src) == 'string')
        table.insert(_G.drawn, { path = src, row = opts.pos[1], buf = buf })
        return { close = function() _G.closed = _G.closed + 1 end }
      end },
    } }]])
  n.cmd('Pillion call notes.chart {"values": [1, 2, 3]}')
  page(n, 'result', 'image/png')
  local drawn = n.wait_for('the picture to be drawn', '_G.drawn[1]')
  h.equal(h.read(drawn.path):sub(2, 4), 'PNG')
  h.equal(drawn.buf, n.api.nvim_get_current_buf())
  h.contains(n.api.nvim_buf_get_lines(0, drawn.row - 1, drawn.row, true)[1], 'image-1.png')
  -- Where its terminal shows none, the path stands there and nothing is drawn.
  n.lua('Snacks.image.supports_terminal = function() return false end')
  n.cmd('Pillion again')
  page(n, 'result', 'image/png')
  h.equal(n.lua_get('#_G.drawn'), 1)
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

-- An older Neovim answers nothing while its own list waits for a number: it must not be asked for its screen.
local lists_block = vim.fn.has('nvim-0.11') == 0

---Waits until Neovim's own list asks for a number.
local function listed(n)
  if lists_block then
    return h.wait('a list to choose from', n.is_blocked)
  end
  n.wait_for_screen('Type number')
end

T['no picker, and with one'] = MiniTest.new_set()

T['no picker, and with one']['without'] = function()
  local n = person({ lines = 30 })
  n.api_notify.nvim_input(':Pillion tools list notes<CR>')
  listed(n)
  if not lists_block then
    screen.expect(n, 'picker-none')
  end
  n.api_notify.nvim_input('1<CR>')
  page(n, 'result', 'welcome')
end

T['no picker, and with one']['with one'] = function()
  local n = person()
  n.lua([[vim.ui.select = function(items, opts, done)
    _G.picked = { kind = opts.kind, prompt = opts.prompt, labels = vim.tbl_map(opts.format_item, items) }
    for _, item in ipairs(items) do
      if item.name == 'list_notes' then done(item) end
    end
  end]])
  n.cmd('Pillion call')
  page(n, 'result', 'welcome')
  local picked = n.lua_get('_G.picked')
  h.equal({ picked.kind, picked.prompt, #picked.labels }, { 'pillion_tool', 'Tool', 6 })
  h.contains(table.concat(picked.labels, '\n'), 'notes.write_note  Writes a note.  [asks]')
end

T['resource opened'] = function()
  local m = machine()
  m.configure_user({ everything = m.everything() })
  local n = neovim(m, { lines = 40, columns = 120 })
  n.cmd('Pillion')
  n.connector('everything', 'ready')
  n.wait_for_screen('resources')
  n.type_keys('<CR>')
  go(n, 'Prompts')
  screen.expect(n, 'connectors-everything')
  go(n, 'architecture.md')
  n.type_keys('<CR>')
  page(n, 'resource', 'Architecture')
  screen.expect(n, 'resource-everything')
  h.equal({ n.bo.modifiable, n.bo.buftype, n.bo.modeline }, { false, 'nofile', false })
end

---The connector of tests/board.lua, opened in the window.
local function board()
  local m = machine()
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  m.configure_user({ board = { command = vim.env.PILLION_NVIM, args = { '-l', here .. '/board.lua' } } })
  local n = neovim(m)
  n.cmd('Pillion')
  n.connector('board', 'ready')
  n.wait_for_screen('1 prompt')
  n.type_keys('<CR>')
  go(n, 'Prompts')
  return n
end

T['a resource is followed'] = function()
  local n = board()
  go(n, 'now.md')
  n.type_keys('<CR>')
  page(n, 'resource', 'nothing yet')
  local buf = n.api.nvim_get_current_buf()
  n.type_keys('F')
  n.wait_for_screen('followed')
  n.lua([[require('pillion').call('board.write', { text = 'lunch at noon' }, nil, function() end)]])
  n.wait_for('a question', [[#require('pillion').questions() > 0]])
  n.open_question()
  n.type_keys('o')
  n.wait_for('the buffer to change', [[vim.api.nvim_buf_get_lines(..., 2, 3, false)[1] == 'lunch at noon']], buf)
  n.wait_for_screen('changed')
  screen.expect(n, 'resource')
  -- No file type plugin runs for a text of a connector.
  h.equal({ n.bo.filetype, n.bo.syntax }, { 'pillion-resource', 'markdown' })
end

T['a template and a prompt are filled in'] = function()
  local n = board()
  h.wait('the rows', function()
    return n.screen():find('greet', 1, true)
  end)
  go(n, 'of somebody')
  n.api_notify.nvim_input('<CR>')
  n.wait_for_screen('who (may be left out):')
  n.api_notify.nvim_input('al<Tab><CR>')
  page(n, 'resource', 'the board at board:///of/alpha')
  n.type_keys('q')
  page(n, 'connectors')
  n.lua([[_G.asked = {}; vim.ui.input = function(opts, done)
    table.insert(_G.asked, opts.prompt)
    done(opts.prompt:find('who') and 'Ann' or '')
  end]])
  go(n, 'greet')
  n.type_keys('<CR>')
  page(n, 'prompt', 'Greet Ann.')
  h.equal(n.lua_get('_G.asked'), { 'who: ', 'tone (may be left out): ' })
  screen.expect(n, 'prompt')
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
  alive(n)
  n.api_notify.nvim_input('t')
  listed(n)
  n.api_notify.nvim_input('1<CR>')
  page(n, 'result', 'you allowed this call')
  n.cmd('Pillion activity')
  page(n, 'activity', 'it only reads')
  screen.expect(n, 'activity')
  n.fn.search('since ')
  n.type_keys('u')
  n.wait_for_screen('none: every call that is not read-only asks')
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
  alive(n)
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

T['what is wrong goes back to the form, and the last call is made again'] = function()
  local n = person()
  n.cmd('Pillion again')
  h.contains(n.cmd_capture('messages'), 'nothing was called yet')
  n.cmd('Pillion call notes.read_note {"name": 5}')
  page(n, 'form', '/name: string belongs here')
  screen.expect(n, 'form-json')
  n.type_keys('J')
  page(n, 'edit')
  n.type_keys('<C-End>')
  -- What is no JSON is not taken over.
  n.type_keys(':%s/5/"welcome"/<CR>', 'Gdd', ':w<CR>')
  n.wait_for_screen('a comma or } belongs here')
  n.type_keys('u', ':w<CR>')
  page(n, 'form', '"welcome"')
  n.type_keys('gr')
  page(n, 'result', 'Welcome to Pillion')
  local result = n.api.nvim_buf_get_name(0)
  n.cmd('Pillion again')
  n.wait_for('another result', [[vim.api.nvim_buf_get_name(0) ~= ...]], result)
  page(n, 'result', 'Welcome to Pillion')
  -- What somebody else called is looked at, and is not the call that was made last.
  n.lua([[require('pillion').call('notes.list_notes', {}, nil, function(_, result) _G.theirs = result end)]])
  n.wait_for('the call of somebody else', '_G.theirs')
  n.cmd('Pillion activity')
  page(n, 'activity', 'notes.list_notes')
  go(n, 'notes.list_notes')
  n.type_keys('<CR>')
  page(n, 'result', 'welcome')
  n.cmd('Pillion again')
  page(n, 'result', 'Welcome to Pillion')
  -- A section is a fold.
  go(n, 'Arguments')
  n.type_keys('zc')
  h.equal(n.fn.foldclosed('.'), n.fn.line('.'))
  n.type_keys('zo')
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
