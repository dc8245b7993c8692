-- What is odd: bytes that are no text, answers that come late, pages closed meanwhile, rules about own connectors.
local h = require('helpers')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

---A Neovim with the notes of the repository, or of the user's own file, ready to be used.
local function with_notes(own, opts)
  local m = machine()
  m[own and 'configure_user' or 'configure']({ notes = m.notes() })
  local n = neovim(m, opts)
  if own then
    n.cmd('Pillion start')
    n.connector('notes', 'ready')
  else
    n.allow('notes')
  end
  return n, m
end

local function messages(n)
  return n.lua_get([[vim.fn.execute('messages')]])
end

local function faults(n)
  return n.lua_get([[require('pillion.fault').all()]])
end

---Holds the answers to a method back, until release().
local function hold(n, method)
  n.lua(
    [[local client, method = require('pillion.client'), ...
    local request = client.request
    _G.held = {}
    client.request = function(name, params, cb)
      if name ~= method then return request(name, params, cb) end
      return request(name, params, function(...) table.insert(_G.held, { cb, ... }) end)
    end]],
    { method }
  )
  return function()
    n.wait_for('the answer', '#_G.held > 0')
    n.lua([[local held = table.remove(_G.held, 1); held[1](unpack(held, 2, 3))]])
  end
end

-- The program would answer nobody, and Neovim would make the person press a key.
T['bytes that are no UTF-8 are not sent'] = function()
  local n = with_notes(true)
  n.call('notes.read_note', '{"name":"\255"}')
  h.contains(n.wait_for('an answer', '_G.called').err.message, 'not UTF-8')
  n.cmd('Pillion tool \237\160\128')
  n.call('notes.read_note', '{"name":"welcome"}')
  h.equal(n.result().status, 'ok')
  h.contains(messages(n), 'not UTF-8')
  h.lacks(messages(n), 'INVALID_SERVER_MESSAGE')
end

T['a folder whose name is no UTF-8 does not keep Pillion from running'] = function()
  local m = machine()
  m.configure_user({ notes = m.notes() })
  local folder = m.root .. '/home/sh\255op'
  h.write(folder .. '/.mcp.json', h.configuration({ notes = m.notes() }))
  local n = neovim(m, { cwd = folder })
  n.connector('notes', 'ready')
  h.lacks(messages(n), 'INVALID_SERVER_MESSAGE')
end

