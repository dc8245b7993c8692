-- Why a connector or tool is not there, or may not be called: the reasons in their order, each with its place.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local list = require('pillion.ui.list')
local protocol = require('pillion.protocol')
local text = require('pillion.text')
local view = require('pillion.view')

local M = {}

---@param result pillion.WhyResult
---@return pillion.Line[]
local function lines(result)
  if #result.reasons == 0 then
    return { { ' ', { 'Nothing keeps it away.', 'PillionReady' } } }
  end
  local found = {}
  for i, reason in ipairs(result.reasons) do
    local rows = block.foreign(reason.text, '    ')
    rows[1][1] = { (' %d. '):format(i), 'PillionKey' }
    local hint
    if reason.uri then
      local place = text.path(reason.uri)
      place = reason.range and ('%s:%d'):format(place, reason.range.start.line + 1) or place
      rows[#rows + 1] = { '    ', { place, 'PillionPath' } }
      hint = 'go there'
    end
    block.append(found, block.about(rows, 'reason:' .. i, { kind = 'reason', reason = reason }, hint))
  end
  return found
end

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'go to the place in the file',
    function(item)
      if item and item.reason.uri then
        return require('pillion.ui.place').open(item.reason.uri, item.reason.range)
      end
      ask.tell('no file is the cause')
    end,
  },
}

---@param params pillion.WhyParams
---@param name string
local function open(params, name)
  list.open({
    name = 'pillion://why/' .. view.part(name),
    kind = 'why',
    title = 'Why ' .. text.visible(name),
    method = protocol.requests.why,
    params = params,
    lines = lines,
    keys = keys,
    follows = { 'connectors', 'tools' },
  })
end

---The reasons for a connector.
---@param connector pillion.Connector
function M.connector(connector)
  open({ connector = connector.id }, connector.name)
end

---The reasons for a tool.
---@param tool pillion.Tool
function M.tool(tool)
  open({ tool = tool.id }, tool.label)
end

---The reasons for what a name means.
---@param name string of a connector or a tool
function M.named(name)
  for _, connector in ipairs(require('pillion.state').connectors()) do
    if connector.name == name or connector.id == name then
      return open({ connector = name }, name)
    end
  end
  open({ tool = name }, name)
end

return M
