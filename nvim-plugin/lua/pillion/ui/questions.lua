-- The open questions as a person meets them: the badge, and the page of one question with a key for each answer.
-- No question takes the focus by itself but after the person's own action, in normal mode and in quiet (U3); a page
-- takes no answer until half a second of silence after it was shown or changed (S16); closing it leaves the question
-- open.
local badge = require('pillion.ui.badge')
local client = require('pillion.client')
local fault = require('pillion.fault')
local focus = require('pillion.ui.focus')
local kinds = require('pillion.ui.kinds')
local lines = require('pillion.lines.question')
local notify = require('pillion.notify')
local options = require('pillion.options')
local protocol = require('pillion.protocol')
local say = require('pillion.ui.ask')
local state = require('pillion.state')
local text = require('pillion.text')
local view = require('pillion.view')

local M = {}

-- How long a page takes no answer.
local dead_ms = 500

local now = {
  is_watching = false,
  hidden = false, -- the person sent the badge away until something new is asked
  dead_until = 0, -- no answer before
  awaited = nil, ---@type { id: string, key: integer? }? a question that is to be shown, and is not known yet
  pages = {}, ---@type table<string, pillion.Page>
  count = 0,
  numbers = {}, ---@type table<string, integer> of the pages, in the order in which they were first shown
  drafts = {}, ---@type table<string, table> what was filled in so far
  notes = {}, ---@type table<string, string> what a page has to say
}

local function is_dead()
  return vim.uv.now() < now.dead_until
end

