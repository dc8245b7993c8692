-- The lines of a look at everything that Pillion needs: how much is not as it should be, then each thing by section.

local block = require('pillion.lines.block')
local text = require('pillion.text')
local words = require('pillion.words')

local M = {}

local sections = {
  files = 'Files',
  connectors = 'Connectors',
  runtimes = 'Runners',
  secrets = 'Secrets',
  folders = "Pillion's own folders",
  logs = 'Logs',
  windows = 'Pillion on this machine',
  system = 'System',
}

local levels = {
  ok = { 'ok', 'PillionReady' },
  note = { 'note', 'PillionWaiting' },
  broken = { 'broken', 'PillionFailed' },
}

---@param row pillion.DoctorRow
---@return pillion.Line[]
local function row_lines(row)
  local level = levels[row.level] or levels.broken
  local details = {}
  if row.version then
    details[#details + 1] = text.visible(row.version)
  end
  if row.bytes then
    details[#details + 1] = words.size(row.bytes)
  end
  local subject = row.path == row.subject and text.path(row.subject) or text.visible(row.subject)
  local rows = {
    {
      '  ',
      { block.pad(level[1], 8), level[2] },
      { subject, 'PillionName' },
      { ': ' .. text.visible(row.text) },
      { #details > 0 and '  ' .. table.concat(details, ', ') or '', 'PillionDetail' },
    },
  }
  block.append(rows, block.steps(row.steps, '          '))
  local id = ('row:%s:%s:%s'):format(row.section, row.subject, row.text)
  return block.about(rows, id, { kind = 'row', row = row }, row.path and 'open it' or nil)
end

---The whole page.
---@param result pillion.DoctorResult
---@return pillion.Line[]
function M.lines(result)
  local lines, counts = {}, { ok = 0, note = 0, broken = 0 }
  local by_section, order = {}, {}
  for _, row in ipairs(result.rows) do
    local level = counts[row.level] and row.level or 'broken'
    counts[level] = counts[level] + 1
    if not by_section[row.section] then
      by_section[row.section] = {}
      order[#order + 1] = row.section
    end
    block.append(by_section[row.section], row_lines(row))
  end
  local group = counts.broken > 0 and 'PillionFailed' or 'PillionReady'
  local all = ('%d broken, %s, %d as they should be'):format(counts.broken, text.count(counts.note, 'note'), counts.ok)
  lines[#lines + 1] = { { all, group } }
  for _, section in ipairs(order) do
    lines[#lines + 1] = {}
    block.append(lines, block.section(sections[section] or text.visible(section), nil, by_section[section]))
  end
  return lines
end

return M
