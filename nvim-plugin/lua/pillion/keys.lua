-- The keys of a page: mapped in its buffer alone, and listed by g?.

local fault = require('pillion.fault')

local M = {}

local marks = vim.api.nvim_create_namespace('pillion.keys.list')

---@param keys pillion.Key[]
local function show_keys(keys)
  local width, rows = 0, {}
  for _, key in ipairs(keys) do
    width = math.max(width, vim.fn.strdisplaywidth(key[1]))
  end
  local longest = 20
  for _, key in ipairs(keys) do
    local row = (' %s%s  %s '):format(key[1], (' '):rep(width - vim.fn.strdisplaywidth(key[1])), key[2])
    rows[#rows + 1], longest = row, math.max(longest, vim.fn.strdisplaywidth(row))
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, rows)
  for row, key in ipairs(keys) do
    vim.api.nvim_buf_set_extmark(buf, marks, row - 1, 1, { end_col = 1 + #key[1], hl_group = 'PillionKey' })
  end
  vim.bo[buf].modifiable, vim.bo[buf].bufhidden, vim.bo[buf].filetype = false, 'wipe', 'pillion-keys'
  local height = math.max(1, math.min(#rows, vim.o.lines - 6))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    style = 'minimal',
    border = 'rounded',
    title = ' keys ',
    footer = #rows > height and ' more below ' or nil,
    width = math.max(1, math.min(longest, vim.o.columns - 4)),
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 2),
    col = math.max(0, math.floor((vim.o.columns - longest) / 2) - 1),
  })
  vim.wo[win].cursorline, vim.wo[win].wrap = true, false
  for _, lhs in ipairs({ 'q', 'g?', '<Esc>' }) do
    vim.keymap.set('n', lhs, '<Cmd>close<CR>', { buffer = buf, nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', {
    buffer = buf,
    once = true,
    callback = function()
      pcall(vim.api.nvim_win_close, win, true)
    end,
  })
end

---Maps the keys that a page wants, and those that every page has.
---@param page pillion.Page
function M.map(page)
  local keys = vim.list_extend({}, page.options.keys or {})
  keys[#keys + 1] = {
    'g?',
    'these keys',
    function()
      show_keys(keys)
    end,
  }
  keys[#keys + 1] = {
    'q',
    'back, or close the window',
    function()
      page.leave()
    end,
  }
  for _, key in ipairs(keys) do
    local function press()
      key[3](page:item(), page)
    end
    local how = { buffer = page.buf, nowait = true, silent = true, desc = 'Pillion: ' .. key[2] }
    vim.keymap.set('n', key[1], fault.guard(press), how)
    if key[1] == '<CR>' then
      vim.keymap.set('n', '<2-LeftMouse>', '<CR>', { buffer = page.buf, remap = true, desc = 'Pillion: ' .. key[2] })
    end
  end
end

return M
