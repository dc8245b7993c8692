-- The lines of the connectors window: each connector with its state in words, what is wrong and what to do about it,
-- and what it offers. They are made of values; what is not fetched yet is said to be on its way.

local block = require('pillion.lines.block')
local browser_lines = require('pillion.lines.browser')
local text = require('pillion.text')
local tool_lines = require('pillion.lines.tool')
local words = require('pillion.words')

local M = {}

---@class (exact) pillion.lines.ConnectorsFacts
---@field client pillion.ClientStatus
---@field connectors pillion.Connector[]
---@field mode? pillion.Mode
---@field browser? pillion.BrowserResult
---@field calls pillion.CallUnderWay[]
---@field progress table<string, string> how far a call is, by its id
---@field opened table<string, boolean> ids of the lines that are opened
---@field offers table<string, pillion.Offer>
---@field found? pillion.FoundImport[] files of other programs
---@field width integer

---What keys get of a line.
---@class (exact) pillion.lines.Item
---@field kind "connector"|"tool"|"resource"|"template"|"prompt"|"call"|"action"
---@field connector? pillion.Connector
---@field tool? pillion.Tool
---@field resource? pillion.Resource
---@field template? pillion.ResourceTemplate
---@field prompt? pillion.Prompt
---@field call? pillion.CallUnderWay
---@field action? string

local plural = { ['needs permission'] = 'need permission', ['does not run'] = 'do not run' }

