-- The life of the sidecar: how it ends, comes back, and what a missing or older program says.
local h = require('helpers')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

local quick = 'lua vim.g.pillion = { restart = { attempts = 2, delay_ms = 10 } }'

T['U8 the window that has the focus is told of'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = quick })
  n.connector('notes', 'waiting')
  n.lua([[
    local client = vim.lsp.get_clients({ name = 'pillion' })[1]
    local told = client.server_capabilities.experimental.pillion
    local path = vim.fs.joinpath(vim.fs.dirname(told.attach.socket), told.window .. '.json')
    function _G.focused_at()
      return vim.json.decode(table.concat(vim.fn.readfile(path))).focusedAt
    end
    _G.before = _G.focused_at()
    vim.api.nvim_exec_autocmds('FocusGained', {})
  ]])
  n.wait_for('it to be written down', '_G.before ~= nil and _G.focused_at() ~= _G.before')
end

T['sidecar killed'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = quick })
  n.allow('notes')
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  n.open_question()
  local first = h.sidecar(n)
  vim.uv.kill(first, 'sigkill')
  -- Whoever waited is told, the question is gone, and everything comes back without a word in the person's way.
  local came = n.wait_for('the call to end', '_G.called')
  h.contains(came.err.message, 'ended by signal 9')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  n.wait_for_screen('This question is not open any more.')
  n.wait_for('it to come back', [[require('pillion.client').running()]])
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  h.equal(h.sidecar(n) ~= first, true)
  h.equal(n.lua_get([[vim.fn.execute('messages'):find('quit with exit code') == nil]]), true)
end

T['nothing is under way any more once the sidecar was killed'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = quick })
  n.connector('notes', 'waiting')
  n.lua([[require('pillion.ui.progress').watch()
    vim.api.nvim_exec_autocmds('LspProgress', { data = {
      client_id = vim.lsp.get_clients({ name = 'pillion' })[1].id,
      params = { token = 'start', value = { kind = 'begin', title = 'notes', message = 'downloading' } },
    } })]])
  n.wait_for('the work to be spoken of', [[(require('pillion').statusline():find('downloading', 1, true))]])
  vim.uv.kill(h.sidecar(n), 'sigkill')
  n.wait_for('it to come back', [[require('pillion').statusline() == 'Pillion: 1 needs permission']])
end

T['a sidecar that ends again and again is left alone, with a way back'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = quick })
  n.connector('notes', 'waiting')
  for _ = 1, 3 do
    n.wait_for('it to run', [[require('pillion.client').running()]])
    vim.uv.kill(h.sidecar(n), 'sigkill')
    n.wait_for('the end', [[not require('pillion.client').running()]])
  end
  n.wait_for('the end of trying', [[require('pillion.client').status().state == 'failed']])
  n.wait_for_screen('does not run, :Pillion restart')
  n.cmd('Pillion restart')
  n.connector('notes', 'waiting')
end

