-- What happens to a fault of the plugin's own: one line for the person, the whole for a report. Mends nothing.
local M = {}

local seen = {} ---@type string[]

---Tells of a fault without throwing it; the same one is told once.
---@param problem string with its traceback
function M.report(problem)
  problem = tostring(problem)
  local is_new = not vim.list_contains(seen, problem)
  if not is_new then
    return
  end
  table.insert(seen, problem)
  vim.schedule(function()
    local text = require('pillion.text')
    local first = text.visible(problem:match('^[^\n]*'))
    local words = text.cut('Pillion: a fault of its own: ' .. first, math.max(20, vim.o.columns - 40))
    vim.notify(words .. ' (:checkhealth pillion)', vim.log.levels.ERROR)
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
