-- What Pillion has told: connectors, open questions, calls under way. Asks for everything again after a gap.
-- Shows nothing and decides nothing.
local client = require('pillion.client')
local listeners = require('pillion.listeners')
local protocol = require('pillion.protocol')

local M = {}

---@alias pillion.StateKind "connectors"|"tools"|"asks"|"calls"|"client"|"events"|"resources"|"prompts"|"mode"|"browser"

---@class (exact) pillion.CallUnderWay
---@field callId string
---@field tool string
---@field state string asking or running
---@field at string

local now = {
  connectors = {}, ---@type table<string, pillion.Connector>
  connectors_rev = -1,
  asks = {}, ---@type pillion.Ask[] the oldest first
  asks_rev = -1,
  closed = {}, ---@type table<string, pillion.ClosedAsk>
  calls = {}, ---@type table<string, pillion.CallUnderWay>
  mode = 'ask', ---@type pillion.Mode
  is_asking_mode = false,
  browser = nil, ---@type pillion.BrowserResult? of this session
  heard = listeners.new(), -- by kind
  is_watching = false,
}

local function changed(kind, detail)
  now.heard:tell(kind, detail)
  vim.api.nvim_exec_autocmds('User', { pattern = 'PillionChanged', modeline = false, data = { kind = kind } })
  vim.cmd.redrawstatus({ bang = true })
end

---Listens to changes of a kind. `asks` gets what was opened and closed; `tools`, `resources`, `prompts` and `events`
---get what was told; `client` gets its status, `mode` the mode, `browser` how that of this session stands.
---@param kind pillion.StateKind
---@param listener fun(detail: any)
---@return fun() off takes the listener off
function M.on(kind, listener)
  return now.heard:on(kind, listener)
end

---Every connector: those that are pinned first, then by name.
---@return pillion.Connector[]
function M.connectors()
  local all = vim.tbl_values(now.connectors)
  table.sort(all, function(a, b)
    if (a.pinned or false) ~= (b.pinned or false) then
      return a.pinned or false
    end
    if a.name ~= b.name then
      return a.name < b.name
    end
    return a.id < b.id
  end)
  return all
end

---A connector by its id.
---@param id string
---@return pillion.Connector?
function M.connector(id)
  return now.connectors[id]
end

---The open questions, the oldest first.
---@return pillion.Ask[]
function M.asks()
  return vim.list_extend({}, now.asks)
end

---An open question by its id.
---@param id string
---@return pillion.Ask?
function M.ask(id)
  for _, ask in ipairs(now.asks) do
    if ask.askId == id then
      return ask
    end
  end
end

---How a question of this session ended.
---@param id string
---@return pillion.ClosedAsk?
function M.closed(id)
  return now.closed[id]
end

---What may run at all.
---@return pillion.Mode
function M.mode()
  return now.mode
end

---The browser of this session, as it was told last.
---@return pillion.BrowserResult?
function M.browser()
  return now.browser
end

---Takes over how the browser of this session stands.
---@param browser pillion.BrowserResult
function M.tell_browser(browser)
  now.browser = browser
  changed('browser', browser)
end

---The calls that ask or run, the oldest first.
---@return pillion.CallUnderWay[]
function M.calls()
  local all = vim.tbl_values(now.calls)
  table.sort(all, function(a, b)
    if a.at ~= b.at then
      return a.at < b.at
    end
    return a.callId < b.callId
  end)
  return all
end

local function ask_connectors()
  client.request(protocol.requests.connectors, nil, function(err, result)
    if err or result.rev < now.connectors_rev then
      return
    end
    now.connectors_rev, now.connectors = result.rev, {}
    for _, connector in ipairs(result.connectors) do
      now.connectors[connector.id] = connector
    end
    changed('connectors')
  end)
end

local function ask_asks()
  client.request(protocol.requests.asks, nil, function(err, result)
    if err or result.rev < now.asks_rev then
      return
    end
    local opened = vim.tbl_filter(function(ask)
      return M.ask(ask.askId) == nil
    end, result.asks)
    now.asks_rev, now.asks = result.rev, result.asks
    changed('asks', { opened = opened, closed = {} })
  end)
end

---Asks for the mode. No event tells of another one, but what changes with it, or leads to it, does.
function M.ask_mode()
  if now.is_asking_mode then
    return
  end
  now.is_asking_mode = true
  client.request(protocol.requests.mode_current, nil, function(err, result)
    now.is_asking_mode = false
    if not err and result.mode ~= now.mode then
      now.mode = result.mode
      changed('mode', now.mode)
    end
  end)
end

local function follow_connectors(params)
  M.ask_mode()
  if params.rev ~= now.connectors_rev + 1 then
    return ask_connectors()
  end
  now.connectors_rev = params.rev
  for _, connector in ipairs(params.changed) do
    now.connectors[connector.id] = connector
  end
  for _, id in ipairs(params.removed) do
    now.connectors[id] = nil
  end
  changed('connectors')
end

local function follow_asks(params)
  for _, closed in ipairs(params.closed) do
    now.closed[closed.askId] = closed
  end
  if params.rev ~= now.asks_rev + 1 then
    return ask_asks()
  end
  now.asks_rev = params.rev
  for _, closed in ipairs(params.closed) do
    now.asks = vim.tbl_filter(function(ask)
      return ask.askId ~= closed.askId
    end, now.asks)
  end
  vim.list_extend(now.asks, params.opened)
  changed('asks', { opened = params.opened, closed = params.closed })
  if #params.closed > 0 then
    M.ask_mode()
  end
end

---@param event pillion.SessionEvent
local function follow_event(event)
  if event.kind == 'call' and event.callId then
    if event.call == 'asking' or event.call == 'running' then
      local earlier = now.calls[event.callId]
      now.calls[event.callId] = {
        callId = event.callId,
        tool = event.tool or earlier and earlier.tool or '',
        state = event.call,
        at = earlier and earlier.at or event.at,
      }
    else
      now.calls[event.callId] = nil
    end
    changed('calls', event)
  end
  changed('events', event)
end

---What was known is of another process.
local function forget()
  now.connectors, now.connectors_rev = {}, -1
  now.asks, now.asks_rev = {}, -1
  now.calls, now.mode, now.browser = {}, 'ask', nil
  changed('connectors')
  changed('asks', { opened = {}, closed = {} })
  changed('calls')
end

local function ask_all()
  ask_connectors()
  ask_asks()
  M.ask_mode()
  client.request(protocol.requests.browser, nil, function(err, result)
    if not err then
      M.tell_browser(result)
    end
  end)
  client.request(protocol.requests.events, nil, function(err, result)
    for _, event in ipairs(err and {} or result.events) do
      follow_event(event)
    end
  end)
end

---Begins to listen; does nothing where that was done.
function M.watch()
  if now.is_watching then
    return
  end
  now.is_watching = true
  local events = protocol.events
  client.on(events.connectors_changed, follow_connectors)
  client.on(events.asks_changed, follow_asks)
  client.on(events.event_told, follow_event)
  client.on(events.browser_changed, M.tell_browser)
  client.on(events.tools_changed, function(params)
    changed('tools', params)
  end)
  client.on(events.prompts_changed, function(params)
    changed('prompts', params)
  end)
  for _, event in ipairs({ events.resources_changed, events.resource_updated }) do
    client.on(event, function(params)
      changed('resources', params)
    end)
  end
  client.on('status', function(status)
    if status.state == 'running' then
      forget()
      ask_all()
    elseif status.state ~= 'starting' then
      forget()
    end
    changed('client', status)
  end)
  if client.running() then
    ask_all()
  end
end

return M
