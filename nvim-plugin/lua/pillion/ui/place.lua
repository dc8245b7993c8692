-- Opening a place of a file that the user may have: never in the window of a page.

local view = require('pillion.view')

local M = {}

---A window that shows a file, or a new one.
---@return integer
local function window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    local is_plain = vim.bo[buf].buftype == '' and vim.api.nvim_win_get_config(win).relative == ''
    if is_plain and not view.page(buf) then
      return win
    end
  end
  vim.cmd({ cmd = 'split', mods = { split = 'topleft' } })
  return vim.api.nvim_get_current_win()
end

---Opens a file, at a place if one is meant.
---@param uri string
---@param range? pillion.Range
function M.open(uri, range)
  local path = vim.uri_to_fname(uri)
  vim.api.nvim_set_current_win(window())
  vim.cmd.edit({ args = { path }, magic = { file = false, bar = false } })
  if range then
    local row = math.min(range.start.line + 1, vim.api.nvim_buf_line_count(0))
    vim.api.nvim_win_set_cursor(0, { row, range.start.character })
    vim.cmd.normal({ args = { 'zv' }, bang = true })
  end
end

return M
