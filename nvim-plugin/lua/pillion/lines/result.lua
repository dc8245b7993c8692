-- The lines of a result: what came of a call, in Pillion's words first, then the connector's.

local block = require('pillion.lines.block')
local text = require('pillion.text')
local words = require('pillion.words')

local M = {}

---What a result is of.
---@class (exact) pillion.lines.Call
---@field argumentsText? string
---@field at? string when it was made, in words

---An attachment as its line has it.
---@class (exact) pillion.lines.AttachmentItem
---@field kind "attachment"
---@field attachment pillion.Attachment

-- What the system may be asked to open, and what is shown as a picture (S27).
local pictures = { ['image/png'] = true, ['image/jpeg'] = true, ['image/gif'] = true, ['image/webp'] = true }

---Whether an attachment is a picture.
---@param attachment pillion.Attachment
---@return boolean
function M.is_picture(attachment)
  return pictures[attachment.mimeType] or false
end

---The lines of an attachment: its name and kind, and its path.
---@param attachment pillion.Attachment
---@return pillion.Line[]
function M.attachment(attachment)
  local name = attachment.name and attachment.name ~= '' and attachment.name or vim.fs.basename(attachment.uri)
  local hint = M.is_picture(attachment) and 'open the picture' or 'copy its path'
  local lines = {
    {
      '  ',
      { text.visible(name), 'PillionName' },
      { ('  %s, %s'):format(text.visible(attachment.mimeType), words.size(attachment.bytes)), 'PillionDetail' },
    },
    { '  ', { text.path(attachment.uri), 'PillionPath' } },
  }
  return block.about(lines, 'attachment:' .. attachment.uri, { kind = 'attachment', attachment = attachment }, hint)
end

---@param lines pillion.Line[]
---@param result pillion.CallResult
local function outcome(lines, result, call)
  local status, group = words.status(result.status)
  local head = { { status, group } }
  local took = words.took(result.status, result.durationMs)
  if took then
    head[#head + 1] = { '  ' .. took, 'PillionDetail' }
  end
  local allowed = words.allowed(result.allowed)
  if allowed then
    head[#head + 1] = { '  allowed: ' .. text.visible(allowed), 'PillionDetail' }
  end
  if call and call.at then
    head[#head + 1] = { '  ' .. call.at, 'PillionDetail' }
  end
  lines[#lines + 1] = head
  local may = words.may_have_run(result.status, result.mayHaveRun)
  if may then
    lines[#lines + 1] = { { may, result.mayHaveRun and 'PillionWarning' or 'PillionDetail' } }
  end
  if result.message and result.message ~= '' then
    block.append(lines, block.foreign(result.message, '', may and 'PillionDetail' or nil))
  end
  if result.error then
    block.append(lines, block.foreign(('%d: %s'):format(result.error.code, result.error.message), '', 'PillionProblem'))
  end
  for _, fault in ipairs(result.errors or {}) do
    local where = fault.path == '' and '(the whole)' or fault.path
    lines[#lines + 1] = { '  ', { text.visible(where), 'PillionName' }, ': ', text.visible(fault.message) }
  end
  block.append(lines, block.steps(result.steps, '  '))
  if result.redacted then
    lines[#lines + 1] = { { 'Secret values were replaced by [REDACTED].', 'PillionDetail' } }
  end
end

---The lines of an outcome without a content, of a resource or a prompt.
---@param outcome_of pillion.ResourceReadResult|pillion.PromptGetResult
---@return pillion.Line[]
function M.unmade(outcome_of)
  local status, group = words.status(outcome_of.status)
  local lines = { { { status, group } } }
  if outcome_of.message then
    block.append(lines, block.foreign(outcome_of.message, ''))
  end
  if outcome_of.error then
    block.append(lines, block.foreign(outcome_of.error.message, '', 'PillionProblem'))
  end
  return block.append(lines, block.steps(outcome_of.steps, '  '))
end

---@param n integer
local function note(n)
  return n > 1 and text.count(n, 'line') or nil
end

---The whole page: what came of a call, then its parts as sections.
---@param result pillion.CallResult
---@param call? pillion.lines.Call
---@return pillion.Line[]
function M.lines(result, call)
  local lines = {}
  outcome(lines, result, call)
  block.about(lines, 'outcome', { kind = 'outcome' })
  if result.text and result.text ~= '' then
    lines[#lines + 1] = {}
    local body = block.foreign(result.text, '')
    block.append(lines, block.about(block.section('Text', note(#body), body), 'text', { kind = 'text' }))
  end
  if result.truncated then
    local cut = { { { 'Only the beginning is shown.', 'PillionWarning' } } }
    block.append(lines, block.about(cut, 'rest', { kind = 'rest' }, 'read the whole'))
  end
  if #(result.attachments or {}) > 0 then
    lines[#lines + 1] = {}
    local body = {}
    for _, attachment in ipairs(result.attachments) do
      block.append(body, M.attachment(attachment))
    end
    block.append(lines, block.section('Attachments', nil, body))
  end
  if result.structuredText and result.structuredText ~= '' then
    lines[#lines + 1] = {}
    local body = block.json(result.structuredText, '')
    local section = block.section('Structured', note(#body), body)
    block.append(lines, block.about(section, 'structured', { kind = 'structured' }))
  end
  if call and call.argumentsText then
    lines[#lines + 1] = {}
    local body = block.json(call.argumentsText, '')
    local section = block.section('Arguments', 'as they were sent', body)
    block.append(lines, block.about(section, 'arguments', { kind = 'arguments' }))
  end
  return lines
end

return M
