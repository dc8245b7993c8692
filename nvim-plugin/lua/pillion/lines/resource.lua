-- The lines of a resource, and of templates what their variables are.

local block = require('pillion.lines.block')
local result_lines = require('pillion.lines.result')
local text = require('pillion.text')
local words = require('pillion.words')

local M = {}

---@param content pillion.ResourceContent
---@return pillion.Attachment
local function attachment(content)
  return {
    uri = content.fileUri,
    mimeType = content.mimeType,
    bytes = content.bytes,
    name = vim.fs.basename(content.uri),
  }
end

---The parts that are files.
---@param contents pillion.ResourceContent[]
---@return pillion.Attachment[]
function M.attachments(contents)
  local found = {}
  for _, content in ipairs(contents) do
    if content.fileUri and not content.text then
      found[#found + 1] = attachment(content)
    end
  end
  return found
end

---@param content pillion.ResourceContent
---@return pillion.Line[]
local function part(content)
  local found = {}
  if content.text then
    block.append(found, block.foreign(content.text, ''))
    if content.truncated then
      found[#found + 1] = { { 'Only the beginning is shown; the whole is in', 'PillionWarning' } }
      if content.fileUri then
        found[#found + 1] = { '  ', { text.path(content.fileUri), 'PillionPath' } }
      end
    end
  elseif content.fileUri then
    block.append(found, result_lines.attachment(attachment(content)))
  else
    local size = ('%s, %s'):format(text.visible(content.mimeType), words.size(content.bytes))
    found[#found + 1] = { { size, 'PillionDetail' } }
  end
  return found
end

---The whole page: what was read, or why nothing was.
---@param result pillion.ResourceReadResult
---@return pillion.Line[]
function M.lines(result)
  if result.status ~= 'ok' then
    return result_lines.unmade(result)
  end
  local found = {}
  if result.redacted then
    found[#found + 1] = { { 'Secret values were replaced by [REDACTED].', 'PillionDetail' } }
  end
  for _, content in ipairs(result.contents) do
    local body = part(content)
    if #result.contents > 1 then
      body = block.section(text.visible(content.uri), text.visible(content.mimeType), body)
    end
    block.append(found, body)
  end
  return found
end

---All text of a resource, as it was sent.
---@param contents pillion.ResourceContent[]
---@return string?
function M.text(contents)
  local parts = {}
  for _, content in ipairs(contents) do
    parts[#parts + 1] = content.text
  end
  return #parts > 0 and table.concat(parts, '\n') or nil
end

-- Colours alone: no file type plugin runs for a text of a connector, which could fetch or run what stands in it.
local syntaxes = {
  ['application/json'] = 'json',
  ['text/markdown'] = 'markdown',
  ['text/html'] = 'html',
  ['text/css'] = 'css',
  ['text/xml'] = 'xml',
  ['application/xml'] = 'xml',
  ['application/yaml'] = 'yaml',
  ['text/yaml'] = 'yaml',
  ['application/javascript'] = 'javascript',
  ['text/javascript'] = 'javascript',
  ['text/x-python'] = 'python',
  ['text/x-go'] = 'go',
  ['text/x-sh'] = 'sh',
}

---The syntax whose colours fit.
---@param contents pillion.ResourceContent[]
---@return string empty for none
function M.syntax(contents)
  local first = contents[1]
  local mime = first and first.text and first.mimeType:match('^[^;%s]*')
  return mime and syntaxes[mime] or ''
end

---The names of a template's variables, in their order.
---@param template string
---@return string[]
function M.variables(template)
  local names = {}
  for list in template:gmatch('{[+#./;?&]?([^{}]*)}') do
    for name in list:gmatch('[^,]+') do
      name = name:gsub('%*$', ''):gsub(':%d+$', '')
      if not vim.list_contains(names, name) then
        names[#names + 1] = name
      end
    end
  end
  return names
end

-- RFC 6570: what stands before the first value, between two, and whether names stand before their values.
local operators = {
  [''] = { '', ',', false },
  ['+'] = { '', ',', false },
  ['#'] = { '#', ',', false },
  ['.'] = { '.', '.', false },
  ['/'] = { '/', '/', false },
  [';'] = { ';', ';', true },
  ['?'] = { '?', '&', true },
  ['&'] = { '&', '&', true },
}

---@param value string
---@param keeps_reserved boolean
---@return string
local function encode(value, keeps_reserved)
  local pattern = keeps_reserved and "[^%w%-._~:/?#%[%]@!$&'()*+,;=]" or '[^%w%-._~]'
  return (value:gsub(pattern, function(c)
    return ('%%%02X'):format(c:byte())
  end))
end

---The address that a template stands for. A variable without a value is left out.
---@param template string
---@param values table<string, string>
---@return string
function M.expand(template, values)
  return (
    template:gsub('{([+#./;?&]?)([^{}]*)}', function(operator, list)
      local rule, parts = operators[operator], {}
      for name in list:gmatch('[^,]+') do
        name = name:gsub('%*$', '')
        local bare, most = name:match('^(.-):(%d+)$')
        name = bare or name
        local value = values[name]
        if value and value ~= '' then
          value = most and vim.fn.strcharpart(value, 0, tonumber(most)) or value
          value = encode(value, operator == '+' or operator == '#')
          parts[#parts + 1] = rule[3] and name .. '=' .. value or value
        end
      end
      return #parts > 0 and rule[1] .. table.concat(parts, rule[2]) or ''
    end)
  )
end

return M
