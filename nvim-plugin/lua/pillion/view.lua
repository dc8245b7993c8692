-- Pages: scratch buffers whose lines are made anew whenever what they show changes.
-- It knows nothing of Pillion's protocol; what a page says, and what its keys do, is the caller's.

---A piece of a line: a text, or a text and its highlight group. It holds no line end and no foreign text that
---pillion.text has not made visible.
---@alias pillion.Chunk string|{ [1]: string, [2]: string? }

---@class (exact) pillion.Line
---@field [integer] pillion.Chunk
---what the line is about: the cursor stays on it when the page is made anew
---@field id? string
---what the keys get that are pressed on the line
---@field item? any
---depth of the folds that the line is in; 0 and absent for none
---@field fold? integer
---whether a fold begins with the line
---@field folds? boolean
---what <CR> does here, told behind the line while the cursor is on it
---@field hint? string

---@class (exact) pillion.Key
---@field [1] string keys, as in a mapping
---@field [2] string what they do, for g?
---@field [3] fun(item: any, page: pillion.Page)

---@class (exact) pillion.PageOptions
---the buffer's name, which begins with pillion://; a page of that name is used again
---@field name string
---what the page is, as a word: the filetype is pillion- and the word
---@field kind string
---what it is about, in its window bar; a function is asked whenever the page is made anew
---@field title string|fun(): string
---the whole window bar, in the place of the title
---@field bar? fun(): string
---@field render fun(page: pillion.Page): pillion.Line[]
---@field keys? pillion.Key[]
---folds deeper than this are closed at first; absent: none is
---@field foldlevel? integer
---called when the buffer is wiped out, or the page is made anew by other options
---@field closed? fun()

---@class (exact) pillion.Page
---@field buf integer
---@field options pillion.PageOptions
---@field lines pillion.Line[] as they stand in the buffer
---@field package is_stale boolean whether it is to be made anew once a window shows it
---@field package is_due boolean whether it is to be made anew in a moment
---@field package free_at number when it may be made anew again
---@field render fun(self: pillion.Page)
---@field refresh fun(self: pillion.Page)
---@field item fun(self: pillion.Page): any
---@field show fun(self: pillion.Page, mods?: table)
---@field leave fun()
---@field seek fun(self: pillion.Page, id: string)
---@field draw_bar fun(self: pillion.Page)

local M = {}

local fault = require('pillion.fault')
local highlights = require('pillion.highlights')
local keys = require('pillion.keys')
local text_of = require('pillion.text')

local marks = vim.api.nvim_create_namespace('pillion')
local hints = vim.api.nvim_create_namespace('pillion.hint')

---@type table<integer, pillion.Page>
local pages = {}