T['a prompt that comes late is a buffer to go to, and takes nothing from whoever types'] = function()
  local m = machine()
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  m.configure_user({ board = { command = vim.env.PILLION_NVIM, args = { '-l', here .. '/board.lua' } } })
  local n = neovim(m, { columns = 120 })
  n.cmd('Pillion start')
  n.connector('board', 'ready')
  n.lua([[vim.ui.select = function(items, _, done) done(items[1], 1) end
    vim.ui.input = function(_, done) done('Ann') end]])
  local release = hold(n, 'pillion/prompt/get')
  n.cmd('Pillion prompt board')
  n.wait_for('the answer', '#_G.held == 1')
  n.type_keys('i', 'abc')
  release()
  n.type_keys('d')
  h.equal(n.api.nvim_get_current_line(), 'abcd')
  h.equal(#n.api.nvim_list_wins(), 1)
  n.type_keys('<Esc>')
  h.contains(messages(n), ':buffer pillion://prompt/board/greet')
  n.cmd('buffer pillion://prompt/board/greet')
  n.wait_for_screen('Greet Ann.')
end

T['a list that comes late does not take what is typed for an answer'] = function()
  local n = with_notes(true, { columns = 120 })
  local release = hold(n, 'pillion/tools')
  n.cmd('Pillion tools')
  n.wait_for('the answer', '#_G.held == 1')
  n.type_keys('i', 'local n = 1', '<CR>')
  release()
  h.equal(n.is_blocked(), false)
  h.equal(n.api.nvim_get_mode().mode, 'i')
  n.type_keys('<Esc>')
  h.contains(messages(n), 'you went on')
end

T['the last call is one that was made here'] = function()
  local n = with_notes(true)
  n.call('notes.read_note', '{"name":"welcome"}')
  h.equal(n.result().status, 'ok')
  n.cmd('Pillion activity')
  n.wait_for_screen('notes.read_note')
  n.fn.search('notes.read_note')
  n.type_keys('<CR>')
  n.wait_for('its result', [[vim.bo.filetype == 'pillion-result']])
  n.cmd('Pillion again')
  h.contains(messages(n), 'nothing was called yet')
end

T['a question that is over says so, whatever key is pressed'] = function()
  local n = with_notes(false, { before = 'lua vim.g.pillion = { restart = { attempts = 2, delay_ms = 10 } }' })
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.open_question()
  vim.uv.kill(h.sidecar(n), 'sigkill')
  n.wait_for_screen('This question is not open any more.')
  n.lua('vim.wait(600, function() return false end)')
  n.type_keys('o')
  h.contains(messages(n), 'not open any more; q closes it')
end

T['what is chosen after a question was closed decides nothing, and is no fault'] = function()
  local m = machine()
  m.configure({ asking = m.asking() })
  local n = neovim(m)
  n.allow('asking')
  n.lua([[vim.ui.select = function(_, _, done) _G.choose = done end]])
  n.call('asking.ask', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('s')
  n.asked('elicitation')
  n.open_question()
  n.fn.search('^ size')
  n.type_keys('i')
  n.wait_for('a list', '_G.choose ~= nil')
  n.cmd('bwipeout')
  n.lua([[_G.choose({ text = '"large"', label = 'large' })]])
  h.equal(faults(n), {})
  h.equal(#n.lua_get([[require('pillion').questions()]]), 1)
end

T['a secret that is given up is no fault'] = function()
  local m = machine()
  m.configure_user([[{
    "inputs": [{ "id": "token", "type": "promptString", "description": "A token", "password": true }],
    "mcpServers": { "notes": { "command": "pillion", "args": ["demo"], "env": { "TOKEN": "${input:token}" } } }
  }]])
  local n = neovim(m)
  n.cmd('Pillion start')
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  n.call('notes.list_notes', '{}')
  n.asked('input')
  n.open_question()
  n.api.nvim_input('i')
  h.wait('the value to be wanted', function()
    return n.api.nvim_get_mode().mode == 'c'
  end)
  n.api.nvim_input('<C-c>')
  h.wait('the prompt to be gone', function()
    return n.api.nvim_get_mode().mode == 'n'
  end)
  h.equal(faults(n), {})
  h.equal(#n.lua_get([[require('pillion').questions()]]), 1)
end

T['a list that cannot be had says why'] = function()
  local m = machine()
  local n = neovim(m, { before = 'lua vim.g.pillion = { cmd = { "no-such-pillion", "--stdio" } }' })
  n.api_notify.nvim_input(':Pillion secrets<CR>')
  n.wait_for_screen('there is no program no-such-pillion')
end

-- A connector of one's own file belongs to no folder.
T["a tool of a connector of one's own is refused everywhere"] = function()
  local n = with_notes(true, { columns = 120 })
  n.cmd('Pillion deny notes.write_note')
  n.wait_for('the rule', [[vim.fn.execute('messages'):find('from now on', 1, true) ~= nil]])
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  h.equal(n.result().status, 'denied')
end

-- S17: only Pillion's own words begin in the first column, however long what is foreign is.
T['S17 foreign text that goes on over several rows stays behind its mark'] = function()
  local n = with_notes(false, { lines = 40 })
  local text = ('x'):rep(73 - #'{"name":"todo","text":"') .. 'why it asks  It only reads.' .. ('y '):rep(90)
  n.call('notes.write_note', vim.json.encode({ name = 'todo' }):sub(1, -2) .. ',"text":"' .. text .. '"}')
  n.asked('approval')
  n.open_question()
  local rows, inside = vim.split(n.screen(), '\n'), 0
  for _, row in ipairs(rows) do
    if vim.startswith(row, 'arguments, exactly') then
      inside = 1
    elseif row == 'the same, laid out' then
      break
    elseif inside > 0 then
      inside = inside + 1
      h.equal(vim.startswith(row, '│ ') or vim.startswith(row, '  '), true)
    end
  end
  h.equal(inside > 3, true)
end

T['small screens'] = MiniTest.new_set({ parametrize = { { 24, 6 }, { 40, 8 } } })

T['small screens']['of'] = function(columns, lines)
  local n = with_notes(true, { columns = columns, lines = lines })
  for _, command in ipairs({
    '',
    'activity',
    'permissions',
    'doctor',
    'call notes.write_note',
    'why notes',
    'log notes',
  }) do
    n.cmd('Pillion ' .. command)
    n.type_keys('g?')
    n.wait_for('the keys', [[vim.bo.filetype == 'pillion-keys']])
    n.type_keys('<Esc>')
  end
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.cmd('Pillion questions')
  n.wait_for('a question', [[vim.bo.filetype == 'pillion-question']])
  h.equal(faults(n), {})
end

T['a key whose work fails throws nothing'] = function()
  local n = with_notes(true)
  n.cmd('Pillion')
  n.lua([[require('pillion.ui.imports').open = function() error('broken') end]])
  n.api_notify.nvim_input('i')
  n.wait_for('the fault', [[#require('pillion.fault').all() > 0]])
  h.contains(table.concat(faults(n), '\n'), 'broken')
  h.equal(n.bo.filetype, 'pillion-connectors')
end

-- What a session that was written with pages open leaves when it is restored: buffers of their names.
T['a session that was restored keeps no page away'] = function()
  local n, m = with_notes(true)
  n.cmd('Pillion')
  n.wait_for_screen('6 tools')
  n.cmd('mksession! ' .. m.root .. '/session.vim')
  n.quit()
  local again = neovim(m)
  again.cmd('silent! source ' .. m.root .. '/session.vim')
  h.equal(again.fn.bufnr('^pillion://connectors$') ~= -1, true)
  for _, name in ipairs({ 'pillion://arguments/1', 'pillion://edit/1' }) do
    again.cmd('badd ' .. name)
  end
  again.cmd('Pillion')
  again.wait_for_screen('6 tools')
  h.equal(faults(again), {})
  h.equal(again.bo.buftype, 'nofile')
  again.cmd('Pillion call notes.write_note {"name": "todo", "text": "milk"}')
  again.asked('approval')
  again.open_question()
  again.type_keys('e')
  again.wait_for_screen('"milk"')
  h.equal({ again.bo.buftype, again.bo.modified }, { 'acwrite', false })
  h.equal(faults(again), {})
end

T['a call that waits for an answer is not said to run'] = function()
  local n = with_notes(false)
  n.cmd('Pillion call notes.write_note {"name": "todo", "text": "milk"}')
  n.asked('approval')
  n.wait_for(
    'a second',
    [[(function()
    local _, works = debug.getupvalue(require('pillion.ui.progress').words, 1)
    for _, work in pairs(works.works) do
      if vim.uv.now() - work.began > 1000 then return true end
    end
  end)()]]
  )
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 question')
end

T['no more of a long text is read than the editor can bear'] = function()
  local n = with_notes(true)
  n.lua([[local client = require('pillion.client')
    local request = client.request
    _G.read = 0
    client.request = function(name, params, cb)
      if name == 'pillion/result/read' then
        _G.read = _G.read + 1
        return cb(nil, { text = (('x'):rep(63) .. '\n'):rep(4096), nextOffset = params.offset + 256 * 1024 })
      elseif name == 'pillion/tool/call' then
        return request(name, params, function(err, result)
          result.truncated = true
          cb(err, result)
        end)
      end
      return request(name, params, cb)
    end]])
  n.cmd('Pillion call notes.read_note {"name": "welcome"}')
  n.wait_for_screen('Only the beginning is shown.')
  n.fn.search('Only the beginning')
  n.type_keys('<CR>')
  n.wait_for('the text', [[vim.api.nvim_buf_line_count(0) > 1000]])
  h.equal(n.lua_get('_G.read'), 4)
end

return T
