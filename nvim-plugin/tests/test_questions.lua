-- Questions as a person meets them. Scenarios have their names from editors/scenarios.txt.
local h = require('helpers')
local MiniTest = require('mini.test')
local screen = require('screen')
local T, machine, neovim = h.set()

---A repository with a connector, allowed.
local function allowed(definition, opts)
  local m = machine()
  local name = definition and 'asking' or 'notes'
  m.configure({ [name] = definition and m[definition]() or m.notes() })
  local n = neovim(m, opts)
  n.allow(name)
  return n, m
end

T['first open and consent'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { args = { '.mcp.json' }, columns = 100, lines = 40 })
  n.connector('notes', 'waiting')
  -- Nothing asks by itself (U2).
  h.equal(n.lua_get([[require('pillion').questions()]]), {})
  h.equal(#n.api.nvim_list_wins(), 1)
  n.open_question()
  h.expect_screen(n, 'consent')
  n.type_keys('a')
  h.equal(n.connector('notes', 'ready').tools > 0, true)
  h.equal(n.bo.filetype ~= 'pillion-question', true)
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 ready')
end

T['a call of a program by the public functions is approved'] = function()
  local n = allowed()
  n.lua([[require('pillion').search('write a note', function(_, tools) _G.found = tools end)]])
  h.equal(n.wait_for('the tools', '_G.found')[1].label, 'notes.write_note')
  n.call('notes.write_note', '{"name":"todo","text":"milk, 9007199254740993"}')
  n.asked('approval')
  n.wait_for_screen('May notes.write_note run?')
  h.expect_screen(n, 'badge')
  n.open_question()
  h.expect_screen(n, 'approval')
  n.type_keys('o')
  h.equal(n.result().status, 'ok')
  n.wait_for('the window to be gone', [[#vim.api.nvim_list_wins() == 1]])
  -- The bytes that were shown are those that were sent.
  n.call('notes.read_note', '{"name":"todo"}')
  n.asked('approval')
  n.open_question()
  n.type_keys('o')
  h.contains(n.result().text, 'milk, 9007199254740993')
end

T['decline with words'] = function()
  local n = allowed()
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.open_question()
  n.type_keys('D')
  n.type_keys('write it in the readme', '<CR>')
  local came = n.result()
  h.equal(came.status, 'declined')
  h.contains(vim.inspect(came), 'write it in the readme')
end

T['edit arguments'] = function()
  local n = allowed('asking', { lines = 40 })
  n.call('asking.order', '{"what":"tea","count":2}')
  n.asked('approval')
  n.open_question()
  n.type_keys('e')
  n.wait_for('the arguments', [[vim.bo.filetype == 'json']])
  h.equal(n.api.nvim_buf_get_lines(0, 0, -1, false), { '{', '  "what": "tea",', '  "count": 2', '}' })
  -- What does not fit the schema is said, and not sent.
  n.type_keys('/2', '<CR>', 'r', 'x')
  n.wait_for('the fault', '#vim.diagnostic.get(0) == 1')
  n.cmd('write')
  h.equal(n.lua_get('#vim.diagnostic.get(0)'), 1)
  n.type_keys('r', '9')
  n.wait_for('no fault', '#vim.diagnostic.get(0) == 0')
  -- A name of the schema is completed, with what belongs there.
  n.type_keys('A', ',', '<CR>', '"h', '<C-x><C-o>')
  n.wait_for('the completion', [[vim.api.nvim_get_current_line():find('"hot": ', 1, true) ~= nil]])
  n.type_keys('true', '<Esc>')
  h.expect_screen(n, 'arguments')
  n.cmd('write')
  local came = n.result()
  h.equal(came.status, 'ok')
  h.equal(vim.json.decode(came.text), { what = 'tea', count = 9, hot = true })
end

T['edited arguments that are left behind decide nothing'] = function()
  local n = allowed()
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.open_question()
  n.type_keys('e')
  n.wait_for('the arguments', [[vim.bo.filetype == 'json']])
  n.type_keys('x')
  n.cmd('quit!')
  h.equal(#n.lua_get([[require('pillion').questions()]]), 1)
end

T['config broken and fixed'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { args = { '.mcp.json' } })
  n.connector('notes', 'waiting')
  m.configure('{ "mcpServers": { "notes": { "command": "pillion" ')
  n.cmd('edit')
  n.wait_for(
    'the fault to be said',
    [[(function()
    for _, d in ipairs(vim.diagnostic.get(0)) do
      if d.severity == vim.diagnostic.severity.ERROR then return d.message end
    end
  end)()]]
  )
  m.configure({ notes = m.notes() })
  n.cmd('edit')
  n.wait_for('no fault', [[#vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0]])
  n.allow('notes')
end

T['definition changed asks again with the difference'] = function()
  local n, m = allowed(nil, { columns = 100, lines = 40 })
  local notes = m.notes()
  notes.args = { 'demo', '--other' }
  m.configure({ notes = notes })
  n.connector('notes', 'waiting')
  n.open_question()
  local shown = n.screen()
  h.contains(shown, 'You allowed it before, and it is another now.')
  h.contains(shown, '+ ["demo","--other"]')
  h.expect_screen(n, 'consent-changed')
  n.type_keys('n')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  n.connector('notes', 'waiting')
end

T['several connectors are decided about one by one'] = function()
  local m = machine()
  m.configure({ notes = m.notes(), other = m.notes(), third = m.notes() })
  local n = neovim(m, { columns = 100, lines = 60 })
  n.connector('third', 'waiting')
  n.open_question()
  h.equal(n.asked('consent').body.items[1].name, 'notes')
  n.type_keys('gg', 'a') -- on no connector
  n.wait_for_screen('Put the cursor on a connector first.')
  n.type_keys('/"notes"', '<CR>', 'a', 'x')
  h.expect_screen(n, 'consent-several')
  n.type_keys('S')
  n.connector('notes', 'ready')
  n.connector('other', 'denied')
  n.connector('third', 'waiting')
end

T['elicitation'] = function()
  local n = allowed('asking', { lines = 40 })
  n.call('asking.ask', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('s')
  n.asked('elicitation')
  n.open_question()
  h.expect_screen(n, 'elicitation')
  -- What is required is missing.
  n.type_keys('S')
  n.wait_for_screen('It is not complete: /name')
  n.type_keys('/ name', '<CR>', '<CR>', 'Ann', '<CR>')
  n.wait_for_screen('Ann')
  n.type_keys('/ loud', '<CR>', 'i')
  n.type_keys('S')
  local came = vim.json.decode(n.result().text)
  h.equal(came, { action = 'accept', content = { name = 'Ann', size = 'small', loud = true } })
end

T['an elicitation that is declined or dismissed says so'] = MiniTest.new_set({
  parametrize = { { 'd', 'decline' }, { 'x', 'cancel' } },
})

T['an elicitation that is declined or dismissed says so']['as'] = function(key, action)
  local n = allowed('asking', { lines = 40 })
  n.call('asking.ask', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('s')
  n.asked('elicitation')
  n.open_question()
  n.type_keys(key)
  h.equal(vim.json.decode(n.result().text).action, action)
end

T['a page is opened by the person alone, and shown whole'] = function()
  local n = allowed('asking', { lines = 40 })
  n.lua([[vim.ui.open = function(url) _G.opened = url return {} end]])
  n.call('asking.page', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('o')
  n.asked('url')
  n.open_question()
  h.expect_screen(n, 'page')
  h.equal(n.lua_get('_G.opened'), vim.NIL)
  n.type_keys('o')
  h.equal(vim.json.decode(n.result().text).action, 'accept')
  h.equal(n.lua_get('_G.opened'), 'https://pay.example/to?who=ann')
end

T['without a model a connector is told that there is none'] = function()
  local n = allowed('asking')
  n.call('asking.think', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('o')
  h.contains(n.result().text, '"code"')
  h.equal(n.lua_get([[require('pillion').questions()]]), {})
end

T['a model answers after a yes'] = function()
  local n = allowed('asking', {
    lines = 40,
    before = [[lua require('pillion').setup({ sampling = function(params, done)
      done({ role = 'assistant', model = 'm', content = { type = 'text', text = 'It is 42.' } })
    end })]],
  })
  n.call('asking.think', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('o')
  n.asked('sampling')
  n.open_question()
  h.expect_screen(n, 'sampling')
  n.type_keys('a')
  h.contains(n.result().text, 'It is 42.')
end

T['a secret value is typed unseen'] = function()
  local m = machine()
  m.configure_user([[{
    "inputs": [{ "id": "token", "type": "promptString", "description": "A token of the shop", "password": true }],
    "mcpServers": { "notes": { "command": "pillion", "args": ["demo"], "env": { "TOKEN": "${input:token}" } } }
  }]])
  local n = neovim(m, { lines = 30 })
  n.cmd('Pillion start')
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  n.call('notes.list_notes', '{}')
  n.asked('input')
  n.open_question()
  h.expect_screen(n, 'input')
  local function wanted()
    n.api.nvim_input('i')
    h.wait('the value to be wanted', function()
      return n.api.nvim_get_mode().mode == 'c'
    end)
  end
  -- To give up is no fault, and no answer.
  wanted()
  n.api.nvim_input('s3<C-c>')
  n.wait_for('the end of typing', [[vim.api.nvim_get_mode().mode == 'n']])
  h.equal(n.lua_get([[require('pillion.fault').all()]]), {})
  h.equal(n.bo.filetype, 'pillion-question')
  n.alive()
  wanted()
  n.api.nvim_input('s3cret-value<CR>')
  h.equal(n.result().status, 'ok')
  h.lacks(
    n.lua_get([[vim.fn.execute('history all') .. vim.fn.execute('messages') .. vim.fn.execute('registers')]]),
    's3cret'
  )
  h.lacks(n.screen(), 's3cret')
end

T['a standing permission says how it is undone'] = function()
  local n = allowed()
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.lua([[vim.ui.select = function(items, opts, done) _G.offered = items; done(items[1]) end]])
  n.open_question()
  n.type_keys('t')
  h.equal(n.result().status, 'ok')
  n.wait_for('the way back to be said', [[vim.fn.execute('messages'):find(':Pillion undo', 1, true) ~= nil]])
  n.call('notes.write_note', '{"name":"todo","text":"tea"}')
  h.equal(n.result().status, 'ok')
  n.cmd('Pillion undo')
  n.wait_for('the permission to be taken back', [[vim.fn.execute('messages'):find('taken back', 1, true) ~= nil]])
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
end

---The file of standing permissions of a machine.
local function permissions(m)
  return m.home .. '/.local/state/pillion/permissions.json'
end

T['a store of decisions that cannot be read is asked about'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(permissions(m), '{ "version": 1, "rules": [')
  local n = neovim(m, { lines = 30, columns = 120 })
  local body = n.asked('store').body
  h.equal(body.unsealed, nil)
  -- It waits for the person, as every question.
  h.equal(#vim.tbl_filter(function(win)
    return n.api.nvim_win_get_config(win).focusable ~= false
  end, n.api.nvim_list_wins()), 1)
  n.open_question()
  screen.expect(n, 'store')
  n.type_keys('l')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  -- What was put off is asked again when the person wants to see what is open, and a yes goes on with an empty file.
  n.cmd('Pillion review')
  n.asked('store')
  n.wait_for('the questions', [[vim.bo.filetype == 'pillion-question']])
  n.type_keys(']')
  n.wait_for_screen('May Pillion go on with an empty file of decisions?')
  n.alive()
  n.type_keys('y')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 1]])
  h.contains(h.read(permissions(m)), '"rules": []')
end

-- Questions that the real sidecar does not come to here: no door of it leads to one who joins yet, and decisions are
-- sealed where there is a keyring. What answers is a stand-in for it.
T['asked by a stand-in for the sidecar'] = MiniTest.new_set({
  parametrize = {
    { 'join', 'd', 'decline' },
    { 'join', 'x', 'never' },
    { 'join', 's', 'session' },
    { 'join', 'a', 'allow' },
    { 'store', 'l', 'later' },
    { 'store', 'y', 'confirm' },
  },
})

T['asked by a stand-in for the sidecar']['and answered'] = function(kind, key, decision)
  local m = machine()
  m.configure({})
  local answer = m.root .. '/answer'
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  local cmd = { vim.env.PILLION_NVIM, '-l', here .. '/sidecar.lua', kind, answer }
  local n = neovim(m, { before = ('lua vim.g.pillion = { cmd = %s }'):format(vim.inspect(cmd):gsub('\n', ' ')) })
  n.asked(kind)
  n.wait_for_screen('1 question')
  n.open_question()
  screen.expect(n, kind == 'join' and 'join' or 'store-unsealed')
  n.type_keys(key)
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  h.equal(vim.json.decode(h.read(answer)), { askId = 'q1', answer = { decision = decision } })
end

T['stop everything, and resume by a yes'] = function()
  local n = allowed(nil, { lines = 40 })
  n.cmd('Pillion stop')
  n.wait_for('the end', [[vim.fn.execute('messages'):find('everything is stopped', 1, true) ~= nil]])
  n.cmd('Pillion resume')
  n.wait_for('the question', [[vim.bo.filetype == 'pillion-question']])
  n.alive()
  h.expect_screen(n, 'resume')
  n.type_keys('m')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  n.wait_for('that calls run again', [[require('pillion.state').mode() == 'ask']])
end

T['a question that a change led to is not shown over what was typed since'] = function()
  local n = allowed()
  n.cmd('Pillion mode plan')
  n.wait_for('the mode to be told', [[require('pillion.state').mode() == 'plan']])
  -- The key comes between the request and its answer.
  n.lua([[
    local client = require('pillion.client')
    local request = client.request
    client.request = function(method, params, done)
      return request(method, params, method ~= 'pillion/mode/set' and done or function(err, result)
        vim.api.nvim_feedkeys('j', 'xt', false)
        done(err, result)
        _G.done = true
      end)
    end]])
  n.cmd('Pillion')
  n.wait_for_screen('Plan mode: only tools that only read may run.')
  n.type_keys('gg', '<CR>')
  n.wait_for('the answer', '_G.done')
  n.wait_for('the question', [[#require('pillion').questions() == 1]])
  h.equal(n.bo.filetype, 'pillion-connectors')
  n.wait_for_screen('1 question')
end

T['two editors on one project'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local one, two = neovim(m), neovim(m)
  one.connector('notes', 'waiting')
  two.connector('notes', 'waiting')
  one.allow('notes')
  -- What was allowed in one is allowed in the other.
  two.wait_for(
    'the other one to know',
    [[(function()
      local c = require('pillion').connectors()[1]
      return c and c.state ~= 'waiting'
    end)()]]
  )
  one.call('notes.write_note', '{"name":"todo","text":"one"}')
  one.asked('approval')
  h.equal(two.lua_get([[require('pillion').questions()]]), {})
  one.open_question()
  one.type_keys('o')
  h.equal(one.result().status, 'ok')
end

T['what somebody else answers is said, and takes no key'] = function()
  local n = allowed()
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  local ask = n.asked('approval')
  n.open_question()
  n.lua(
    [[require('pillion.client').request('pillion/ask/answer', { askId = ..., answer = { decision = 'decline' } })]],
    { ask.askId }
  )
  n.wait_for_screen('This was answered')
  n.type_keys('o')
  h.equal(n.result().status, 'declined')
  n.type_keys('q')
  h.equal(#n.api.nvim_list_wins(), 1)
end

T['closing leaves it open'] =
  MiniTest.new_set({ parametrize = { { 'q' }, { '<Esc>' }, { ':close<CR>' }, { '<C-w>w' } } })

T['closing leaves it open']['by'] = function(keys)
  local n = allowed()
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.open_question()
  n.type_keys(keys)
  h.equal(n.bo.filetype ~= 'pillion-question', true)
  h.equal(#n.lua_get([[require('pillion').questions()]]), 1)
  h.equal(n.lua_get('_G.called'), vim.NIL)
end

return T