---The window bar of a page: its keys, faint as long as they do nothing.
local function bar(choices)
  local dead = is_dead()
  local parts = {}
  for _, choice in ipairs(choices) do
    if choice[2] then
      local words = ' ' .. text.statusline(choice[2]) .. '  '
      parts[#parts + 1] = (dead and '%#PillionHint#' or '%#PillionKey#') .. choice[1]
      parts[#parts + 1] = (dead and '%#PillionHint#' or '%*') .. words
    end
  end
  return ' ' .. table.concat(parts) .. '%*%=%#PillionHint#g? q %*'
end

local function draw_bars()
  for _, page in pairs(now.pages) do
    page:draw_bar()
  end
end

---Takes no answer for a while; draws the keys as they are then.
local function die()
  now.dead_until = vim.uv.now() + dead_ms
  draw_bars()
  local function wake()
    local left = now.dead_until - vim.uv.now()
    if left > 0 then
      return vim.defer_fn(wake, left + 1)
    end
    draw_bars()
  end
  vim.defer_fn(wake, dead_ms + 1)
end

---Whether a page of a question is on the screen of this tab page.
local function is_shown()
  for _, page in pairs(now.pages) do
    if vim.api.nvim_buf_is_valid(page.buf) and vim.fn.bufwinid(page.buf) ~= -1 then
      return true
    end
  end
  return false
end

local function update_badge()
  local wants = options.current().questions.float and options.current().settings.notifications ~= 'none'
  if not wants or now.hidden or is_shown() then
    return badge.hide()
  end
  badge.show(vim.tbl_map(kinds.short, state.asks()))
end

---@param id string
---@param words string
local function note(id, words)
  now.notes[id] = words
  notify.below(words, 'WarningMsg')
  if now.pages[id] then
    now.pages[id]:render()
  end
end

---What the page of a question that has ended says.
local function ended_lines(id)
  local closed = state.closed(id)
  local p = lines.new()
  if not closed then
    p:say('This question is not open any more.', 'PillionTitle')
  elseif closed.how == 'expired' then
    p:say('Nobody answered in time.', 'PillionTitle')
  elseif closed.how == 'answered' then
    p:say('This was answered' .. (closed.by and ' by ' .. text.visible(closed.by) or '') .. '.', 'PillionTitle')
  else
    p:say(
      'This question was withdrawn: what it was about has changed, has gone or was decided elsewhere.',
      'PillionTitle'
    )
  end
  p:gap()
  p:say('q closes it.', 'PillionDetail')
  return p.lines
end

local function close(id)
  local page = now.pages[id]
  if not page then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(page.buf)) do
    vim.api.nvim_win_call(win, page.leave)
  end
  pcall(vim.api.nvim_buf_delete, page.buf, { force = true })
end

---After an answer: the next question in the same place, or none.
local function go_on(id, was_here)
  local rest = vim.tbl_filter(function(ask)
    return ask.askId ~= id
  end, state.asks())
  if was_here and rest[1] then
    M.open(rest[1].askId)
  end
  close(id)
  update_badge()
end

---@param id string
---@param answer table
---@param said? string what to tell once it was taken
local function send(id, answer, said)
  client.request(protocol.requests.ask_answer, { askId = id, answer = answer }, function(err, result)
    if err or not result.accepted then
      return note(id, 'Not taken: ' .. text.visible(err and err.message or result.reason or 'it decides nothing'))
    end
    local page = now.pages[id]
    local was_here = page ~= nil and vim.api.nvim_get_current_buf() == page.buf
    if said then
      say.tell(said)
    end
    go_on(id, was_here)
  end)
end

---@param id string
---@param item any
---@return pillion.QuestionContext
local function context_of(id, item)
  return {
    item = item,
    send = function(answer, said)
      send(id, answer, said)
    end,
    say = function(words)
      note(id, words)
    end,
    -- What the person chose may come after she has closed the page.
    render = function()
      now.notes[id] = nil
      if now.pages[id] then
        now.pages[id]:render()
      end
    end,
    seek = function(line)
      if now.pages[id] then
        now.pages[id]:seek(line)
      end
    end,
  }
end

---Runs an answer, unless it comes before it can be meant.
local function guarded(id, run)
  return function(item)
    if is_dead() then
      return die()
    elseif not state.ask(id) then
      return say.tell('this question is not open any more; q closes it')
    end
    fault.guard(run)(context_of(id, item))
  end
end

---The keys of a page.
local function keys_of(id, question)
  local keys = {}
  for _, choice in ipairs(question.choices) do
    keys[#keys + 1] = { choice[1], choice[3], guarded(id, choice[4]) }
  end
  keys[#keys + 1] = {
    '<CR>',
    'the answer, or the field, that the cursor is on',
    guarded(id, function(context)
      if type(context.item) == 'table' and context.item.choice then
        context.item.choice[4](context)
      elseif question.act then
        question.act(context)
      end
    end),
  }
  keys[#keys + 1] = {
    ']',
    'the next question',
    function()
      M.step(id, 1)
    end,
  }
  keys[#keys + 1] = {
    '[',
    'the question before',
    function()
      M.step(id, -1)
    end,
  }
  keys[#keys + 1] = {
    '<Esc>',
    'leave it open, and close the window',
    function(_, page)
      page.leave()
    end,
  }
  return keys
end

---The lines of an open question: what it is, and every answer.
local function open_lines(id, question)
  local all = {}
  if now.notes[id] then
    all[#all + 1] = { { now.notes[id], 'PillionProblem' } }
    all[#all + 1] = {}
  end
  vim.list_extend(all, question.lines)
  all[#all + 1] = {}
  for _, choice in ipairs(question.choices) do
    all[#all + 1] = {
      { ('%-3s'):format(choice[1]), 'PillionKey' },
      { choice[3] },
      id = 'choice:' .. choice[1],
      item = { choice = choice },
    }
  end
  local asks = state.asks()
  for i, ask in ipairs(asks) do
    if ask.askId == id and #asks > 1 then
      all[#all + 1] = { { ('question %d of %d; ] and [ go to the others'):format(i, #asks), 'PillionDetail' } }
    end
  end
  all[#all + 1] = { { 'q and <Esc> leave it open', 'PillionDetail' } }
  return all
end

---@param id string
---@return pillion.Line[]
local function render(id)
  local draft = now.drafts[id]
  local ask = state.ask(id)
  if not ask then
    draft.choices = {}
    if draft.was_open then
      draft.was_open = false
      die()
    end
    return ended_lines(id)
  end
  draft.was_open = true
  local question = kinds.question(ask, draft)
  draft.choices = question.choices
  return open_lines(id, question)
end

---Gives the window the height that its page wants, where there is room.
local function fit()
  local wanted = vim.api.nvim_win_text_height(0, {}).all + 1
  if vim.api.nvim_win_get_config(0).relative == '' and vim.fn.winnr('$') > 1 then
    vim.api.nvim_win_set_height(0, math.max(8, math.min(wanted, vim.o.lines - 8)))
  end
end

---Shows a question and goes there. The person asked for it: see U3.
---@param id string
function M.open(id)
  local ask = state.ask(id)
  if not ask then
    return
  end
  now.drafts[id] = now.drafts[id] or {}
  local question = kinds.question(ask, now.drafts[id])
  now.drafts[id].choices = question.choices
  focus.forget()
  if not now.numbers[id] then
    now.count = now.count + 1
    now.numbers[id] = now.count
  end
  local page = view.open({
    name = 'pillion://question/' .. now.numbers[id],
    kind = 'question',
    title = 'Pillion asks',
    bar = function()
      return bar(now.drafts[id].choices or {})
    end,
    keys = keys_of(id, question),
    render = function()
      return fault.guard(render)(id) or {}
    end,
    closed = function()
      now.pages[id], now.notes[id] = nil, nil
      if not state.ask(id) then
        now.drafts[id], now.numbers[id] = nil, nil
      end
    end,
  })
  now.pages[id] = page
  page:show()
  fit()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  die()
  update_badge()
end

---Goes from one question to another in the same window.
---@param id string
---@param by integer
function M.step(id, by)
  local asks = state.asks()
  for i, ask in ipairs(asks) do
    if ask.askId == id then
      return M.open(asks[(i - 1 + by) % #asks + 1].askId)
    end
  end
  if asks[1] then
    M.open(asks[1].askId)
  end
end

---Shows the first question that this editor's user is asked after an action of their own, once nobody types.
local function show_expected()
  local when = focus.expected()
  local mine = vim.tbl_filter(function(ask)
    return ask.asker.kind == 'editor'
  end, when == 'no' and {} or state.asks())
  if not mine[1] then
    return
  elseif when == 'now' then
    return M.open(mine[1].askId)
  end
  vim.defer_fn(show_expected, 100)
end

---Shows what is asked, the oldest first; where nothing is, raises what needs permission.
function M.focus()
  local ask = state.asks()[1]
  if ask then
    return M.open(ask.askId)
  end
  M.review()
end

---Raises the question for what needs permission, or for one connector, and shows it.
---@param connector? string
function M.review(connector)
  require('pillion.start').now()
  local key = focus.last_key()
  client.request(protocol.requests.ask_show, { connector = connector }, function(err, result)
    if err or not result.askId then
      return say.tell(err and text.visible(err.message) or 'nothing is asked, and nothing needs permission')
    end
    M.show(result.askId, key)
  end)
end

---Shows a question that the person's own action raised, as soon as it is known; not over what was typed since.
---@param id string
---@param key? integer when the last key was pressed before
function M.show(id, key)
  now.awaited = nil
  if not focus.is_unmoved(key) then
    return update_badge()
  elseif state.ask(id) then
    return M.open(id)
  end
  now.awaited = { id = id, key = key }
end

---Sends the badge away until something new is asked.
function M.hide()
  now.hidden = true
  badge.hide()
end

local function asks_changed(detail)
  if #detail.opened > 0 then
    now.hidden = false
  end
  for id, page in pairs(now.pages) do
    if vim.api.nvim_buf_is_valid(page.buf) then
      page:render()
    end
    if not state.ask(id) then
      now.drafts[id].decisions = nil
    end
  end
  update_badge()
  if now.awaited and state.ask(now.awaited.id) then
    M.show(now.awaited.id, now.awaited.key)
  elseif #detail.opened > 0 then
    show_expected()
  end
end

---Begins to show what is asked; does nothing where that was done.
function M.watch()
  if now.is_watching then
    return
  end
  now.is_watching = true
  require('pillion.highlights').define()
  focus.watch(function()
    local page = view.page(vim.api.nvim_get_current_buf())
    if page and page.options.kind == 'question' and is_dead() then
      die()
    end
  end)
  state.on('asks', asks_changed)
  local group = vim.api.nvim_create_augroup('pillion.questions', {})
  vim.api.nvim_create_autocmd({ 'VimResized', 'WinClosed', 'TabEnter', 'CmdwinLeave', 'BufWinEnter' }, {
    group = group,
    callback = function()
      if #state.asks() > 0 or next(now.pages) then
        vim.schedule(update_badge)
      end
    end,
  })
end

return M
