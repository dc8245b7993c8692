-- The log of a connector as a buffer that grows with it. It reads the end of the file alone and changes nothing of it.

local ask = require('pillion.ui.ask')
local text = require('pillion.text')
local view = require('pillion.view')

local M = {}

-- What is shown of a long log is its end.
local most_bytes = 256 * 1024
local most_lines = 5000
local look_ms = 250

---@class (exact) pillion.ui.Log
---@field path string
---@field offset integer what was read up to
---@field rest string the line that has not ended
---@field lines string[]
---@field page? pillion.Page
---@field poll? uv.uv_timer_t

---@param log pillion.ui.Log
---@param chunk string
local function take(log, chunk)
  local rows = vim.split(log.rest .. chunk, '\n', { plain = true })
  log.rest = table.remove(rows)
  for _, row in ipairs(rows) do
    log.lines[#log.lines + 1] = text.lines(row)[1]
  end
  if #log.lines > most_lines then
    log.lines = vim.list_slice(log.lines, #log.lines - most_lines + 1)
  end
end

---Reads what was written since; a file that is shorter now was begun anew.
---@param log pillion.ui.Log
---@return boolean more
local function read(log)
  local stat = vim.uv.fs_stat(log.path)
  if not stat or stat.type ~= 'file' then
    return false
  end
  if stat.size < log.offset then
    log.offset, log.rest, log.lines = 0, '', {}
  end
  if stat.size == log.offset then
    return false
  end
  local from = math.max(log.offset, stat.size - most_bytes)
  local file = vim.uv.fs_open(log.path, 'r', 0)
  if not file then
    return false
  end
  local chunk = vim.uv.fs_read(file, stat.size - from, from) or ''
  vim.uv.fs_close(file)
  log.offset = from + #chunk
  take(log, chunk)
  return true
end

---A cursor on the last line goes along with what is added.
---@param log pillion.ui.Log
local function draw(log)
  local page = log.page
  if not page then
    return
  end
  local ends = {}
  local last = vim.api.nvim_buf_line_count(page.buf)
  for _, win in ipairs(vim.fn.win_findbuf(page.buf)) do
    ends[win] = vim.api.nvim_win_get_cursor(win)[1] == last or nil
  end
  page:render()
  for win in pairs(ends) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(page.buf), 0 })
  end
end

---@param log pillion.ui.Log
local function follow(log)
  log.poll = assert(vim.uv.new_timer())
  log.poll:start(
    look_ms,
    look_ms,
    vim.schedule_wrap(function()
      -- Nobody looks at it: nothing to do.
      if log.page and #vim.fn.win_findbuf(log.page.buf) > 0 and read(log) then
        draw(log)
      end
    end)
  )
end

---@param log pillion.ui.Log
---@return pillion.Line[]
local function render(log)
  if #log.lines == 0 and log.rest == '' then
    return { { { 'It has written nothing to its standard error yet.', 'PillionDetail' } } }
  end
  local found = vim.tbl_map(function(line)
    return { line }
  end, log.lines)
  if log.rest ~= '' then
    found[#found + 1] = { text.lines(log.rest)[1] }
  end
  return found
end

---Opens the log of a connector.
---@param connector pillion.Connector
function M.open(connector)
  if not connector.logUri then
    return ask.tell(text.visible(connector.name) .. ' has no log')
  end
  local log = { path = vim.uri_to_fname(connector.logUri), offset = 0, rest = '', lines = {} }
  local root = connector.root and vim.fs.basename(vim.uri_to_fname(connector.root))
  read(log)
  log.page = view.open({
    name = 'pillion://log/' .. view.part(connector.name .. (root and '@' .. root or '')),
    kind = 'log',
    title = 'Log of ' .. text.visible(connector.name),
    keys = {
      {
        'R',
        'restart the connector',
        function()
          require('pillion.ui.actions').restart(connector)
        end,
      },
    },
    render = function()
      return render(log)
    end,
    closed = function()
      log.page = nil
      if log.poll then
        log.poll:stop()
        log.poll:close()
        log.poll = nil
      end
    end,
  })
  log.page:show()
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(log.page.buf), 0 })
  follow(log)
end

return M
