-- :checkhealth pillion (U32).
local h = require('helpers')
local T, machine, neovim = h.set()

local function report(n)
  n.cmd('checkhealth pillion')
  return n.wait_for(
    'the report',
    [[(function()
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      return text:find('pictures:', 1, true) and text
    end)()]]
  )
end

T['it says what runs and what is read'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  m.configure_user({ mine = m.notes() })
  local n = neovim(m, { columns = 120, lines = 40 })
  n.connector('notes', 'waiting')
  local text = report(n)
  for _, part in ipairs({
    'protocol 1',
    'runs as window',
    '~/shop',
    'files that are read',
    '~/shop/.mcp.json',
    '1 connector',
    'Pillion processes on this machine',
    'MB of memory',
    'connectors are looked for on the PATH',
    'this Neovim shows its questions',
    ':Pillion questions',
    "choices are shown by Neovim's own list",
    'chat plugins: none',
    'not over SSH',
    'pictures:',
  }) do
    h.contains(text, part)
  end
end

T['it says why Pillion was not started, and what is wrong'] = function()
  local m = machine()
  local n = neovim(m, {
    before = [[lua vim.g.pillion = { autostart = 'yes', nonsense = 1, cmd = { 'no-such-pillion' } }]],
    environment = { SSH_CONNECTION = '10.0.0.1 1 10.0.0.2 22' },
  })
  local text = report(n)
  h.contains(text, 'there is no program "no-such-pillion"')
  h.contains(text, 'no .mcp.json above')
  h.contains(text, 'autostart must be a boolean, and is a string')
  h.contains(text, 'nonsense is no option of Pillion')
  h.contains(text, 'over SSH')
end

T['it names the chat plugins, the picker and the double set-up'] = function()
  local m = machine()
  m.configure({ notes = m.notes() })
  h.write(m.home .. '/plugins/lua/codecompanion/init.lua', 'return {}')
  h.write(m.home .. '/plugins/lua/mcphub/init.lua', 'return {}')
  h.write(m.home .. '/plugins/lua/picker.lua', 'vim.ui.select = function(_, _, done) done(nil) end')
  local n = neovim(m, { before = 'set runtimepath^=' .. m.home .. '/plugins' })
  n.connector('notes', 'waiting')
  n.lua([[require('picker')
    vim.lsp.start(
      { name = 'pillion', cmd = { 'pillion', '--stdio' }, root_dir = vim.fn.getcwd() },
      { reuse_client = function() return false end }
    )]])
  n.wait_for('the second client', [[#vim.lsp.get_clients({ name = 'pillion' }) == 2]])
  local text = report(n)
  h.contains(text, 'codecompanion.nvim')
  h.contains(text, 'mcphub.nvim')
  h.contains(text, 'plugins/lua/picker.lua')
  h.contains(text, 'more than one language client is named pillion')
end

return T
