-- What a person does in the windows of the plugin, for the tests of them.
local h = require('helpers')

local M = {}

---A person whose own file has the connector of notes, in the connectors window.
---@param m table the machine
---@param neovim fun(machine: table, opts?: table): table
---@param opts? pillion.TestNeovim
---@param connectors? table<string, table> more connectors
function M.person(m, neovim, opts, connectors)
  m.configure_user(vim.tbl_extend('force', { notes = m.notes() }, connectors or {}))
  local n = neovim(m, opts)
  n.cmd('Pillion')
  n.connector('notes', 'ready')
  n.wait_for_screen('6 tools')
  return n, m
end

---Waits for a page and for a text on the screen.
function M.page(n, kind, part)
  n.wait_for('the page ' .. kind, [[vim.bo.filetype == ...]], 'pillion-' .. kind)
  if part then
    n.wait_for_screen(part)
  end
end

---Goes to the line that shows a text.
function M.go(n, part)
  n.wait_for('a line with ' .. part, [[vim.fn.search('\\V' .. ..., 'wc') > 0]], part)
  n.type_keys('0')
end

-- An older Neovim answers nothing while its own list waits for a number: it must not be asked for its screen.
M.lists_block = vim.fn.has('nvim-0.11') == 0

---Waits until Neovim's own list asks for a number.
function M.listed(n)
  if M.lists_block then
    return h.wait('a list to choose from', n.is_blocked)
  end
  n.wait_for_screen('Type number')
end

return M
