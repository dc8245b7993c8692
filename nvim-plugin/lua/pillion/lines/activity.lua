-- The lines of the activity: what was called by whom and what came of it, and what stands for the calls to come.

local block = require('pillion.lines.block')
local text = require('pillion.text')
local words = require('pillion.words')

local M = {}

---A call as the events told of it.
---@class (exact) pillion.lines.Happening
---@field callId string
---@field tool string label, or what the caller named
---@field at string
---@field state pillion.CallState
---@field status? pillion.CallStatus
---@field mayHaveRun? boolean
---@field durationMs? integer
---@field asker? string

---Makes one entry of each call, the newest first.
---@param events pillion.SessionEvent[] in their order
---@return pillion.lines.Happening[]
function M.calls(events)
  local by_id, order = {}, {}
  for _, event in ipairs(events) do
    if event.kind == 'call' and event.callId then
      local call = by_id[event.callId]
      if not call then
        call = { callId = event.callId, at = event.at, tool = event.tool or '' }
        by_id[event.callId] = call
        table.insert(order, 1, call)
      end
      call.tool = event.tool or call.tool
      call.state, call.status = event.call, event.status or call.status
      call.mayHaveRun, call.durationMs = event.mayHaveRun, event.durationMs or call.durationMs
      call.asker = event.asker or call.asker
    end
  end
  return order
end

local askers = { editor = 'you', cli = 'a terminal', agent = 'an agent' }

---@param call pillion.lines.Happening
---@return string
---@return string group
local function outcome(call)
  if call.status then
    local status, group = words.status(call.status)
    local may = words.may_have_run(call.status, call.mayHaveRun)
    return call.mayHaveRun and may and status .. ', may have run' or status, group
  elseif call.state == 'asking' then
    return 'asks', 'PillionWaiting'
  elseif call.state == 'running' then
    return 'running', 'PillionBusy'
  end
  return call.state == 'mayHaveRun' and 'answer lost, may have run' or 'unknown', 'PillionWarning'
end

---@param calls pillion.lines.Happening[]
---@param allowed table<string, string> how calls were allowed, by their ids, as far as it was asked
---@param width integer
---@return pillion.Line[]
local function call_rows(calls, allowed, width)
  local names = block.widest(
    vim.tbl_map(function(call)
      return text.visible(call.tool)
    end, calls),
    math.max(16, math.floor(width / 3))
  )
  local rows = {}
  for _, call in ipairs(calls) do
    local status, group = outcome(call)
    local details = {}
    details[#details + 1] = words.took(call.status, call.state == 'finished' and (call.durationMs or 0) or nil)
    details[#details + 1] = askers[call.asker] or call.asker and text.visible(call.asker) or nil
    details[#details + 1] = allowed[call.callId] and text.visible(allowed[call.callId]) or nil
    local row = {
      ' ',
      { words.time(call.at), 'PillionDetail' },
      '  ',
      { block.pad(block.cut(call.tool, names), names), 'PillionName' },
      { '  ' .. status, group },
      { '  ' .. table.concat(details, ', '), 'PillionDetail' },
    }
    local item = { kind = 'happening', call = call }
    block.append(rows, block.about({ row }, 'happening:' .. call.callId, item, 'see what came of it'))
  end
  return rows
end

local scopes = { session = 'this session', project = 'this folder', user = 'everywhere' }

---A standing rule as a row.
---@param rule pillion.PermissionRule
---@return pillion.Line[]
local function rule_row(rule)
  local group = rule.decision == 'deny' and 'PillionOff'
    or rule.decision == 'ask' and 'PillionWaiting'
    or 'PillionReady'
  local details = { scopes[rule.scope] or rule.scope, 'since ' .. words.time(rule.at) }
  if rule.by and rule.by ~= '' then
    details[#details + 1] = 'by ' .. (askers[rule.by] or text.visible(rule.by))
  end
  local row = {
    ' ',
    { text.visible(rule.label), group },
    { '  ' .. table.concat(details, ', '), 'PillionDetail' },
  }
  local rows = { row }
  if rule.suspended then
    rows[#rows + 1] = { '   ', { 'suspended: it was given for another definition', 'PillionWarning' } }
  end
  return block.about(rows, 'rule:' .. rule.id, { kind = 'rule', rule = rule }, 'undo it')
end

local decisions = {
  allow = { 'allowed', 'PillionReady' },
  allowFollow = { 'allowed, following changes of its files', 'PillionReady' },
  later = { 'put off', 'PillionWaiting' },
  never = { 'never here', 'PillionOff' },
}

---@param record pillion.ConsentRecord
---@return pillion.Line[]
local function consent_row(record)
  local decision = decisions[record.decision] or decisions.later
  local row = {
    ' ',
    { text.visible(record.name), 'PillionName' },
    { '  ' .. decision[1], decision[2] },
    { ('  in %s, since %s'):format(text.path(record.root), words.time(record.at)), 'PillionDetail' },
  }
  local id = ('consent:%s:%s:%s'):format(record.root, record.connector, record.hash)
  return block.about({ row }, id, { kind = 'consent', record = record }, 'undo it')
end

---@param heading string
---@param rows pillion.Line[]
---@param none string
---@return pillion.Line[]
local function part(heading, rows, none)
  if #rows == 0 then
    rows = { { ' ', { none, 'PillionDetail' } } }
  end
  return block.section(heading, nil, rows)
end

---What stands: permissions of calls, and consents.
---@param rules pillion.PermissionRule[]
---@param records pillion.ConsentRecord[]
---@return pillion.Line[]
function M.standing(rules, records)
  local rule_rows, consent_rows = {}, {}
  for _, rule in ipairs(rules) do
    block.append(rule_rows, rule_row(rule))
  end
  for _, record in ipairs(records) do
    block.append(consent_rows, consent_row(record))
  end
  local lines =
    part('Permissions of calls', rule_rows, 'none: calls ask, but for what your own connectors say only reads')
  lines[#lines + 1] = {}
  return block.append(lines, part('Connectors of folders', consent_rows, 'nothing was decided'))
end

---@class (exact) pillion.lines.ActivityFacts
---@field events pillion.SessionEvent[]
---@field rules pillion.PermissionRule[]
---@field records pillion.ConsentRecord[]
---@field allowed table<string, string>
---@field width integer

---The calls of this window, and below them what stands.
---@param facts pillion.lines.ActivityFacts
---@return pillion.Line[]
function M.lines(facts)
  local calls = call_rows(M.calls(facts.events), facts.allowed, facts.width)
  local lines = part('Calls', calls, 'nothing was called in this window yet')
  lines[#lines + 1] = {}
  return block.append(lines, M.standing(facts.rules, facts.records))
end

return M
