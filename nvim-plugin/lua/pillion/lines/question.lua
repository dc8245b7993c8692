-- The lines of a question: Pillion's own words, and what is foreign behind a mark that no text of others can write
-- (S17). They are values: nothing here touches a buffer.
local block = require('pillion.lines.block')
local pieces = require('pillion.lines.pieces')
local text = require('pillion.text')

---@class (exact) pillion.QuestionLines
---@field lines pillion.Line[]
---@field item any what the lines that are being written are about
local Lines = {}
Lines.__index = Lines

local M = {}

---Begins a page of a question.
---@return pillion.QuestionLines
function M.new()
  return setmetatable({ lines = {} }, Lines)
end

---Adds a line as it is.
---@param line pillion.Line
---@return pillion.QuestionLines self
function Lines:push(line)
  line.item = line.item or self.item
  self.lines[#self.lines + 1] = line
  return self
end

---A sentence of Pillion's own.
---@param words string
---@param group? string
---@return pillion.QuestionLines self
function Lines:say(words, group)
  return self:push({ { words, group } })
end

---An empty line.
---@return pillion.QuestionLines self
function Lines:gap()
  return self:push({})
end

local bar = { '│ ', 'PillionForeign' }

---Foreign text over its own lines.
---@param foreign string
---@param group? string
---@return pillion.QuestionLines self
function Lines:foreign(foreign, group)
  for _, line in ipairs(text.lines(foreign)) do
    self:push(vim.list_extend({ bar }, pieces.of(line, group)))
  end
  return self
end

---JSON exactly as it is, hidden characters visible.
---@param source string
---@return pillion.QuestionLines self
function Lines:json(source)
  for _, line in ipairs(text.lines(source)) do
    self:push(vim.list_extend({ bar }, pieces.json(line)))
  end
  return self
end

---What the next lines are, in Pillion's own words.
---@param name string
---@return pillion.QuestionLines self
function Lines:name(name)
  return self:say(name, 'PillionDetail')
end

---One foreign value under its name; nothing where there is none.
---@param name string
---@param value? string
---@param group? string
---@return pillion.QuestionLines self
function Lines:value(name, value, group)
  if value and value ~= '' then
    self:name(name)
    self:push(vim.list_extend({ bar }, pieces.of(text.visible(value), group)))
  end
  return self
end

---Foreign values under their name, one a line; nothing where there are none.
---@param name string
---@param values? string[]
---@param group? string
---@return pillion.QuestionLines self
function Lines:values(name, values, group)
  if values and #values > 0 then
    self:name(name)
    for _, value in ipairs(values) do
      self:push(vim.list_extend({ bar }, pieces.of(text.visible(value), group)))
    end
  end
  return self
end

---Foreign names with their values, in the order of the names.
---@param name string
---@param map? table<string, string>
---@return pillion.QuestionLines self
function Lines:pairs(name, map)
  local keys = vim.tbl_keys(map or {})
  table.sort(keys)
  if #keys > 0 then
    self:name(name)
  end
  for _, key in ipairs(keys) do
    local line = { bar }
    vim.list_extend(line, pieces.of(text.visible(key), 'PillionName'))
    line[#line + 1] = ' = '
    vim.list_extend(line, pieces.of(text.visible(map[key]), 'PillionValue'))
    self:push(line)
  end
  return self
end

---What differs, the old line before the new one.
---@param name string
---@param changes? pillion.Change[]
---@return pillion.QuestionLines self
function Lines:changes(name, changes)
  if not changes or #changes == 0 then
    return self
  end
  self:say(name, 'PillionWarning')
  for _, line in ipairs(block.changes(changes, bar)) do
    self:push(line)
  end
  return self
end

---Who wants something: what is known of it from the kernel, and what it says of itself in quotes.
---@param of pillion.Asker
---@return string
local function asker(of)
  if of.kind == 'editor' then
    return 'you, in this editor'
  end
  local who = of.kind == 'cli' and 'a terminal' or 'an agent'
  if of.name and of.name ~= '' then
    who = who .. ' that calls itself ' .. text.quoted(of.name)
  end
  local process = {}
  if of.program and of.program ~= '' then
    process[#process + 1] = text.visible(of.program)
  end
  if of.pid then
    process[#process + 1] = 'process ' .. of.pid
  end
  return #process > 0 and ('%s (%s)'):format(who, table.concat(process, ', ')) or who
end

---Who asks, as far as it is known.
---@param ask pillion.Ask
---@return pillion.QuestionLines self
function Lines:asker(ask)
  return self:push({ { 'asked for by ', 'PillionDetail' }, { asker(ask.asker) } })
end

return M
