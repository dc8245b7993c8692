-- A text to write in a buffer of its own: taken over by :w, given up by closing it.
-- It is for one value; what the text must be its caller says.

local notify = require('pillion.notify')
local text_of = require('pillion.text')

local M = {}

local diagnostics = vim.api.nvim_create_namespace('pillion.edit')
local last = 0

---@class (exact) pillion.EditOptions
---@field title string
---@field lines string[]
---what it is written in: json, or text
---@field syntax "json"|"text"
---takes the text over, or says what is wrong with it
---@field accept fun(text: string): string?

---@param buf integer
---@param problem string
local function point_out(buf, problem)
  local row, column = problem:match('^line (%d+), column (%d+)')
  vim.diagnostic.set(diagnostics, buf, {
    {
      lnum = math.min(tonumber(row) or 1, vim.api.nvim_buf_line_count(buf)) - 1,
      col = (tonumber(column) or 1) - 1,
      message = problem,
      severity = vim.diagnostic.severity.ERROR,
      source = 'pillion',
    },
  })
end

---Opens a buffer for a text and goes there.
---@param options pillion.EditOptions
function M.open(options)
  last = last + 1
  local buf = require('pillion.view').buffer('pillion://edit/' .. last)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, options.lines)
  local o = vim.bo[buf]
  o.buftype, o.bufhidden, o.swapfile, o.modeline, o.modified = 'acwrite', 'wipe', false, false, false
  o.undofile = false
  if options.syntax == 'json' then
    o.shiftwidth, o.expandtab = 2, true
  end
  local from, sizes = vim.api.nvim_get_current_win(), vim.fn.winrestcmd()
  local height = math.max(3, math.min(#options.lines + 2, math.floor(vim.o.lines / 2)))
  vim.cmd({ cmd = 'split', mods = { split = 'belowright' } })
  vim.api.nvim_win_set_buf(0, buf)
  vim.api.nvim_win_set_height(0, height)
  local wo = vim.wo[0][0]
  wo.winbar = ' %#PillionTitle#' .. text_of.statusline(options.title) .. '%*%=%#PillionHint#:w takes it  q gives up %*'
  o.filetype = 'pillion-edit'
  vim.bo[buf].syntax = options.syntax == 'json' and 'json' or ''
  local function close()
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
    if vim.api.nvim_win_is_valid(from) then
      vim.api.nvim_set_current_win(from)
    end
    vim.cmd(sizes)
  end
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      local problem = options.accept(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n'))
      if problem then
        point_out(buf, problem)
        notify.below(problem, 'ErrorMsg')
        return -- nothing: what is true would take the autocommand away
      end
      vim.bo[buf].modified = false
      vim.schedule(close)
    end,
  })
  vim.keymap.set('n', 'q', function()
    close()
  end, { buffer = buf, nowait = true, desc = 'Pillion: give it up' })
end

return M
