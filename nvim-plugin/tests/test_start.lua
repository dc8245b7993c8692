-- When Pillion starts, and when it does not (U32, U33).
local h = require('helpers')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

T['opening a repository starts Pillion and runs nothing'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m)
  local notes = n.connector('notes', 'waiting')
  h.equal(notes.processes, {})
  h.equal(n.lua_get([[require('pillion').statusline()]]), 'Pillion: 1 needs permission')
end

-- What must not start Pillion, by what Neovim is started with.
T['nothing starts'] = MiniTest.new_set({
  parametrize = { { 'COMMIT_EDITMSG' }, { '-d' }, { '+Man!' }, { 'home' }, { 'autostart' }, { 'plain' } },
})

T['nothing starts']['for'] = function(kind)
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(m.home .. '/.mcp.json', '{}')
  local opts = { args = { kind } }
  if kind == 'COMMIT_EDITMSG' then
    opts.args = { '+set filetype=gitcommit', m.repository .. '/COMMIT_EDITMSG' }
  elseif kind == '-d' then
    opts.args = { '-d', m.repository .. '/a', m.repository .. '/b' }
  elseif kind == 'home' then
    opts = { cwd = m.home, args = { 'notes.txt' } }
  elseif kind == 'autostart' then
    opts = { before = 'lua vim.g.pillion = { autostart = false }' }
  elseif kind == 'plain' then
    os.remove(m.repository .. '/.mcp.json')
    opts = { args = { 'readme.md' } }
  end
  local n = neovim(m, opts)
  -- Nothing of what was put off has loaded the client.
  n.settle()
  h.equal(n.lua_get([[package.loaded['pillion.client'] == nil]]), true)
  h.equal(n.lua_get([[require('pillion').statusline()]]), '')
end

T['a Neovim that nobody looks at starts nothing, but on command'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { ui = false })
  n.settle()
  h.equal(n.lua_get([[package.loaded['pillion.client'] == nil]]), true)
  n.cmd('Pillion start')
  n.connector('notes', 'waiting')
end

T['the decision'] = function()
  local start = require('pillion.start')
  local good = {
    ui = true,
    pager = false,
    diff = false,
    filetype = 'lua',
    buftype = '',
    root = '/home/ann/shop',
    home = '/home/ann',
    autostart = true,
  }
  h.equal(start.decide(good), true)
  for name, other in pairs({
    ui = { ui = false },
    pager = { pager = true },
    diff = { diff = true },
    gitcommit = { filetype = 'gitcommit' },
    gitrebase = { filetype = 'gitrebase' },
    terminal = { buftype = 'terminal' },
    home = { root = '/home/ann' },
    home_with_slash = { root = '/home/ann/' },
    top = { root = '/' },
    autostart = { autostart = false },
  }) do
    local starts, why = start.decide(vim.tbl_extend('force', good, other))
    if starts or why == '' then
      error(name .. ' starts: ' .. why)
    end
  end
end

T['with no folder there is the user file alone, and never the home folder'] = function()
  local m = machine()
  m.configure_user({ mine = m.notes() })
  h.write(m.home .. '/.mcp.json', vim.json.encode({ mcpServers = { trap = m.notes() } }))
  local n = neovim(m, { cwd = m.home })
  n.cmd('Pillion start')
  n.connector('mine', 'starting') -- not listed yet: it starts on use
  h.equal(#n.lua_get([[require('pillion').connectors()]]), 1)
  h.equal(n.lua_get([[require('pillion.client').roots()]]), {})
end

T['what the person ended stays ended until they want it'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m)
  n.connector('notes', 'waiting')
  n.cmd('Pillion quit')
  n.cmd('edit readme.md')
  n.settle()
  h.equal(n.lua_get([[require('pillion.client').status().state]]), 'off')
  n.cmd('Pillion')
  n.connector('notes', 'waiting')
end

T['a second repository joins the same Pillion'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(m.home .. '/other/.mcp.json', vim.json.encode({ mcpServers = { ['other-notes'] = m.notes() } }))
  local n = neovim(m)
  n.connector('notes', 'waiting')
  n.cmd('edit ' .. m.home .. '/other/readme.md')
  n.connector('other-notes', 'waiting')
  h.equal(n.lua_get([[#vim.lsp.get_clients({ name = 'pillion' })]]), 1)
end

return T
