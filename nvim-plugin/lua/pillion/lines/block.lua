-- Blocks of lines that several pages are made of: foreign text, JSON, steps, folded sections.
-- They are values: nothing here touches a buffer.

local json = require('pillion.json')
local pieces = require('pillion.lines.pieces')
local text = require('pillion.text')

local M = {}

---Adds lines behind others, in place.
---@param lines pillion.Line[]
---@param more pillion.Line[]
---@return pillion.Line[] lines
function M.append(lines, more)
  return vim.list_extend(lines, more)
end

---A text of a connector over its own lines, whatever characters it holds made visible.
---@param foreign string
---@param indent string
---@param group? string
---@param one? fun(part: string): string how it is made visible, where not as foreign text
---@return pillion.Line[]
function M.foreign(foreign, indent, group, one)
  local lines = {}
  for _, line in ipairs(text.lines((foreign:gsub('\n+$', '')), one)) do
    lines[#lines + 1] = vim.list_extend({ indent }, pieces.of(line, group))
  end
  return lines
end

---What Pillion says of a connector, over its own lines: foreign text that it quotes is visible already.
---@param words string
---@param indent string
---@param group? string
---@return pillion.Line[]
function M.told(words, indent, group)
  return M.foreign(words, indent, group, text.shown)
end

---A JSON text laid out, with its digits and its order.
---@param source string
---@param indent string
---@return pillion.Line[]
function M.json(source, indent)
  local lines = {}
  for _, line in ipairs(json.layout(source)) do
    lines[#lines + 1] = vim.list_extend({ indent }, pieces.json(text.visible(line)))
  end
  return lines
end

-- A value that is longer than this is laid out.
local short = 60

---What differs: each place, and below it the old value before the new one.
---@param changes pillion.Change[]
---@param lead pillion.Chunk what stands before each line
---@return pillion.Line[]
function M.changes(changes, lead)
  local lines = {}
  for _, change in ipairs(changes) do
    lines[#lines + 1] = { lead, { text.visible(change.path == '' and '/' or change.path), 'PillionName' } }
    for _, side in ipairs({ { '- ', change.before, 'PillionRemoved' }, { '+ ', change.after, 'PillionAdded' } }) do
      local value = #side[2] > short and table.concat(json.layout(side[2]), '\n') or side[2]
      for _, line in ipairs(value == '' and {} or text.lines(value)) do
        lines[#lines + 1] = vim.list_extend({ lead, { side[1], side[3] } }, pieces.of(line, side[3]))
      end
    end
  end
  return lines
end

---Paths below the home folder as people write them.
---@param s string
---@return string
function M.home(s)
  local home = vim.uv.os_homedir()
  if not home or #home < 2 then
    return s
  end
  return (s:gsub(vim.pesc(home) .. '/', '~/'))
end

---What a person can do, numbered.
---@param steps string[]?
---@param indent string
---@return pillion.Line[]
function M.steps(steps, indent)
  local lines = {}
  for i, step in ipairs(steps or {}) do
    for j, line in ipairs(M.told(step, indent, 'PillionStep')) do
      table.insert(line, 2, j == 1 and { ('%d. '):format(i), 'PillionKey' } or '   ')
      lines[#lines + 1] = line
    end
  end
  return lines
end

---Lines below a heading, as a fold of a depth.
---@param heading string
---@param note string? behind the heading
---@param lines pillion.Line[]
---@param depth? integer
---@return pillion.Line[]
function M.section(heading, note, lines, depth)
  depth = depth or 1
  local all = { { { heading, 'PillionHeading' }, { note and '  ' .. note or '', 'PillionDetail' } } }
  M.append(all, lines)
  for i, line in ipairs(all) do
    line.fold = math.max(depth, line.fold or 0)
    line.folds = i == 1 or line.folds
  end
  return all
end

---Says of each line what it is about.
---@param lines pillion.Line[]
---@param id string
---@param item any
---@param hint? string
---@return pillion.Line[] lines
function M.about(lines, id, item, hint)
  for _, line in ipairs(lines) do
    line.id, line.item, line.hint = line.id or id, line.item or item, line.hint or hint
  end
  return lines
end

---A text filled up with blanks to a width of the screen.
---@param s string
---@param width integer
---@return string
function M.pad(s, width)
  return s .. (' '):rep(width - vim.fn.strdisplaywidth(s))
end

---The width of the widest, but not more than most.
---@param texts string[]
---@param most integer
---@return integer
function M.widest(texts, most)
  local width = 0
  for _, s in ipairs(texts) do
    width = math.max(width, vim.fn.strdisplaywidth(s))
  end
  return math.min(width, most)
end

---A text on one line, made visible and cut to a width with an ellipsis.
---@param s string
---@param width integer
---@return string
function M.cut(s, width)
  return text.cut(text.visible((s:gsub('%s+', ' '))), width)
end

return M
