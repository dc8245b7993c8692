-- What never disturbs: typing through questions, text of others in status lines and file names, pickers, faults.
local h = require('helpers')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

---A Neovim with one approval open, in the given state of typing.
local function with_question(keys, opts)
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, opts)
  n.allow('notes')
  if keys then
    n.type_keys(keys)
  end
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  return n
end

local function is_open(n)
  return #n.lua_get([[require('pillion').questions()]]) == 1
end

-- What was pressed before the question comes, and what then stands where it was typed.
T['typing through a question'] = MiniTest.new_set({
  parametrize = {
    { 'i', 'ostcda ' },
    { 'A', 'ostcda ' },
    { 'R', 'ostcda ' },
    { 'v', '' },
    { ':', 'ostcda ' },
    { '/', 'ostcda ' },
    { '', 'stcda ' }, -- o opens a line
  },
})

T['typing through a question']['in'] = function(keys, typed)
  local n = with_question(keys)
  local before = n.api.nvim_get_current_win()
  -- Every key that answers something, typed on.
  local all = { 'o', 's', 't', 'c', 'd', 'a', ' ' }
  n.type_through(keys == 'v' and vim.fn['repeat']({ 'l' }, #all) or all)
  local is_command = keys == ':' or keys == '/'
  h.equal(is_command and n.fn.getcmdline() or n.api.nvim_get_current_line(), typed)
  h.equal(n.api.nvim_get_current_win(), before)
  h.equal(is_open(n), true)
  h.equal(n.lua_get('_G.called'), vim.NIL)
  n.api.nvim_input('<Esc>')
end

T['a terminal keeps the focus'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m)
  n.allow('notes')
  n.cmd('terminal')
  n.type_keys('i')
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  n.asked('approval')
  h.equal(n.api.nvim_get_mode().mode, 't')
  h.equal(n.bo.buftype, 'terminal')
  n.type_keys([[<C-\><C-n>]])
  n.cmd('bdelete!')
end

T['a question that was just shown takes no key'] = function()
  local n = with_question()
  -- The keys come with the command, as from somebody who types on.
  n.type_keys(':Pillion questions<CR>', 'o', 'o', 'o')
  n.wait_for('the question', [[vim.bo.filetype == 'pillion-question']])
  h.equal(is_open(n), true)
  h.equal(n.lua_get([[vim.wo.winbar:find('PillionKey#', 1, true) == nil]]), true)
  n.alive()
  n.type_keys('d')
  h.equal(n.result().status, 'declined')
end

T['keys in the dead time begin it anew'] = function()
  local n = with_question()
  -- The time is the test's: somebody types every 400 ms, and stops.
  n.lua([[_G.clock = 100000; vim.uv.now = function() return _G.clock end]])
  n.cmd('Pillion questions')
  n.wait_for('a question', [[vim.bo.filetype == 'pillion-question']])
  for _ = 1, 4 do
    n.lua('_G.clock = _G.clock + 400')
    n.type_through({ 'o' })
    n.settle()
    h.equal(is_open(n), true)
  end
  h.equal(n.lua_get('_G.called'), vim.NIL)
  n.lua('_G.clock = _G.clock + 501')
  n.alive()
  n.type_keys('o')
  h.equal(n.result().status, 'ok')
end

T['after a call of their own the person sees its question, once they are quiet'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m)
  n.allow('notes')
  n.lua([[require('pillion.ui.focus').expect()]])
  n.call('notes.write_note', '{"name":"other","text":"milk"}')
  n.wait_for('the question', [[vim.bo.filetype == 'pillion-question']])
end

T['the badge has no focus and can be sent away'] = function()
  local n = with_question()
  n.wait_for_screen('May notes.write_note run?')
  n.type_keys('<C-w>w', '<C-w>w')
  h.equal(n.api.nvim_win_get_config(0).relative, '')
  n.cmd('Pillion hide')
  h.lacks(n.screen(), 'May notes.write_note run?')
  h.equal(is_open(n), true)
  -- Something new brings it back.
  n.open_question()
  n.type_keys('d')
  n.result()
  n.call('notes.write_note', '{"name":"other","text":"milk"}')
  n.wait_for_screen('May notes.write_note run?')
end

T['the badge names the key that the person has for it'] = function()
  local n = with_question(nil, { before = 'nnoremap <Space>q <Plug>(pillion-questions)' })
  n.wait_for_screen('<Space>q')
  n.type_keys(' q')
  n.wait_for('the question', [[vim.bo.filetype == 'pillion-question']])
end

T['no float where the person wants none'] = function()
  local n = with_question(nil, { before = 'lua vim.g.pillion = { questions = { float = false } }' })
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 question')
  h.lacks(n.screen(), 'May notes.write_note run?')
end

T['status line and file name injection'] = function()
  local m = machine()
  local name = '%{system("touch hacked")}%#Error#'
  m.configure({ [name] = { command = 'no-such-program-%{1}', args = { '%{2}\27\u{202e}' } } })
  local n = neovim(m, { columns = 120, lines = 40 })
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  n.open_question()
  local screen = n.screen()
  h.contains(screen, [["%{system(\u{22}touch hacked\u{22})}%#Error#"]])
  h.contains(screen, [[%{2}\u{1b}\u{202e}]])
  h.expect_screen(n, 'injection')
  n.type_keys('a')
  n.wait_for('it to fail', [[require('pillion').connectors()[1].state == 'failed']])
  n.wait_for_screen('does not run')
  h.contains(n.screen(), '%{system("touch hacked"')
  h.lacks(n.screen(), '\u{202e}')
  h.equal(vim.uv.fs_stat(m.repository .. '/hacked'), nil)
  h.contains(n.lua_get([[require('pillion').statusline()]]), '%%{system')
end

T['what a tool says of itself moves nothing'] = function()
  local m = machine()
  m.configure({ asking = m.asking() })
  local n = neovim(m, { lines = 40 })
  n.allow('asking')
  n.call('asking.evil', '{"a":"\\u202e%{1}"}')
  n.asked('approval')
  n.open_question()
  h.expect_screen(n, 'evil')
  local screen = n.screen()
  h.contains(screen, [[\u{1b}]0;title\u{7}\u{202e}\u{200b}%{system("touch hacked")}%#Error#]])
  h.lacks(screen, '\u{202e}')
  n.type_keys('d')
  h.equal(n.result().status, 'declined')
  h.equal(vim.uv.fs_stat(m.repository .. '/hacked'), nil)
end

T['where a standing yes counts is chosen, by no picker and by one'] =
  MiniTest.new_set({ parametrize = { { 'none' }, { 'one' } } })

T['where a standing yes counts is chosen, by no picker and by one']['is'] = function(kind)
  local m = machine()
  m.configure_user({ notes = m.notes() })
  local n = neovim(m, { lines = 40 })
  n.cmd('Pillion start')
  n.wait_for('the connector', [[#require('pillion').connectors() == 1]])
  if kind == 'one' then
    n.lua([[vim.ui.select = function(items, opts, done)
      _G.offered = vim.tbl_map(opts.format_item, items)
      vim.schedule(function() done(items[2], 2) end)
    end]])
  end
  n.call('notes.write_note', '{"name":"todo","text":"milk"}')
  local ask = n.asked('approval')
  h.equal(#ask.body.scopes > 1, true)
  n.open_question()
  if kind == 'one' then
    n.type_keys('t')
    h.equal(n.result().status, 'ok')
    h.equal(n.lua_get('_G.offered[1]'), 'until this session ends')
  else
    n.api.nvim_input('t')
    h.wait('the list', function()
      return n.api.nvim_get_mode().mode ~= 'n'
    end)
    n.api.nvim_input('2<CR>')
    h.equal(n.result().status, 'ok')
  end
end

T['a fault of the plugin is told, not thrown'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { columns = 160 })
  n.connector('notes', 'waiting')
  n.lua([[require('pillion').on('asks', function() error('broken listener') end)]])
  n.open_question()
  n.wait_for('the fault', [[#require('pillion.fault').all() == 1]])
  h.equal(n.bo.filetype, 'pillion-question')
  n.alive()
  h.contains(n.lua_get([[require('pillion.fault').all()[1] ]]), 'broken listener')
  -- The same fault, come to in another way, is told once.
  n.type_keys('n')
  n.wait_for('the question to be gone', [[#require('pillion').questions() == 0]])
  h.equal(n.lua_get([[#require('pillion.fault').all()]]), 1)
end

return T
