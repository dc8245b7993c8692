-- Tools that are run, resources and prompts that are opened. Scenarios have their names from editors/scenarios.txt.
local h = require('helpers')
local screen = require('screen')
local steps = require('steps')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()
local page, go = steps.page, steps.go

local function person(opts, connectors)
  return steps.person(machine(), neovim, opts, connectors)
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
  n.alive()
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
  n.alive()
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

T['no picker, and with one'] = MiniTest.new_set()

T['no picker, and with one']['without'] = function()
  local n = person({ lines = 30 })
  n.api_notify.nvim_input(':Pillion tools list notes<CR>')
  steps.listed(n)
  if not steps.lists_block then
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

return T
