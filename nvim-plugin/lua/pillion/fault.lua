-- What happens to a fault of the plugin's own: one line for the person, the whole for a report. Mends nothing.
local M = {}

local seen = {} ---@type string[] with their tracebacks
local told = {} ---@type table<string, true> by their first lines: the same fault may be come to by several ways

---Tells of a fault without throwing it; the same one is told once.
---@param problem string with its traceback
function M.report(problem)
  problem = tostring(problem)
  local line = problem:match('^[^\n]*')
  if told[line] then
    return
  end
  told[line] = true
  table.insert(seen, problem)
  vim.schedule(function()
    local first = require('pillion.text').visible(line)
    require('pillion.notify').send('a fault of its own: ' .. first, vim.log.levels.ERROR, ':checkhealth pillion')
  end)
end

---All that were told, with their tracebacks.
---@return string[]
function M.all()
  return vim.list_extend({}, seen)
end

---The function, with its faults told instead of thrown.
---@generic F: function
---@param run F
---@return F
function M.guard(run)
  return function(...)
    local results = { xpcall(run, debug.traceback, ...) }
    if results[1] then
      return unpack(results, 2)
    end
    M.report(results[2])
  end
end

return M
