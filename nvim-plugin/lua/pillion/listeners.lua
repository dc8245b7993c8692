-- Who listens to what: functions under a name, told one after the other. A fault of one is told, and the others hear
-- all the same.
local M = {}

---@class (exact) pillion.Listeners
---@field package under table<string, fun(detail: any)[]>
local Listeners = {}
Listeners.__index = Listeners

---A list that nobody is on yet.
---@return pillion.Listeners
function M.new()
  return setmetatable({ under = {} }, Listeners)
end

---Listens to what is told under a name.
---@param name string
---@param listener fun(detail: any)
---@return fun() off takes the listener off
function Listeners:on(name, listener)
  local all = self.under[name] or {}
  self.under[name] = all
  table.insert(all, listener)
  return function()
    for i, other in ipairs(all) do
      if other == listener then
        return table.remove(all, i)
      end
    end
  end
end

---Tells all who listen now; whoever comes or goes meanwhile counts from the next time on.
---@param name string
---@param detail? any
function Listeners:tell(name, detail)
  for _, listener in ipairs(vim.list_extend({}, self.under[name] or {})) do
    require('pillion.fault').guard(listener)(detail)
  end
end

return M