---@param connectors pillion.Connector[]
---@return string
local function counts(connectors)
  local order, count = {}, {}
  for _, connector in ipairs(connectors) do
    local state = words.state(connector).words
    if not count[state] then
      order[#order + 1] = state
    end
    count[state] = (count[state] or 0) + 1
  end
  local parts = vim.tbl_map(function(state)
    return ('%d %s'):format(count[state], count[state] > 1 and plural[state] or state)
  end, order)
  return table.concat(parts, ', ')
end

local modes = {
  plan = { 'Plan mode: only tools that only read may run.', 'PillionWarning' },
  paused = { 'Paused: nothing runs.', 'PillionWarning' },
}

---@param facts pillion.lines.ConnectorsFacts
---@param lines pillion.Line[]
local function head(facts, lines)
  local mode = facts.mode and modes[facts.mode]
  if mode then
    lines[#lines + 1] = { ' ', mode }
    local item = { kind = 'action', action = 'resume' }
    block.about({ lines[#lines] }, 'mode', item, 'let calls run again, as the rules say')
  end
  block.append(lines, browser_lines.lines(facts.browser, facts.width))
  for _, call in ipairs(facts.calls) do
    local how = call.state == 'asking' and 'asks' or facts.progress[call.callId] or 'running'
    local line = {
      ' ',
      { call.state == 'asking' and '? ' or '» ', 'PillionBusy' },
      { text.cut(text.visible(call.tool), 40), 'PillionName' },
      { '  ' .. text.cut(text.visible(how), math.max(10, facts.width - 50)), 'PillionDetail' },
    }
    local hint = call.state == 'asking' and 'see the question' or 'cancel it'
    block.append(lines, block.about({ line }, 'call:' .. call.callId, { kind = 'call', call = call }, hint))
  end
  if #lines > 0 then
    lines[#lines + 1] = {}
  end
end

---@param connector pillion.Connector
---@return string
local function offered(connector)
  local parts = {}
  if connector.tools > 0 then
    parts[#parts + 1] = text.count(connector.tools, 'tool')
  end
  if connector.resources > 0 then
    parts[#parts + 1] = text.count(connector.resources, 'resource')
  end
  if connector.prompts > 0 then
    parts[#parts + 1] = text.count(connector.prompts, 'prompt')
  end
  if connector.tokens > 0 then
    parts[#parts + 1] = ('~%d tokens'):format(connector.tokens)
  end
  return table.concat(parts, ', ')
end

---Where a connector is from, for its row.
---@param connector pillion.Connector
---@return string
local function origin(connector)
  local source = words.source(connector.source)
  if connector.source == 'project' and connector.root then
    return 'of ' .. text.visible(vim.fs.basename(vim.uri_to_fname(connector.root)))
  end
  return source
end

---@param indent string
---@param label string
---@param value string
---@return pillion.Line
local function fact(indent, label, value)
  return { indent, { block.pad(label, 10), 'PillionDetail' }, text.shown(value) }
end

---@param connector pillion.Connector
---@param indent string
---@return pillion.Line[]
local function identity(connector, indent)
  local lines = {}
  if connector.uri then
    local place = text.path(connector.uri)
    if connector.range then
      place = ('%s:%d'):format(place, connector.range.start.line + 1)
    end
    lines[#lines + 1] = fact(indent, 'in', place)
  end
  if connector.server then
    local server = connector.server
    local who = ('%s %s, MCP %s'):format(server.name, server.version, server.protocolVersion)
    lines[#lines + 1] = fact(indent, 'it says', who)
  end
  for _, process in ipairs(connector.processes or {}) do
    local line = ('%d, since %s'):format(process.pid, words.time(process.startedAt))
    lines[#lines + 1] = fact(indent, 'process', process.sessionId and line .. ', for a session' or line)
  end
  if connector.profiles and #connector.profiles > 0 then
    lines[#lines + 1] = fact(indent, 'profiles', table.concat(connector.profiles, ', '))
  end
  if connector.stale then
    lines[#lines + 1] =
      { indent, { 'What it offers is an earlier list, which could not be fetched anew.', 'PillionWarning' } }
  end
  return lines
end

---@param facts pillion.lines.ConnectorsFacts
---@param connector pillion.Connector
---@param tools pillion.Tool[]
---@return pillion.Line[]
local function tool_rows(facts, connector, tools)
  local lines = {}
  local names = block.widest(
    vim.tbl_map(function(tool)
      return text.visible(tool.name)
    end, tools),
    26
  )
  for _, tool in ipairs(tools) do
    local id = 'tool:' .. tool.id
    local item = { kind = 'tool', connector = connector, tool = tool }
    local opened = facts.opened[id]
    local rows = { tool_lines.row(tool, tool.name, names, facts.width - 1, opened and '    ▾ ' or '      ') }
    if opened then
      local description = tool.description or tool.summary
      if description ~= '' and description ~= tool.summary then
        block.append(rows, block.foreign(description, '        ', 'PillionDetail'))
      end
      block.append(rows, tool_lines.arguments(tool.inputSchemaText, '        '))
    end
    block.append(lines, block.about(rows, id, item, tool.state == 'off' and 'switch on' or 'run it'))
  end
  return lines
end

---@param connector pillion.Connector
---@param things table[]
---@param kind "resource"|"template"|"prompt"
---@param width integer
---@return pillion.Line[]
local function thing_rows(connector, things, kind, width)
  local lines = {}
  local names = block.widest(
    vim.tbl_map(function(thing)
      return text.visible(thing.title or thing.name)
    end, things),
    26
  )
  for _, thing in ipairs(things) do
    local address = thing.uri or thing.uriTemplate
    local about = thing.description and thing.description ~= '' and thing.description or address or ''
    local line = {
      '      ',
      { block.pad(block.cut(thing.title or thing.name, names), names), 'PillionName' },
      { '  ' .. block.cut(about, width - names - 9), 'PillionDetail' },
    }
    local item = { kind = kind, connector = connector, [kind] = thing }
    local id = ('%s:%s:%s'):format(kind, connector.id, address or thing.name)
    local hint = kind == 'resource' and 'open it'
      or kind == 'template' and 'fill it in and open it'
      or 'have it written'
    block.append(lines, block.about({ line }, id, item, hint))
  end
  return lines
end

---@param facts pillion.lines.ConnectorsFacts
---@param connector pillion.Connector
---@return pillion.Line[]
local function offer_lines(facts, connector)
  local offer, lines = facts.offers[connector.id] or {}, {}
  local function group(heading, rows)
    if #rows > 0 then
      lines[#lines + 1] = { '    ', { heading, 'PillionHeading' } }
      block.append(lines, rows)
    end
  end
  if offer.problem then
    lines[#lines + 1] = { '    ', { text.visible(offer.problem), 'PillionProblem' } }
  elseif not offer.tools and connector.generation > 0 then
    lines[#lines + 1] = { '    ', { 'fetching what it offers …', 'PillionDetail' } }
  end
  group('Tools', tool_rows(facts, connector, offer.tools or {}))
  group('Resources', thing_rows(connector, offer.resources or {}, 'resource', facts.width))
  group('Resources to fill in', thing_rows(connector, offer.templates or {}, 'template', facts.width))
  group('Prompts', thing_rows(connector, offer.prompts or {}, 'prompt', facts.width))
  return lines
end

---@param connector pillion.Connector
---@return pillion.Line[]
local function trouble(connector)
  local lines = {}
  if connector.phase and connector.phase ~= '' then
    block.append(lines, block.told(connector.phase, '    ', 'PillionDetail'))
  end
  if connector.problem then
    block.append(lines, block.told(block.home(connector.problem.reason), '    ', 'PillionProblem'))
    block.append(lines, block.steps(vim.tbl_map(block.home, connector.problem.steps), '    '))
  end
  for _, warning in ipairs(connector.warnings or {}) do
    block.append(lines, block.told(warning, '    ', 'PillionWarning'))
  end
  return lines
end

---@param facts pillion.lines.ConnectorsFacts
---@param connector pillion.Connector
---@param columns { name: integer, state: integer }
---@return pillion.Line[]
local function connector_lines(facts, connector, columns)
  local id = 'connector:' .. connector.id
  local opened = facts.opened[id]
  local state = words.state(connector)
  local row = {
    opened and ' ▾ ' or ' ▸ ',
    { block.pad(text.cut(text.visible(connector.name), columns.name), columns.name), 'PillionName' },
    '  ',
    { block.pad(state.words, columns.state), state.group },
  }
  local rest = table.concat(
    vim.tbl_filter(function(part)
      return part ~= ''
    end, { offered(connector), origin(connector), connector.pinned and 'pinned' or '' }),
    ', '
  )
  local room = facts.width - columns.name - columns.state - 8
  if room > 8 then
    row[#row + 1] = { '  ' .. text.cut(rest, room), 'PillionDetail' }
  end
  local lines = { row }
  block.append(lines, trouble(connector))
  if opened then
    block.append(lines, identity(connector, '    '))
    block.append(lines, offer_lines(facts, connector))
  end
  local hint = state.hint
  if state.action == 'expand' and opened then
    hint = 'fold it'
  end
  return block.about(lines, id, { kind = 'connector', connector = connector }, hint)
end

---@param action string
---@param label string
---@param note string
---@return pillion.Line
local function offer_action(action, label, note)
  local line = { '   ', { block.pad(label, 14), 'PillionKey' }, { note, 'PillionDetail' } }
  line.id, line.item, line.hint = 'action:' .. action, { kind = 'action', action = action }, 'do it'
  return line
end

---The first time: what was found on disk, and the ways to begin (U24).
---@param facts pillion.lines.ConnectorsFacts
---@param lines pillion.Line[]
local function first_run(facts, lines)
  lines[#lines + 1] = { ' There are no connectors yet: none in .mcp.json here, none in your own mcp.json.' }
  lines[#lines + 1] = {}
  local usable = vim.tbl_filter(function(found)
    return #found.names > 0
  end, facts.found or {})
  if #usable > 0 then
    local n = 0
    for _, found in ipairs(usable) do
      n = n + #found.names
    end
    local note = ('%s in %s of other programs'):format(text.count(n, 'connector'), text.count(#usable, 'file'))
    lines[#lines + 1] = offer_action('imports', 'Import', note)
  end
  lines[#lines + 1] = offer_action('add', 'Add', 'one of your own, or of this folder')
  lines[#lines + 1] = offer_action('demo', 'Try the demo', 'a small connector that is part of Pillion')
end

---@param facts pillion.lines.ConnectorsFacts
---@param lines pillion.Line[]
local function not_running(facts, lines)
  local status = facts.client
  if status.state == 'starting' then
    lines[#lines + 1] = { ' ', { 'Pillion is starting …', 'PillionBusy' } }
  elseif status.state == 'waiting' then
    local reason = text.visible(status.reason or 'Pillion ended')
    lines[#lines + 1] = { ' ', { reason .. ' and comes back by itself.', 'PillionWarning' } }
  else
    lines[#lines + 1] = { ' ', { 'Pillion does not run.', 'PillionFailed' } }
    if status.reason then
      block.append(lines, block.foreign(status.reason, ' ', 'PillionProblem'))
    end
    for _, step in ipairs(status.steps or {}) do
      block.append(lines, block.foreign(step, ' '))
    end
    block.about(lines, 'restart', { kind = 'action', action = 'restart' }, 'start it')
  end
end

---The whole window.
---@param facts pillion.lines.ConnectorsFacts
---@return pillion.Line[]
function M.lines(facts)
  local lines = {}
  if facts.client.state ~= 'running' then
    not_running(facts, lines)
    return lines
  end
  head(facts, lines)
  if #facts.connectors == 0 then
    first_run(facts, lines)
    return lines
  end
  local columns = {
    name = block.widest(
      vim.tbl_map(function(connector)
        return text.visible(connector.name)
      end, facts.connectors),
      24
    ),
    state = block.widest(
      vim.tbl_map(function(connector)
        return words.state(connector).words
      end, facts.connectors),
      28
    ),
  }
  for _, connector in ipairs(facts.connectors) do
    block.append(lines, connector_lines(facts, connector, columns))
  end
  return lines
end

---What the window's bar says.
---@param connectors pillion.Connector[]
---@return string
function M.title(connectors)
  return #connectors == 0 and 'Pillion' or 'Pillion: ' .. counts(connectors)
end

return M
