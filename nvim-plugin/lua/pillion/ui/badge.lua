-- The small window without focus that says what waits. It takes no key and no click, and moves nothing.
local text = require('pillion.text')

local M = {}

local now = { buf = nil, win = nil } ---@type { buf: integer?, win: integer? }
local marks = vim.api.nvim_create_namespace('pillion.badge')

---How the person has mapped a key to see the questions; else the command.
---@return string
function M.way()
  for _, mapping in ipairs(vim.api.nvim_get_keymap('n')) do
    if mapping.rhs == '<Plug>(pillion-questions)' then
      return vim.fn.keytrans(vim.api.nvim_replace_termcodes(mapping.lhs, true, true, true))
    end
  end
  return ':Pillion questions'
end

---What it says.
---@param shorts string[] a sentence for each question, made visible
---@param way string
---@param width integer
---@return string[]
function M.lines(shorts, way, width)
  local lines = {}
  for i = 1, math.min(#shorts, 3) do
    lines[i] = text.cut(shorts[i], width)
  end
  if #shorts > 3 then
    lines[#lines + 1] = ('and %d more'):format(#shorts - 3)
  end
  lines[#lines + 1] = text.cut(way, width)
  return lines
end

---Takes the window away.
function M.hide()
  if now.win and vim.api.nvim_win_is_valid(now.win) then
    pcall(vim.api.nvim_win_close, now.win, true)
  end
  now.win = nil
end

---Shows the window, or what it says anew; without a question it goes.
---@param shorts string[]
function M.show(shorts)
  if #shorts == 0 then
    return M.hide()
  end
  local room = math.max(10, math.min(46, vim.o.columns - 6))
  local lines = M.lines(shorts, M.way(), room)
  if not now.buf or not vim.api.nvim_buf_is_valid(now.buf) then
    now.buf = vim.api.nvim_create_buf(false, true)
    vim.bo[now.buf].bufhidden, vim.bo[now.buf].filetype = 'hide', 'pillion-badge'
  end
  vim.api.nvim_buf_set_lines(now.buf, 0, -1, false, lines)
  vim.api.nvim_buf_clear_namespace(now.buf, marks, 0, -1)
  vim.api.nvim_buf_set_extmark(now.buf, marks, #lines - 1, 0, { end_col = #lines[#lines], hl_group = 'PillionKey' })
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local config = {
    relative = 'editor',
    anchor = 'NE',
    row = vim.o.showtabline == 2 and 1 or 0,
    col = vim.o.columns,
    width = width,
    height = #lines,
    style = 'minimal',
    border = 'rounded',
    title = (' Pillion: %s '):format(text.count(#shorts, 'question')),
    focusable = false,
    zindex = 45,
  }
  if now.win and vim.api.nvim_win_is_valid(now.win) then
    pcall(vim.api.nvim_win_set_config, now.win, config)
  else
    config.noautocmd = true
    -- Refused where text is locked; the next change shows it.
    local ok, win = pcall(vim.api.nvim_open_win, now.buf, false, config)
    now.win = ok and win or nil
    if now.win then
      vim.wo[now.win].winhighlight = 'NormalFloat:PillionBadge,FloatBorder:PillionBadgeBorder'
    end
  end
end

return M
