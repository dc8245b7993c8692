-- The browser of the session, in a real one.
local h = require('helpers')
local MiniTest = require('mini.test')
local browser = require('pillion.lines.browser')
local screen = require('screen')
local steps = require('steps')
local view = require('pillion.view')
local T, machine, neovim = h.set()

local function told(result)
  return vim.tbl_map(view.text, browser.lines(result, 80))
end

T['U6 a browser has its words and one first action, and none where it is off'] = function()
  h.equal(told(nil), {})
  h.equal(told({ state = 'off' }), {})
  h.equal(told({ state = 'novel' }), {})
  h.equal(told({ state = 'off', auto = true }), { ' The browser of this session  off, starts without a question' })
  h.equal(told({ state = 'running' }), { ' The browser of this session  running' })
  local problem = { reason = 'there is no browser\27[2K', steps = {} }
  h.equal(told({ state = 'failed', problem = problem })[1]:find('\27', 1, true), nil)
  for state, hint in pairs({
    asking = 'see the question',
    running = 'show what it shows',
    refused = 'start it all the same',
    failed = 'start it again',
  }) do
    h.equal(browser.lines({ state = state }, 80)[1].hint, hint)
  end
end

---A site of this machine that says hello to everybody.
local function site()
  local server = assert(vim.uv.new_tcp())
  assert(server:bind('127.0.0.1', 0))
  server:listen(16, function()
    local client = assert(vim.uv.new_tcp())
    server:accept(client)
    client:read_start(function(_, data)
      if data then
        local body = '<!doctype html><link rel=icon href=data:,><title>Hi</title><h1>Hello there</h1>'
        local head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s'
        client:write(head:format(#body, body), function()
          client:close()
        end)
      end
    end)
  end)
  return server, '127.0.0.1:' .. server:getsockname().port
end

T["the person's own browser is asked for in words of its own"] = function()
  local ask = {
    askId = 'q1',
    kind = 'approval',
    asker = { kind = 'editor' },
    body = {
      method = 'pillion/browser/attach',
      tool = { label = 'browser.start', summary = 'Works in your browser.' },
      argumentsText = '{"provider":"native","attachesTo":"127.0.0.1:9222"}',
      reason = 'Nobody has allowed it yet.',
      choices = { 'decline', 'session' },
      scopes = {},
    },
  }
  local question = require('pillion.ui.approval').question(ask)
  local words = table.concat(vim.tbl_map(view.text, question.lines), '\n')
  h.contains(words, 'May this session work in the browser that you started, with your logins?')
  h.contains(vim.inspect(question.choices), 'Allow it in this session')
  h.lacks(vim.inspect(question.choices), 'Allow a browser')
end

T['a no is told, and a person starts it all the same'] = function()
  if vim.fn.executable('chromium-headless-shell') == 0 then
    MiniTest.skip('there is no browser on this machine')
  end
  local m = machine()
  local sandbox = vim.uv.getuid() == 0 and 'false' or 'true'
  local settings = ('{"browserProvider": "native", "browserSandbox": %s}'):format(sandbox)
  require('person').write(m.home .. '/.config/pillion/settings.json', settings)
  local n = steps.person(m, neovim, { columns = 120, lines = 40 })
  n.cmd('Pillion browser start')
  steps.page(n, 'question', 'May this session have a browser')
  n.alive()
  screen.expect(n, 'browser-question')
  n.type_keys('d')
  n.wait_for_screen('refused by you in this session')
  n.cmd('Pillion')
  steps.go(n, 'The browser of this session')
  n.type_keys('<CR>')
  steps.page(n, 'question', 'May this session have a browser')
  n.alive()
  n.type_keys('s')
  n.wait_for_screen('The browser of this session  running')
  n.wait_for(
    'it to be told',
    [[vim.fn.execute('messages'):find('the browser of this session is there', 1, true) ~= nil]]
  )
  h.lacks(n.lua_get([[vim.fn.execute('messages')]]), 'Pillion: Pillion')
  local server, address = site()
  n.cmd('Pillion browser open ' .. address)
  steps.page(n, 'result', 'Hello there')
  n.cmd('Pillion browser picture')
  n.wait_for_screen('image/png')
  n.cmd('Pillion browser stop')
  n.wait_for('it to have ended', [[require('pillion.state').browser().state == 'off']])
  n.cmd('Pillion browser start')
  steps.page(n, 'question', 'May this session have a browser')
  n.alive()
  n.type_keys('c')
  n.wait_for('it to run', [[require('pillion.state').browser().state == 'running']])
  n.cmd('Pillion browser stop')
  n.wait_for('it to be off', [[require('pillion.state').browser().state == 'off']])
  n.wait_for('it not to ask', [[require('pillion.state').browser().auto]])
  n.cmd('Pillion browser ask')
  n.wait_for('it to ask again', [[not require('pillion.state').browser().auto]])
  server:close()
end

return T
