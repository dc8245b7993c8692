-- What can be done about a connector: each by a key of the connectors window and by a subcommand.
-- None of them allows anything: where a yes is wanted, the question is opened.

local ask = require('pillion.ui.ask')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')
local words = require('pillion.words')

local requests = protocol.requests

local M = {}

---Opens the question about a connector, if it waits.
---@param connector pillion.Connector
function M.review(connector)
  require('pillion.ui.questions').review(connector.id)
end

---What a start came to, where that is not what was wanted.
---@param result pillion.ConnectorResult
local function settled(result)
  local connector = result.connector
  local name = text.visible(connector.name)
  if connector.state == 'waiting' then
    return M.review(connector)
  elseif connector.problem and (connector.state == 'failed' or connector.state == 'login') then
    ask.refuse(('%s: %s'):format(name, text.shown(connector.problem.reason)))
  end
end

---Starts a connector; the question is opened where one is in the way.
---@param connector pillion.Connector
function M.start(connector)
  ask.request(requests.connector_start, { connector = connector.id }, settled)
end

---Ends the processes of a connector.
---@param connector pillion.Connector
function M.stop(connector)
  ask.request(requests.connector_stop, { connector = connector.id })
end

---Ends and starts a connector.
---@param connector pillion.Connector
function M.restart(connector)
  ask.request(requests.connector_restart, { connector = connector.id }, settled)
end

---Switches a connector on for the user alone; what that widens is asked about first.
---@param connector pillion.Connector
function M.enable(connector)
  ask.change(requests.connector_set, { connector = connector.id, enabled = true })
end

---Switches a connector off for the user alone.
---@param connector pillion.Connector
function M.disable(connector)
  ask.change(requests.connector_set, { connector = connector.id, enabled = false })
end

---On, or off, for the user alone.
---@param connector pillion.Connector
function M.toggle(connector)
  if connector.state == 'disabled' then
    return M.enable(connector)
  end
  M.disable(connector)
end

---Lists a connector first, or no longer.
---@param connector pillion.Connector
function M.pin(connector)
  ask.change(requests.connector_set, { connector = connector.id, pinned = not connector.pinned })
end

---Takes every decision about a connector back: it waits again.
---@param connector pillion.Connector
function M.revoke(connector)
  if not connector.root then
    return ask.tell(text.visible(connector.name) .. ' is not of a project: nothing was decided about it')
  end
  ask.request(requests.consent_revoke, { connector = connector.id, root = connector.root })
end

M.unblock = M.revoke

---Opens the log of a connector.
---@param connector pillion.Connector
function M.log(connector)
  require('pillion.ui.log').open(connector)
end

---Says why a connector is not there, or may not be called.
---@param connector pillion.Connector
function M.why(connector)
  require('pillion.ui.why').connector(connector)
end

---Opens the file that a connector is written in, at its entry.
---@param connector pillion.Connector
function M.place(connector)
  if not connector.uri then
    return ask.tell(text.visible(connector.name) .. ' is written in no file')
  end
  require('pillion.ui.place').open(connector.uri, connector.range)
end

---Takes the entry of a connector out of its file, after a question; to keep it stands first.
---@param connector pillion.Connector
function M.remove(connector)
  local name = text.visible(connector.name)
  local remove, keep = ('Remove %s from %s'):format(name, text.path(connector.uri or '')), 'Keep it'
  vim.ui.select({ keep, remove }, { prompt = 'Remove the entry?', kind = 'pillion_remove' }, function(choice)
    if choice == remove then
      ask.request(requests.connector_remove, { connector = connector.id })
    end
  end)
end

---Does the one thing that comes first in a connector's state.
---@param connector pillion.Connector
---@param expand fun() shows what it offers
function M.first(connector, expand)
  local action = words.state(connector).action
  if action == 'expand' then
    return expand()
  end
  M[action](connector)
end

---The connectors that a name or an id means.
---@param name string
---@return pillion.Connector[]
function M.named(name)
  local found = {}
  for _, connector in ipairs(state.connectors()) do
    if connector.id == name then
      return { connector }
    elseif connector.name == name and not connector.shadowedBy then
      found[#found + 1] = connector
    end
  end
  return found
end

---A connector for a person to tell it from others of its name.
---@param connector pillion.Connector
---@return string
function M.label(connector)
  local where = connector.root and text.path(connector.root) or words.source(connector.source)
  return ('%s  %s  %s'):format(text.visible(connector.name), words.state(connector).words, where)
end

---Finds the connector that is meant, asking where several may be.
---@param name string empty: one of all
---@param prompt string
---@param done fun(connector: pillion.Connector)
function M.choose(name, prompt, done)
  if name == '' then
    return ask.choose(state.connectors(), prompt, M.label, 'connector', done)
  end
  local found = M.named(name)
  if #found == 0 then
    return ask.refuse('there is no connector ' .. text.quoted(name))
  end
  ask.choose(found, prompt, M.label, 'connector', done)
end

---For the completion of commands.
---@return string[]
function M.names()
  local names = {}
  for _, connector in ipairs(state.connectors()) do
    if not vim.list_contains(names, connector.name) and not connector.name:find('[%s%c]') then
      names[#names + 1] = connector.name
    end
  end
  return names
end

return M
