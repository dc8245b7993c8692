-- What each kind of question shows and which answer each key sends, without a window.
local h = require('helpers')
local MiniTest = require('mini.test')
local view = require('pillion.view')
local T = MiniTest.new_set()

local agent = { kind = 'agent', name = 'claude "x', program = '/usr/bin/claude', pid = 42 }

local bodies = {
  join = { program = '/usr/bin/claude', pid = 42, parent = '/bin/sh', claimedName = 'claude' },
  store = { file = '/home/ann/.local/state/pillion/x', reason = 'it is cut off', setAside = '/home/ann/x.old' },
  widen = {
    change = 'rule',
    name = 'notes',
    tool = 'write_note',
    scope = 'user',
    now = {},
    ['then'] = 'calls run',
    hash = 'abc',
    where = { { path = '/name', glob = 'a*' } },
  },
  input = { id = 'token', description = 'A token', secret = true, destination = 'pillion demo' },
  sampling = { connector = 'c', name = 'notes', paramsText = '{"maxTokens":9007199254740993}' },
  url = { connector = 'c', name = 'notes', message = 'Sign in.', url = 'javascript:alert(1)' },
}

local standing = require('pillion.ui.standing')
local makers = {
  join = standing.join,
  store = standing.store,
  widen = standing.widen,
  input = require('pillion.ui.input'),
  sampling = require('pillion.ui.sampling'),
  url = require('pillion.ui.elicitation'),
}

local function page(kind)
  local question = makers[kind].question({ askId = 'q', kind = kind, asker = agent, body = bodies[kind] }, {})
  return question, table.concat(vim.tbl_map(view.text, question.lines), '\n')
end

---What a key sends.
local function sent(question, key)
  local answer
  for _, choice in ipairs(question.choices) do
    if choice[1] == key then
      choice[4]({
        send = function(given)
          answer = given
        end,
        say = function() end,
      })
    end
  end
  return answer
end

T['the answers are exact, the safe one first'] = MiniTest.new_set({
  parametrize = {
    { 'join', 'd', { decision = 'decline' } },
    { 'join', 's', { decision = 'session' } },
    { 'join', 'a', { decision = 'allow' } },
    { 'join', 'x', { decision = 'never' } },
    { 'store', 'l', { decision = 'later' } },
    { 'store', 'y', { decision = 'confirm' } },
    { 'widen', 'k', { decision = 'keep' } },
    { 'widen', 'm', { decision = 'make' } },
    { 'input', 'x', { cancelled = true } },
    { 'sampling', 'd', { declined = true } },
    { 'url', 'd', { action = 'decline' } },
    { 'url', 'x', { action = 'cancel' } },
  },
})

T['the answers are exact, the safe one first']['of'] = function(kind, key, answer)
  local question = page(kind)
  h.equal(sent(question, key), answer)
  local safe = { join = 'd', store = 'l', widen = 'k', input = 'x', sampling = 'd', url = 'd' }
  h.equal(question.choices[1][1], safe[kind])
end

T['keys are not given twice'] = function()
  for kind in pairs(makers) do
    local seen = { q = true, ['g?'] = true, [']'] = true, ['['] = true }
    for _, choice in ipairs((page(kind)).choices) do
      h.equal({ kind, choice[1], seen[choice[1]] }, { kind, choice[1] })
      seen[choice[1]] = true
    end
  end
end

T['all of it is shown'] = function()
  local _, join = page('join')
  h.contains(join, '/usr/bin/claude')
  local _, store = page('store')
  h.contains(store, 'it is cut off')
  h.contains(store, '/home/ann/x.old')
  local _, widen = page('widen')
  for _, part in ipairs({
    'notes.write_note',
    'no rule: calls ask',
    'calls run',
    'in every folder',
    '/name',
    'a*',
    'abc',
  }) do
    h.contains(widen, part)
  end
  h.contains(widen, 'an agent that calls itself "claude \\u{22}x" (/usr/bin/claude, process 42)')
  local _, sampling = page('sampling')
  h.contains(sampling, '9007199254740993')
end

T['S23 only pages of the web are opened'] = function()
  local question, shown = page('url')
  h.contains(shown, 'javascript:alert(1)')
  h.equal(sent(question, 'o'), nil)
end

T['U31 over SSH a page is copied, and not opened on the machine of Neovim'] = function()
  local url = bodies.url.url
  local function keys()
    bodies.url.url = 'https://pay.example/'
    local found = vim.tbl_map(function(choice)
      return choice[1]
    end, (page('url')).choices)
    bodies.url.url = url
    return table.concat(found)
  end
  h.equal(keys(), 'dxyoa')
  vim.env.SSH_CONNECTION = '10.0.0.1 1 10.0.0.2 22'
  h.equal(keys(), 'dxya')
  vim.env.SSH_CONNECTION = nil
end

T['what is no call of a tool says what it is'] = function()
  local approval = require('pillion.ui.approval')
  local body = {
    tool = { label = 'notes', summary = '' },
    method = 'resources/read',
    argumentsText = '{}',
    reason = '',
    choices = { 'decline', 'once' },
    scopes = {},
  }
  local shown = approval.question({ askId = 'q', kind = 'approval', asker = agent, body = body }).lines
  h.contains(table.concat(vim.tbl_map(view.text, shown), '\n'), 'resources/read')
  h.equal(approval.short(body), 'May notes be asked for?')
end

T['a secret that a definition hands on is confirmed by name'] = function()
  local consent = require('pillion.ui.consent')
  local body = {
    items = {
      { connector = 'a', secrets = { { name = 'TOKEN', destination = 'x' } } },
      { connector = 'b' },
      { connector = 'c', secrets = { { name = 'OTHER', destination = 'x' } } },
    },
  }
  h.equal(
    consent.answer(body, { a = 'allow', b = 'allow', c = 'later' }),
    { decisions = { a = 'allow', b = 'allow', c = 'later' }, secrets = { a = { 'TOKEN' } } }
  )
end

return T
