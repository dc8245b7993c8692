-- How far what is under way has come: what a status line says, and what pages say of their calls.
-- It follows the progress of Pillion alone and shows nothing by itself.

local client = require('pillion.client')
local listeners = require('pillion.listeners')
local text = require('pillion.text')

local M = {}

-- Work that is done within this time is not spoken of (U7).
local quiet_ms = 1000

---@class (exact) pillion.ui.Work
---@field token string
---@field callId? string where it is a call of this editor's
---@field title string
---@field message? string
---@field percentage? integer
---@field began integer

local now = {
  works = {}, ---@type table<string, pillion.ui.Work>
  calls = {}, ---@type table<string, { id: string, name: string }> by token
  heard = listeners.new(), -- under `change`
  timer = nil, ---@type uv.uv_timer_t?
  group = nil, ---@type integer?
}

local function tell()
  now.heard:tell('change')
  vim.cmd.redrawstatus({ bang = true })
end

---@param work pillion.ui.Work
---@return string
local function words_of(work)
  local parts = {}
  if work.message and work.message ~= '' then
    parts[#parts + 1] = work.message
  end
  if work.percentage then
    parts[#parts + 1] = work.percentage .. '%'
  end
  if #parts == 0 then
    parts[#parts + 1] = ('%d s'):format((vim.uv.now() - work.began) / 1000)
  end
  return table.concat(parts, '  ')
end

---Seconds pass without a message: while there is work, it is told once a second.
local function tick()
  if next(now.works) and not now.timer then
    now.timer = assert(vim.uv.new_timer())
    now.timer:start(quiet_ms, 1000, vim.schedule_wrap(tell))
  elseif not next(now.works) and now.timer then
    now.timer:stop()
    now.timer:close()
    now.timer = nil
  end
end

---@param token string
---@param value { kind: string, title?: string, message?: string, percentage?: integer }
local function take(token, value)
  local work = now.works[token]
  if value.kind == 'begin' then
    local call = now.calls[token]
    work = { token = token, title = call and call.name or value.title or '', began = vim.uv.now() }
    work.callId = call and call.id
    now.works[token] = work
  end
  if not work then
    return
  end
  if value.kind == 'end' then
    now.works[token] = nil
  else
    work.message = value.message or work.message
    work.percentage = value.percentage or work.percentage
  end
  tick()
  tell()
end

---Begins to follow; does nothing where that was done.
function M.watch()
  if now.group then
    return
  end
  now.group = vim.api.nvim_create_augroup('pillion.progress', {})
  vim.api.nvim_create_autocmd('LspProgress', {
    group = now.group,
    callback = function(event)
      local found = vim.lsp.get_client_by_id(event.data.client_id)
      local params = event.data.params
      if found and found.name == 'pillion' and params then
        take(tostring(params.token), params.value)
      end
    end,
  })
  -- No end is told of what a sidecar did that has ended itself. LspDetach is of buffers, and there need be none.
  client.on('status', function(status)
    if status.state ~= 'running' and next(now.works) then
      now.works = {}
      tick()
      tell()
    end
  end)
end

---A token for the progress of a call.
---@param call string its id
---@param name string what a status line calls it
---@return string
function M.token(call, name)
  M.watch()
  local token = 'pillion.nvim/' .. call
  now.calls[token] = { id = call, name = name }
  return token
end

---The call has its result: nothing more is said of it.
---@param call string
function M.ended(call)
  local token = 'pillion.nvim/' .. call
  now.calls[token], now.works[token] = nil, nil
  tick()
end

---Listens to every change.
---@param listener fun()
---@return fun() off takes the listener off
function M.on(listener)
  M.watch()
  return now.heard:on('change', listener)
end

---How far each call of this editor's is, by its id.
---@return table<string, string>
function M.words()
  local found = {}
  for _, work in pairs(now.works) do
    if work.callId then
      found[work.callId] = words_of(work)
    end
  end
  return found
end

---For the status line: what was begun last, once it has taken a while.
---@return string? foreign text
function M.text()
  local last
  local asking = {}
  for _, call in ipairs(require('pillion.state').calls()) do
    asking[call.callId] = call.state == 'asking'
  end
  for _, work in pairs(now.works) do
    -- What waits for an answer does not run: it is counted as a question.
    local is_slow = vim.uv.now() - work.began >= quiet_ms and not (work.callId and asking[work.callId])
    if is_slow and (not last or work.began > last.began) then
      last = work
    end
  end
  return last and ('%s %s'):format(text.cut(text.visible(last.title), 16), words_of(last)) or nil
end

return M
