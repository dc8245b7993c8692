-- The connectors window and what is run from it. The names of the scenarios are those of tests/scenarios.txt.
local h = require('helpers')
local screen = require('screen')
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

---Waits until Neovim's own list asks for a number: an older Neovim answers nothing while it does.
local function listed(n)
  h.wait('a list to choose from', function()
    return n.is_blocked() or n.screen():find('Type number', 1, true)
  end)
end

T['no plugin picker'] = function()
  local n = person({ lines = 30 })
  n.api_notify.nvim_input(':Pillion tools list notes<CR>')
  listed(n)
  if not n.is_blocked() then
    screen.expect(n, 'picker-none')
  end
  n.api_notify.nvim_input('1<CR>')
  page(n, 'result', 'welcome')
end

T['with a picker'] = function()
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
  screen.expect(n, 'resource')
  h.equal({ n.bo.modifiable, n.bo.buftype, n.bo.modeline }, { false, 'nofile', false })
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

T['why'] = function()
  local n = person()
  n.cmd('Pillion tool off notes.chart')
  n.wait_for(
    'the tool to be off',
    [[(function()
    local done
    require('pillion').tools({ query = 'chart' }, function(_, r) done = r and r.total or 0 end)
    vim.wait(1000, function() return done ~= nil end)
    return done == 0
  end)()]]
  )
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

T['doctor'] = function()
  local n = person({ columns = 120, lines = 40 })
  n.cmd('Pillion doctor')
  page(n, 'doctor', 'as they should be')
  h.contains(n.screen(), 'Files')
end

return T
