-- The lines of a question: Pillion's own words, and what is foreign behind a mark that no text of others can write
-- (S17). They are values: nothing here touches a buffer.
local text = require('pillion.text')

---@class (exact) pillion.QuestionLines
---@field lines pillion.Line[]
---@field item any what the lines that are being written are about
local Lines = {}
Lines.__index = Lines

local M = {}

---@return pillion.QuestionLines
function M.new()
  return setmetatable({ lines = {} }, Lines)
end

---@param line pillion.Line
function Lines:push(line)
  line.item = line.item or self.item
  self.lines[#self.lines + 1] = line
  return self
end

---A sentence of Pillion's own.
---@param words string
---@param group? string
function Lines:say(words, group)
  return self:push({ { words, group } })
end

function Lines:gap()
  return self:push({})
end

---The pieces of a visible line, with what is hidden in it set off.
---@param line string
---@param group? string
---@return pillion.Chunk[]
local function pieces(line, group)
  local chunks, from = {}, 0
  for _, mark in ipairs(text.marks(line)) do
    if mark[1] > from then
      chunks[#chunks + 1] = { line:sub(from + 1, mark[1]), group }
    end
    chunks[#chunks + 1] = { line:sub(mark[1] + 1, mark[2]), 'PillionHidden' }
    from = mark[2]
  end
  chunks[#chunks + 1] = { line:sub(from + 1), group }
  return chunks
end

---Where the string that begins at a quote ends.
local function string_end(line, at)
  local i = at + 1
  while i <= #line do
    local c = line:sub(i, i)
    if c == '\\' then
      i = i + 1
    elseif c == '"' then
      return i
    end
    i = i + 1
  end
  return #line
end

---The pieces of a line of JSON as it is written.
---@param line string
---@return pillion.Chunk[]
local function json_pieces(line)
  local chunks, at = {}, 1
  local function add(upto, group)
    vim.list_extend(chunks, pieces(line:sub(at, upto), group))
    at = upto + 1
  end
  while at <= #line do
    local c = line:sub(at, at)
    if c == '"' then
      local last = string_end(line, at)
      add(last, line:find('^%s*:', last + 1) and 'PillionName' or 'PillionValue')
    elseif line:find('^-?%d', at) then
      add(select(2, line:find('^[-+%d.eE]+', at)), 'Number')
    elseif line:find('^%a', at) then
      add(select(2, line:find('^%a+', at)), 'Boolean')
    else
      add(select(2, line:find('^[^"%a%d-]+', at)) or at)
    end
  end
  return chunks
end

M.json_pieces = json_pieces

local bar = { '│ ', 'PillionForeign' }

---Foreign text over its own lines.
---@param foreign string
---@param group? string
function Lines:foreign(foreign, group)
  for _, line in ipairs(text.lines(foreign)) do
    self:push(vim.list_extend({ bar }, pieces(line, group)))
  end
  return self
end

---JSON exactly as it is, hidden characters visible.
---@param source string
function Lines:json(source)
  for _, line in ipairs(text.lines(source)) do
    self:push(vim.list_extend({ bar }, json_pieces(line)))
  end
  return self
end

---@param name string
function Lines:name(name)
  return self:say(name, 'PillionDetail')
end

---One foreign value under its name; nothing where there is none.
---@param name string
---@param value? string
---@param group? string
function Lines:value(name, value, group)
  if value and value ~= '' then
    self:name(name)
    self:push(vim.list_extend({ bar }, pieces(text.visible(value), group)))
  end
  return self
end

---@param name string
---@param values? string[]
---@param group? string
function Lines:values(name, values, group)
  if values and #values > 0 then
    self:name(name)
    for _, value in ipairs(values) do
      self:push(vim.list_extend({ bar }, pieces(text.visible(value), group)))
    end
  end
  return self
end

---@param name string
---@param map? table<string, string>
function Lines:pairs(name, map)
  local keys = vim.tbl_keys(map or {})
  table.sort(keys)
  if #keys > 0 then
    self:name(name)
  end
  for _, key in ipairs(keys) do
    local line = { bar }
    vim.list_extend(line, pieces(text.visible(key), 'PillionName'))
    line[#line + 1] = ' = '
    vim.list_extend(line, pieces(text.visible(map[key]), 'PillionValue'))
    self:push(line)
  end
  return self
end

---What differs, the old line before the new one.
---@param name string
---@param changes? pillion.Change[]
function Lines:changes(name, changes)
  if not changes or #changes == 0 then
    return self
  end
  self:say(name, 'PillionWarning')
  for _, change in ipairs(changes) do
    self:push({ bar, { text.visible(change.path == '' and '/' or change.path), 'PillionName' } })
    for _, side in ipairs({ { '- ', change.before, 'PillionRemoved' }, { '+ ', change.after, 'PillionAdded' } }) do
      for _, line in ipairs(side[2] == '' and {} or text.lines(side[2])) do
        self:push(vim.list_extend({ bar, { side[1], side[3] } }, pieces(line, side[3])))
      end
    end
  end
  return self
end

---Who wants something: what is known of it from the kernel, and what it says of itself in quotes.
---@param asker pillion.Asker
---@return string
function M.asker(asker)
  if asker.kind == 'editor' then
    return 'you, in this editor'
  end
  local who = asker.kind == 'cli' and 'a terminal' or 'an agent'
  if asker.name and asker.name ~= '' then
    who = who .. ' that calls itself ' .. text.quoted(asker.name)
  end
  local process = {}
  if asker.program and asker.program ~= '' then
    process[#process + 1] = text.visible(asker.program)
  end
  if asker.pid then
    process[#process + 1] = 'process ' .. asker.pid
  end
  return #process > 0 and ('%s (%s)'):format(who, table.concat(process, ', ')) or who
end

---@param ask pillion.Ask
function Lines:asker(ask)
  return self:push({ { 'asked for by ', 'PillionDetail' }, { M.asker(ask.asker) } })
end

return M