T['a missing program says what to do'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { before = 'lua vim.g.pillion = { cmd = { "no-such-pillion", "--stdio" } }' })
  n.wait_for('the failure', [[require('pillion.client').status().state == 'failed']])
  local status = n.lua_get([[require('pillion.client').status()]])
  h.contains(status.reason, 'there is no program no-such-pillion')
  h.equal(#status.steps, 2)
  -- It is said in one line, which waits for no key.
  h.equal(n.is_blocked(), false)
  n.wait_for_screen('(:checkhealth pillion)')
  -- Nothing hangs on it.
  n.lua([[require('pillion').tools({}, function(err) _G.tools = err end)]])
  h.equal(n.wait_for('the answer', '_G.tools').code, 'client')
end

-- As in a home that cannot be written: Neovim's language client cannot even be loaded.
T['a Neovim that cannot write its log says what to do'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(m.root .. '/file', '')
  local n = neovim(m, { environment = { XDG_STATE_HOME = m.root .. '/file' } })
  n.wait_for('the failure', [[require('pillion.client').status().state == 'failed']])
  local status = n.lua_get([[require('pillion.client').status()]])
  h.contains(status.reason, 'Cannot create directory')
  h.contains(status.steps[1], 'XDG_STATE_HOME')
  n.cmd('Pillion')
  n.wait_for_screen('Pillion does not run.')
  h.equal(n.lua_get([[require('pillion.fault').all()]]), {})
end

T['an older program says what to do'] = MiniTest.new_set({
  parametrize = { { 'exit 2' }, { 'exec "$PILLION_NVIM" -l "$PILLION_OLDER"' } },
})

T['an older program says what to do']['that'] = function(does)
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(m.root .. '/bin/older', '#!/bin/sh\n' .. does .. '\n')
  vim.uv.fs_chmod(m.root .. '/bin/older', tonumber('700', 8))
  -- A language server that knows nothing of this protocol.
  h.write(
    m.root .. '/older.lua',
    [[
    while true do
      local length = tonumber((io.read('*l') or os.exit(0)):match('%d+'))
      io.read('*l')
      local message = vim.json.decode(io.read(length))
      if message.id then
        local text = vim.json.encode({ jsonrpc = '2.0', id = message.id, result = { capabilities = vim.empty_dict() } })
        io.stdout:write(('Content-Length: %d\r\n\r\n%s'):format(#text, text))
        io.stdout:flush()
      elseif message.method == 'exit' then
        os.exit(0)
      end
    end]]
  )
  local n = neovim(m, {
    before = ('lua vim.g.pillion = { cmd = { %q, "--stdio" } }'):format(m.root .. '/bin/older'),
    environment = { PILLION_NVIM = vim.env.PILLION_NVIM, PILLION_OLDER = m.root .. '/older.lua' },
  })
  n.wait_for('the failure', [[require('pillion.client').status().state == 'failed']])
  h.contains(table.concat(n.lua_get([[require('pillion.client').status()]]).steps, '\n'), 'the same version')
end

T['editor quits'] = MiniTest.new_set({ parametrize = { { 'qa!' }, { 'cquit' }, { 'sigterm' }, { 'sighup' } } })

-- C82: a clean connector, a slow one and one that ignores its end; nothing is left, and Neovim waits for none.
T['editor quits']['by'] = function(how)
  local m = machine()
  h.write(m.root .. '/bin/deaf', '#!/bin/sh\ntrap "" TERM HUP INT\n"$@"\nwhile :; do sleep 1; done\n')
  h.write(m.root .. '/bin/slow', ('#!/bin/sh\n"$@"\nsleep 1\necho flushed >%s/flushed\n'):format(m.root))
  for _, name in ipairs({ 'deaf', 'slow' }) do
    vim.uv.fs_chmod(m.root .. '/bin/' .. name, tonumber('700', 8))
  end
  m.configure_user({
    clean = m.notes(),
    slow = { command = m.root .. '/bin/slow', args = { 'pillion', 'demo' } },
    deaf = { command = m.root .. '/bin/deaf', args = { 'pillion', 'demo' } },
  })
  local n = neovim(m)
  n.cmd('Pillion start')
  n.wait_for('the connectors', [[#require('pillion').connectors() == 3]])
  for _, name in ipairs({ 'clean', 'slow', 'deaf' }) do
    n.call(name .. '.list_notes', '{}')
    local came = n.result()
    h.equal({ name, came.status, came.message }, { name, 'ok' })
  end
  -- A sidecar that stands still can answer nothing and end nothing: whoever waited for either would wait for ever.
  local sidecar = h.sidecar(n)
  assert(vim.uv.kill(sidecar, 'sigstop'))
  local began = vim.uv.hrtime()
  if vim.startswith(how, 'sig') then
    vim.uv.kill(n.pid, how)
    h.wait('Neovim to end', function()
      return n.exit_code
    end)
    n.job = nil
  else
    n.quit(how)
  end
  MiniTest.add_note(('Neovim ended after %d ms'):format((vim.uv.hrtime() - began) / 1e6))
  local left = table.concat(h.inhabitants(m), '\n')
  assert(vim.uv.kill(sidecar, 'sigcont'))
  for _, name in ipairs({ 'pillion --stdio', '/bin/deaf', '/bin/slow' }) do
    h.contains(left, name)
  end
  -- The slow one had its time; what is left of the others is looked for after each test.
  h.wait('the slow one to end by itself', function()
    return vim.uv.fs_stat(m.root .. '/flushed')
  end)
end

T['a run of the tests that is killed leaves nothing'] = MiniTest.new_set({ parametrize = { { 'true' }, { 'false' } } })

T['a run of the tests that is killed leaves nothing']['with somebody who looks'] = function(ui)
  local m = machine()
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  h.write(
    m.root .. '/run.lua',
    ([[
    vim.opt.runtimepath:prepend(vim.env.PILLION_MINI_TEST)
    package.path = %q .. '/?.lua;' .. package.path
    local h = require('helpers')
    local m = h.machine()
    m.configure_user({ notes = m.notes() })
    local n = h.neovim(m, { ui = %s })
    n.cmd('Pillion start')
    n.connector('notes', 'ready')
    n.api_notify.nvim_input(':call getchar()<CR>')
    h.write(%q, '')
    vim.wait(1e8, function() return false end)]]):format(here, ui, m.root .. '/begun')
  )
  local run = vim.system({ vim.env.PILLION_NVIM, '--clean', '-l', m.root .. '/run.lua' }, {
    env = { TMPDIR = m.root .. '/tmp' },
  })
  h.wait('the run to begin', function()
    return vim.uv.fs_stat(m.root .. '/begun')
  end)
  run:kill('sigkill')
  -- What is left running is looked for after each test.
end

T['an elicitation ends with its editor'] = function()
  local m = machine()
  m.configure({ asking = m.asking() })
  local n = neovim(m)
  n.allow('asking')
  n.call('asking.ask', '{}')
  n.asked('approval')
  n.open_question()
  n.type_keys('s')
  n.asked('elicitation')
  n.quit() -- C48: what is left running is looked for after each test
end

T['the way back'] = function()
  local comeback = require('pillion.client').comeback
  local opts = { attempts = 3, delay_ms = 100 }
  h.equal({ comeback(0, 10, opts) }, { 100, 1 })
  h.equal({ comeback(1, 10, opts) }, { 200, 2 })
  h.equal({ comeback(2, 10, opts) }, { 400, 3 })
  h.equal({ comeback(3, 10, opts) }, { nil, 3 })
  h.equal({ comeback(3, 60000, opts) }, { 100, 1 })
  h.equal({ comeback(20, 10, { attempts = 99, delay_ms = 100 }) }, { 30000, 21 })
end

return T
