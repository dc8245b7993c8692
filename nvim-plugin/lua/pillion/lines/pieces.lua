-- A line of foreign text as pieces with their highlights: what is hidden in it is set off, JSON has its colours.
-- The line is visible already (pillion.text); nothing is added to it and nothing left out.
local text = require('pillion.text')

local M = {}

---The pieces of a line.
---@param line string
---@param group? string
---@return pillion.Chunk[]
function M.of(line, group)
  local chunks, from = {}, 0
  for _, mark in ipairs(text.marks(line)) do
    if mark[1] > from then
      chunks[#chunks + 1] = { line:sub(from + 1, mark[1]), group }
    end
    chunks[#chunks + 1] = { line:sub(mark[1] + 1, mark[2]), 'PillionHidden' }
    from = mark[2]
  end
  if from < #line or from == 0 then
    chunks[#chunks + 1] = { line:sub(from + 1), group }
  end
  return chunks
end

---Where the string that begins at a quote ends; the end of the line where it does not.
---@param line string
---@param at integer
---@return integer
local function string_end(line, at)
  while true do
    local stop, what = line:match('()(["\\])', at + 1)
    if not stop then
      return #line
    elseif what == '"' then
      return stop
    end
    at = stop + 1
  end
end

---The pieces of a line of JSON, as it is written.
---@param line string
---@return pillion.Chunk[]
function M.json(line)
  local chunks, at = {}, 1
  local function add(upto, group)
    vim.list_extend(chunks, M.of(line:sub(at, upto), group))
    at = upto + 1
  end
  while at <= #line do
    if line:sub(at, at) == '"' then
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

return M
