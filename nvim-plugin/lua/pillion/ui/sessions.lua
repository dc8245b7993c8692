-- The sessions of callers that have processes to themselves, each restarted or ended alone.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local list = require('pillion.ui.list')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

---@param result pillion.SessionsResult
---@return pillion.Line[]
local function lines(result)
  local all = {}
  for _, session in ipairs(result.sessions) do
    local rows = { { ' ', { text.visible(session.name), 'PillionName' } } }
    for _, process in ipairs(session.processes) do
      rows[#rows + 1] = { '   ', { ('%s, process %d'):format(text.visible(process.connectorName), process.pid) } }
    end
    for _, holder in ipairs(session.holders) do
      local mode = holder.mode == 'driving' and 'drives it' or 'may only read'
      rows[#rows + 1] = { '   ', { ('%s %s'):format(text.quoted(holder.name), mode), 'PillionDetail' } }
    end
    block.append(all, block.about(rows, 'session:' .. session.sessionId, session))
  end
  if #all == 0 then
    all = { { ' ', { 'No session has a process to itself.', 'PillionDetail' } } }
  end
  return all
end

---@param method string
---@param words string
local function act(method, words)
  return function(session, page)
    if session then
      ask.request(method, { sessionId = session.sessionId }, function()
        list.again(page)
        ask.tell(words)
      end)
    end
  end
end

---@type pillion.Key[]
local keys = {
  {
    'R',
    'end its processes; its next call has new ones',
    act(protocol.requests.session_restart, 'its processes are ended'),
  },
  { 'x', 'end it, and forget what was allowed to it', act(protocol.requests.session_end, 'the session is ended') },
}

---Opens the list.
function M.open()
  list.open({
    name = 'pillion://sessions',
    kind = 'sessions',
    title = 'Sessions with processes of their own',
    method = protocol.requests.sessions,
    lines = lines,
    keys = keys,
    follows = { 'connectors', 'calls' },
  })
end

return M
