-- What happened, and what stands: each call with a way to see it, make it again or refuse the next, and each standing
-- yes with its undo, one key each.

local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local lines = require('pillion.lines.activity')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')
local tool_page = require('pillion.ui.tool')
local view = require('pillion.view')
local words = require('pillion.words')

local requests = protocol.requests

local M = {}

-- As many events as the sidecar keeps.
local most_events = 2000

local now = {
  pages = {}, ---@type table<string, pillion.Page> by their names
  events = {}, ---@type pillion.SessionEvent[]
  rules = {}, ---@type pillion.PermissionRule[]
  records = {}, ---@type pillion.ConsentRecord[]
  allowed = {}, ---@type table<string, string>
  off = {}, ---@type fun()[] none while there is no page
}

local function draw()
  for _, page in pairs(now.pages) do
    page:refresh()
  end
end

---Everything that stands, asked anew.
local function ask_standing()
  client.request(requests.permissions, nil, function(err, result)
    now.rules = err and now.rules or result.rules
    draw()
  end)
  client.request(requests.consents, nil, function(err, result)
    now.records = err and now.records or result.records
    draw()
  end)
end

---How a call was allowed is in its result.
---@param callId string
local function ask_allowed(callId)
  client.request(requests.call_detail, { callId = callId }, function(err, detail)
    local allowed = not err and detail.result and words.allowed(detail.result.allowed)
    if allowed then
      now.allowed[callId] = allowed
      draw()
    end
  end)
end

local function ask_events()
  client.request(requests.events, nil, function(err, result)
    if err then
      return
    end
    now.events = result.events
    for i, call in ipairs(lines.calls(result.events)) do
      if i <= 50 and call.state == 'finished' then
        ask_allowed(call.callId)
      end
    end
    draw()
  end)
end

---@param event pillion.SessionEvent?
local function follow_event(event)
  if not event or event.kind == 'gap' then
    return ask_events()
  end
  if event.kind == 'call' then
    now.events[#now.events + 1] = event
    if #now.events > most_events then
      table.remove(now.events, 1)
    end
    if event.call == 'finished' and event.callId then
      ask_allowed(event.callId)
    end
    draw()
  elseif event.kind == 'askClosed' or event.kind == 'connector' then
    ask_standing()
  end
end

---Takes back what stands.
---@param item table
local function undo(item)
  if item.kind == 'rule' then
    return ask.change(requests.permission_remove, { id = item.rule.id }, function()
      ask.tell('undone: ' .. text.visible(item.rule.label))
      ask_standing()
    end)
  end
  local record = item.record
  ask.request(requests.consent_revoke, { root = record.root, connector = record.connector }, function()
    ask.tell(text.visible(record.name) .. ' needs permission again')
    ask_standing()
  end)
end

---@param act fun(tool: pillion.Tool, call: pillion.lines.Happening)
local function with_tool(act)
  return function(item)
    if not item or item.kind ~= 'happening' then
      return ask.tell('there is no call on this line')
    end
    tool_page.named(item.call.tool, function(tool)
      act(tool, item.call)
    end)
  end
end

local function undo_line(item)
  if item and (item.kind == 'rule' or item.kind == 'consent') then
    return undo(item)
  end
  ask.tell('nothing on this line can be undone')
end

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'see what came of a call, or undo what stands',
    function(item, page)
      if item and item.kind == 'happening' then
        return with_tool(function(tool, call)
          require('pillion.ui.call').look(call.callId, tool, words.time(call.at))
        end)(item, page)
      elseif item then
        undo_line(item)
      end
    end,
  },
  {
    'r',
    'make the call again',
    with_tool(function(tool, call)
      require('pillion.ui.call').make_again(call.callId, tool)
    end),
  },
  {
    'd',
    'refuse this tool from now on',
    with_tool(function(tool)
      tool_page.rule(tool, 'deny')
    end),
  },
  { 'u', 'undo what stands', undo_line },
  {
    'X',
    'cancel the call',
    function(item)
      if item and item.kind == 'happening' then
        require('pillion.ui.call').cancel(item.call.callId)
      end
    end,
  },
  {
    'W',
    'why the tool is not there, or may not be called',
    with_tool(function(tool)
      require('pillion.ui.why').tool(tool)
    end),
  },
}

local function follow()
  if #now.off == 0 then
    state.watch()
    now.off = { state.on('events', follow_event), state.on('client', ask_standing) }
  end
end

---@param name string of the page that has gone
local function forget(name)
  now.pages[name] = nil
  if not next(now.pages) then
    for _, off in ipairs(now.off) do
      off()
    end
    now.off = {}
  end
end

---Opens a page of what stands, with the calls or without.
---@param options { name: string, title: string, render: fun(): pillion.Line[] }
---@param mods? table
local function open(options, mods)
  local page = view.open({
    name = options.name,
    kind = 'activity',
    title = options.title,
    keys = keys,
    render = options.render,
    closed = function()
      forget(options.name)
    end,
  })
  now.pages[options.name] = page
  follow()
  page:show(mods)
  ask_standing()
end

---Opens the activity of this window.
---@param mods? table
function M.open(mods)
  open({
    name = 'pillion://activity',
    title = 'Activity of this window',
    render = function()
      return lines.lines({
        events = now.events,
        rules = now.rules,
        records = now.records,
        allowed = now.allowed,
        width = vim.o.columns,
      })
    end,
  }, mods)
  ask_events()
end

---Opens what stands alone.
---@param mods? table
function M.permissions(mods)
  open({
    name = 'pillion://permissions',
    title = 'What stands',
    render = function()
      return lines.standing(now.rules, now.records)
    end,
  }, mods)
end

return M
