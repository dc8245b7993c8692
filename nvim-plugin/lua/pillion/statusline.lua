-- The words for a status line: what waits for the person first, then what runs. Safe in an expression that is read
-- again as a status line (`%{% … %}`): nothing of a connector is a command in it (S23).
local M = {}

---@class (exact) pillion.StatusFacts
---@field client pillion.ClientStatus
---@field asks integer open questions
---@field connectors pillion.Connector[]
---@field mode? pillion.Mode
---@field progress? string what a call says of how far it has come, foreign text

---The words for what is known; pure.
---@param facts pillion.StatusFacts
---@return string empty where Pillion was not started
function M.words(facts)
  local text = require('pillion.text')
  local state = facts.client.state
  if state == 'off' then
    return ''
  elseif state == 'failed' then
    return 'Pillion: does not run, :Pillion restart'
  elseif state == 'starting' then
    return 'Pillion: starting'
  elseif state == 'waiting' then
    return 'Pillion: ended, comes back'
  end
  local waiting, ready, failed = 0, 0, {}
  for _, connector in ipairs(facts.connectors) do
    if not connector.shadowedBy then
      waiting = waiting + (connector.state == 'waiting' and 1 or 0)
      ready = ready + ((connector.state == 'ready' or connector.state == 'idle') and 1 or 0)
      if connector.state == 'failed' or connector.state == 'login' then
        failed[#failed + 1] = connector
      end
    end
  end
  local parts = {}
  if facts.mode == 'paused' then
    parts[#parts + 1] = 'paused'
  elseif facts.mode == 'plan' then
    parts[#parts + 1] = 'read-only'
  end
  if facts.asks > 0 then
    parts[#parts + 1] = text.count(facts.asks, 'question')
  end
  if waiting > 0 then
    parts[#parts + 1] = waiting .. (waiting == 1 and ' needs permission' or ' need permission')
  end
  if #failed == 1 then
    local words = failed[1].state == 'login' and 'sign in to %s' or '%s does not run'
    parts[#parts + 1] = words:format(text.cut(text.visible(failed[1].name), 24))
  elseif #failed > 1 then
    parts[#parts + 1] = #failed .. ' do not run'
  end
  if facts.progress and facts.progress ~= '' then
    parts[#parts + 1] = text.cut(text.visible(facts.progress), 40)
  end
  if #parts == 0 and ready > 0 then
    parts[#parts + 1] = ready .. ' ready'
  end
  return text.statusline(#parts == 0 and 'Pillion' or 'Pillion: ' .. table.concat(parts, ', '))
end

---The words for now; loads nothing that was not used yet.
---@return string
function M.text()
  local client = package.loaded['pillion.client']
  if not client then
    return ''
  end
  local state = require('pillion.state')
  local progress = package.loaded['pillion.ui.progress']
  return M.words({
    client = client.status(),
    asks = #state.asks(),
    connectors = state.connectors(),
    mode = state.mode(),
    progress = progress and progress.text() or nil,
  })
end

return M