---The text of a line without its highlights.
---@param line pillion.Line
---@return string
function M.text(line)
  local parts = {}
  for _, chunk in ipairs(line) do
    parts[#parts + 1] = type(chunk) == 'table' and chunk[1] or chunk
  end
  -- A line end here would be a fault of the caller; it must not become an error of the editor.
  return (table.concat(parts):gsub('[\r\n]', ' '))
end

---How many lines at the beginning and at the end stay as they are.
---@param old string[]
---@param new string[]
---@return integer head
---@return integer tail
local function unchanged(old, new)
  local shorter = math.min(#old, #new)
  local head = 0
  while head < shorter and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < shorter - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  return head, tail
end

---Where a cursor is, told by what its line is about.
---@param lines pillion.Line[]
---@param row integer
---@return string? id
---@return integer offset rows below the first of them
local function anchor(lines, row)
  local id = lines[row] and lines[row].id
  if not id then
    return nil, 0
  end
  local first = row
  while lines[first - 1] and lines[first - 1].id == id do
    first = first - 1
  end
  return id, row - first
end

---The row that a cursor belongs on now.
---@param lines pillion.Line[]
---@param id string
---@param offset integer
---@return integer?
local function row_of(lines, id, offset)
  for row, line in ipairs(lines) do
    if line.id == id then
      while offset > 0 and lines[row + 1] and lines[row + 1].id == id do
        row, offset = row + 1, offset - 1
      end
      return row
    end
  end
end

---@param buf integer
---@param lines pillion.Line[]
local function highlight(buf, lines)
  vim.api.nvim_buf_clear_namespace(buf, marks, 0, -1)
  for row, line in ipairs(lines) do
    local column = 0
    for _, chunk in ipairs(line) do
      local text = type(chunk) == 'table' and chunk[1] or chunk --[[@as string]]
      local group = type(chunk) == 'table' and chunk[2] or nil
      if group and text ~= '' then
        vim.api.nvim_buf_set_extmark(buf, marks, row - 1, column, { end_col = column + #text, hl_group = group })
      end
      column = column + #text
    end
  end
end

---Says behind the line of the cursor what <CR> does on it.
---@param page pillion.Page
local function show_hint(page)
  vim.api.nvim_buf_clear_namespace(page.buf, hints, 0, -1)
  if vim.api.nvim_get_current_buf() ~= page.buf then
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local line = page.lines[row]
  if line and line.hint then
    vim.api.nvim_buf_set_extmark(page.buf, hints, row - 1, 0, {
      virt_text = { { '  ' }, { '<CR> ', 'PillionKey' }, { line.hint, 'PillionHint' } },
      virt_text_pos = 'eol',
    })
  end
end

local Page = {}
Page.__index = Page

---Makes the page's lines anew. Each cursor stays on what it was on.
function Page:render()
  if not vim.api.nvim_buf_is_valid(self.buf) then
    return
  end
  self.is_stale = false
  local before, lines = self.lines, self.options.render(self)
  local cursors = {}
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    local at = vim.api.nvim_win_get_cursor(win)
    local id, offset = anchor(before, at[1])
    cursors[win] = { id = id, offset = offset, at = at }
  end
  local old = vim.api.nvim_buf_get_lines(self.buf, 0, -1, false)
  local new = vim.tbl_map(M.text, lines)
  if #new == 0 then
    new = { '' }
  end
  self.lines = lines
  local head, tail = unchanged(old, new)
  if head < #old or head < #new then
    vim.bo[self.buf].modifiable = true
    vim.api.nvim_buf_set_lines(self.buf, head, #old - tail, false, vim.list_slice(new, head + 1, #new - tail))
    vim.bo[self.buf].modifiable = false
  end
  vim.bo[self.buf].modified = false
  highlight(self.buf, lines)
  for win, cursor in pairs(cursors) do
    local row = cursor.id and row_of(lines, cursor.id, cursor.offset) or math.min(cursor.at[1], #new)
    if row then
      pcall(vim.api.nvim_win_set_cursor, win, { row, cursor.at[2] })
    end
  end
  self:draw_bar()
  show_hint(self)
end

---Makes the page anew in a moment, once for all that changes until then; one that no window shows, when one does.
---It takes a fifth of the editor's time at most, however much it holds and however often something changes.
function Page:refresh()
  if self.is_due then
    return
  end
  self.is_due = true
  local function make()
    self.is_due = false
    if #vim.fn.win_findbuf(self.buf) == 0 then
      self.is_stale = true
      return
    end
    local began = vim.uv.hrtime()
    self:render()
    vim.uv.update_time()
    self.free_at = vim.uv.now() + 4 * (vim.uv.hrtime() - began) / 1e6
  end
  vim.defer_fn(fault.guard(make), math.max(0, math.ceil(self.free_at - vim.uv.now())))
end

---What the line of the cursor is about.
---@return any
function Page:item()
  local line = self.lines[vim.api.nvim_win_get_cursor(0)[1]]
  return line and line.item
end

---Puts the cursor of the current window on what an id names.
---@param id string
function Page:seek(id)
  local row = row_of(self.lines, id, 0)
  if row and vim.api.nvim_get_current_buf() == self.buf then
    vim.api.nvim_win_set_cursor(0, { row, 0 })
    show_hint(self)
  end
end

---A part of a buffer's name that foreign text says: no character in it means anything to a shell, in a status line or
---on a command line, where people and plugins write the names of buffers.
---@param s string
---@return string
function M.part(s)
  local plain = text_of.visible(s):gsub('[^%w%-%._~:/@+,=\128-\255]', '_')
  return vim.fn.strcharpart(plain, 0, 200)
end

---The window bar: what the page is, and how to learn its keys.
---@param page pillion.Page
---@return string
local function bar(page)
  if page.options.bar then
    return page.options.bar()
  end
  local title = page.options.title
  title = type(title) == 'function' and title() or title --[[@as string]]
  return ' %#PillionTitle#%<' .. text_of.statusline(title) .. ' %*%=%#PillionHint#g? keys  q close %*'
end

---Draws the window bar anew, wherever the page is shown.
function Page:draw_bar()
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    vim.wo[win][0].winbar = bar(self)
  end
end

---@param page pillion.Page
---@param win integer
local function dress(page, win)
  local o = vim.wo[win][0]
  o.number, o.relativenumber, o.list, o.spell = false, false, false, false
  o.signcolumn, o.foldcolumn, o.colorcolumn, o.statuscolumn = 'no', '0', '', ''
  -- What is numbered goes on below its words, and foreign text behind its mark, not where Pillion's own words begin.
  o.wrap, o.linebreak, o.breakindent, o.breakindentopt = true, true, true, 'list:-1'
  o.cursorline, o.conceallevel = true, 0
  o.foldmethod, o.foldenable, o.foldtext = 'expr', true, ''
  o.foldexpr = "v:lua.require'pillion.view'.foldexpr()"
  o.foldlevel = page.options.foldlevel or 99
  o.fillchars = 'fold: ,eob: '
  o.winbar = bar(page)
end

---For 'foldexpr' of pages alone.
---@return string
function M.foldexpr()
  local page = pages[vim.api.nvim_get_current_buf()]
  local line = page and page.lines[vim.v.lnum]
  local depth = line and line.fold or 0
  return (line and line.folds and '>' or '') .. depth
end

---The window of this tab page that shows a page, if there is one.
---@return integer?
local function window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if pages[vim.api.nvim_win_get_buf(win)] and vim.api.nvim_win_get_config(win).relative == '' then
      return win
    end
  end
end

---Whether a command was given words that say where to open.
---@param mods table?
---@return boolean
local function says_where(mods)
  return mods ~= nil and (mods.vertical or mods.horizontal or (mods.split or '') ~= '' or (mods.tab or -1) >= 0)
end

---Shows the page and goes there: in the window that shows it or another page, else in a new one below the others.
---With mods (those of a command) in a new window, where they say.
---@param mods? table
function Page:show(mods)
  local shown = vim.fn.bufwinid(self.buf)
  local target = shown ~= -1 and shown or window()
  if says_where(mods) then
    vim.cmd({ cmd = 'split', mods = mods })
  elseif target then
    vim.api.nvim_set_current_win(target)
  else
    local height = math.max(10, math.floor(vim.o.lines * 0.6))
    vim.cmd({ cmd = 'split', mods = { split = 'botright' } })
    vim.api.nvim_win_set_height(0, math.max(1, math.min(height, vim.o.lines - 4)))
  end
  local win, from = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  if from ~= self.buf then
    local back = target == win and pages[from] and vim.w[win].pillion_back or {}
    if target == win and pages[from] then
      back[#back + 1] = from
    end
    vim.api.nvim_win_set_buf(win, self.buf)
    vim.w[win].pillion_back = back
  end
  dress(self, win)
  show_hint(self)
end

---Goes back to the page that the window showed before, or closes the window.
function Page.leave()
  local win = vim.api.nvim_get_current_win()
  local back = vim.w[win].pillion_back or {}
  while #back > 0 do
    local buf = table.remove(back)
    if vim.api.nvim_buf_is_valid(buf) then
      vim.w[win].pillion_back = back
      vim.api.nvim_win_set_buf(win, buf)
      dress(pages[buf], win)
      show_hint(pages[buf])
      return
    end
  end
  vim.w[win].pillion_back = nil
  if not pcall(vim.api.nvim_win_close, win, false) then
    vim.cmd.enew() -- it is the last window
  end
end

local group ---@type integer?

---Lines are as long as their window is wide: those of windows that were resized are made anew.
local function follow_sizes()
  if group then
    return
  end
  group = vim.api.nvim_create_augroup('pillion.view', {})
  vim.api.nvim_create_autocmd('WinResized', {
    group = group,
    callback = function()
      for _, win in ipairs(vim.v.event.windows or {}) do
        local page = vim.api.nvim_win_is_valid(win) and pages[vim.api.nvim_win_get_buf(win)]
        if page then
          page:render()
        end
      end
    end,
  })
end

---The page of a buffer.
---@param buf integer
---@return pillion.Page?
function M.page(buf)
  return pages[buf]
end

---A scratch buffer of a name: the one that has it already, where a session was restored that held it, else a new one.
---@param name string
---@return integer
function M.buffer(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == name then
      vim.fn.bufload(buf)
      vim.bo[buf].buflisted, vim.bo[buf].swapfile = false, false
      return buf
    end
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  return buf
end

---Makes a page, or makes the one of that name anew. It is shown by page:show().
---@param options pillion.PageOptions
---@return pillion.Page
function M.open(options)
  highlights.define()
  follow_sizes()
  for _, page in pairs(pages) do
    if page.options.name == options.name then
      local replaced = page.options
      page.options = options
      if replaced.closed and replaced.closed ~= options.closed then
        replaced.closed()
      end
      keys.map(page)
      page:render()
      return page
    end
  end
  local buf = M.buffer(options.name)
  local page =
    setmetatable({ buf = buf, options = options, lines = {}, is_stale = false, is_due = false, free_at = 0 }, Page)
  pages[buf] = page
  local o = vim.bo[buf]
  o.buftype, o.bufhidden, o.swapfile, o.modeline, o.undolevels = 'nofile', 'hide', false, false, -1
  o.modifiable = false
  o.formatlistpat = [[^\s*\%(\d\+\.\s\+\|│ \)]]
  keys.map(page)
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      dress(page, vim.api.nvim_get_current_win())
      if page.is_stale then
        page:render()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter', 'BufLeave' }, {
    buffer = buf,
    callback = function()
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          show_hint(page)
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd('BufReadCmd', {
    buffer = buf,
    desc = 'a page is read anew by :edit',
    callback = function()
      page.lines = {}
      page:render()
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    once = true,
    callback = function()
      pages[buf] = nil
      if page.options.closed then
        page.options.closed()
      end
    end,
  })
  page:render()
  o.filetype = 'pillion-' .. options.kind
  return page --[[@as pillion.Page]]
end

return M
