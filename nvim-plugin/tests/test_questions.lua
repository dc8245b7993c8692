-- Questions as a person meets them. The names of the scenarios are those of tests/scenarios.txt.
local h = require('helpers')
local T, machine, neovim = h.set()

---Waits until the keys of the page that is shown mean something.
local function alive(n)
  n.wait_for('the question to take an answer', [[vim.wo.winbar:find('PillionKey#', 1, true) ~= nil]])
end

---Opens what is asked and waits until it takes an answer.
local function open(n)
  n.cmd('Pillion questions')
  n.wait_for('the question', [[vim.bo.filetype == 'pillion-question']])
  alive(n)
end

---A repository with the connector of notes, allowed.
local function allowed(opts)
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, opts)
  n.connector('notes', 'waiting')
  open(n)
  n.type_keys('a')
  n.connector('notes', 'ready')
  return n, m
end

---Calls a tool; what comes of it is in _G.called.
local function call(n, tool, arguments)
  n.lua(
    [[local tool, arguments = ...
    _G.called = nil
    require('pillion').call(tool, arguments, nil, function(err, result) _G.called = { err = err, result = result } end)]],
    { tool, arguments }
  )
end

local function asked(n, kind)
  return n.wait_for(
    'a question of the kind ' .. kind,
    [[(function(kind)
      for _, ask in ipairs(require('pillion').questions()) do
        if ask.kind == kind then return ask end
      end
    end)(...)]],
    kind
  )
end

local function result(n)
  return n.wait_for('the call to end', '_G.called').result
end

T['first open and consent'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { args = { '.mcp.json' }, columns = 100, lines = 40 })
  n.connector('notes', 'waiting')
  -- Nothing asks by itself (U2).
  h.equal(n.lua_get([[require('pillion').questions()]]), {})
  h.equal(#n.api.nvim_list_wins(), 1)
  open(n)
  h.expect_screen(n, 'consent')
  n.type_keys('a')
  h.equal(n.connector('notes', 'ready').tools > 0, true)
  h.equal(n.bo.filetype ~= 'pillion-question', true)
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 ready')
end

T['a call is approved'] = function()
  local n = allowed()
  call(n, 'notes.write_note', '{"name":"todo","text":"milk, 9007199254740993"}')
  asked(n, 'approval')
  n.wait_for_screen('May notes.write_note run?')
  h.expect_screen(n, 'badge')
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 question')
  open(n)
  h.expect_screen(n, 'approval')
  n.type_keys('o')
  h.equal(result(n).status, 'ok')
  n.wait_for('the window to be gone', [[#vim.api.nvim_list_wins() == 1]])
end

T['decline with words'] = function()
  local n = allowed()
  call(n, 'notes.write_note', '{"name":"todo","text":"milk"}')
  asked(n, 'approval')
  open(n)
  n.type_keys('D')
  n.type_keys('write it in the readme', '<CR>')
  local came = result(n)
  h.equal(came.status, 'declined')
  h.contains(came.message .. (came.text or ''), 'write it in the readme')
end

return T
