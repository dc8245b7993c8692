-- The ways to install it that the documentation names, each in a Neovim that knows the plugin by nothing else.
local h = require('helpers')
local MiniTest = require('mini.test')
local T, machine, neovim = h.set()

local plugin = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)))

---Whether the plugin is there and does its work.
local function works(n)
  h.equal(n.fn.exists(':Pillion'), 2)
  n.cmd('Pillion start')
  n.connector('notes', 'waiting')
end

T['packpath'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local folder = m.home .. '/.local/share/nvim/site/pack/pillion/start'
  vim.fn.mkdir(folder, 'p')
  assert(vim.uv.fs_symlink(plugin, folder .. '/pillion'))
  works(neovim(m, { plugin = false, clean = false }))
end

T['vim.pack'] = function()
  if vim.fn.has('nvim-0.12') == 0 then
    MiniTest.skip('Skip: there is no vim.pack before 0.12')
  end
  local m = machine()
  m.configure({ notes = m.notes() })
  local source = m.root .. '/pillion.nvim'
  local function run(...)
    local done = vim.system({ ... }, { env = { HOME = m.home }, text = true }):wait()
    h.equal({ done.code, done.stderr }, { 0, done.code == 0 and done.stderr or '' })
  end
  run('cp', '-r', plugin, source)
  run('git', '-C', source, 'init', '-q', '-b', 'main')
  run('git', '-C', source, 'add', '-A')
  run('git', '-C', source, '-c', 'user.name=a', '-c', 'user.email=a@example', 'commit', '-qm', 'plugin')
  h.write(
    m.home .. '/.config/nvim/init.lua',
    ('vim.pack.add({ { src = "file://%s" } }, { confirm = false })\n'):format(source)
  )
  -- Without a screen: what it says of its progress makes Neovim wait for a key.
  works(neovim(m, { plugin = false, clean = false, ui = false }))
end

-- lazy.nvim itself is in no registry that the beds install from; it was seen to do its work with { dir = … } on both
-- versions. Here is what it does for a folder, after the start.
T['lazy.nvim needs no setup: the folder on the runtimepath is all'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  local n = neovim(m, { plugin = false })
  n.cmd('set runtimepath+=' .. plugin)
  n.cmd('source ' .. plugin .. '/plugin/pillion.lua')
  works(n)
end

T['loaded twice it is there once'] = function()
  local m = machine()
  local n = neovim(m)
  n.cmd('source ' .. plugin .. '/plugin/pillion.lua')
  h.equal(n.lua_get([[#vim.api.nvim_get_autocmds({ group = 'pillion', event = 'VimEnter' })]]), 1)
end

T['nothing is mapped and nothing is loaded before it is used'] = function()
  local m = machine()
  local n = neovim(m)
  local loaded = n.lua_get([[vim.tbl_filter(function(name)
    return vim.startswith(name, 'pillion') and name ~= 'pillion.start'
      and not vim.list_contains({ 'pillion', 'pillion.statusline', 'pillion.options' }, name)
  end, vim.tbl_keys(package.loaded))]])
  h.equal(loaded, {})
  for _, mode in ipairs({ 'n', 'i', 'v', 't', 'c' }) do
    for _, mapping in ipairs(n.api.nvim_get_keymap(mode)) do
      if (mapping.rhs or ''):find('Pillion') then
        h.equal({ mapping.lhs, vim.startswith(mapping.lhs, '<Plug>(pillion') }, { mapping.lhs, true })
      end
    end
  end
end

T['it costs less than a millisecond at the start'] = function()
  local m = machine()
  local n = neovim(m, { plugin = false, ui = false })
  h.write(m.root .. '/empty.lua', '')
  -- The best of many: what else the machine does makes some of them slower, and none faster.
  local best = n.lua(
    [[
    local function cost(file)
      local best = math.huge
      for _ = 1, 50 do
        vim.g.loaded_pillion = nil
        local began = vim.uv.hrtime()
        vim.cmd.source(file)
        best = math.min(best, (vim.uv.hrtime() - began) / 1e6)
      end
      return best
    end
    return { plugin = cost((...) .. '/plugin/pillion.lua'), empty = cost(select(2, ...)) }]],
    { plugin, m.root .. '/empty.lua' }
  )
  local words = ('%.3f ms, an empty file %.3f ms, ratio %.1f'):format(best.plugin, best.empty, best.plugin / best.empty)
  MiniTest.add_note(words)
  h.equal({ best.plugin - best.empty < 1, words }, { true, words })
end

return T
