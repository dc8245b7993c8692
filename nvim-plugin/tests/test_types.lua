-- Every function that a module offers says what it is for, and what it takes and gives (LuaCATS).
local h = require('helpers')
local MiniTest = require('mini.test')
local T = MiniTest.new_set()

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local root = vim.fs.dirname(here) .. '/lua/pillion'

---What is wrong with the comments of a file.
---@param path string
---@return string[]
local function faults(path)
  local found, comment, at, gives = {}, {}, nil, false
  local name, params, said
  local function missing(what)
    found[#found + 1] = ('%s:%d: %s %s'):format(path:sub(#root + 2), at, name, what)
  end
  local function ended()
    local text = table.concat(said, '\n')
    if not text:find('^%-%-%-[^@]') then
      missing('says nothing of what it is for')
    end
    for param in params:gmatch('[%w_]+') do
      if not text:find('@param ' .. param .. '%??%s') then
        missing('has no @param ' .. param)
      end
    end
    if gives and not text:find('@return', 1, true) then
      missing('has no @return')
    end
  end
  local number = 0
  for line in (h.read(path) .. '\n'):gmatch('(.-)\n') do
    number = number + 1
    local new, takes = line:match('^function ([%w_]+[.:][%w_]+)%((.-)%)')
    if new then
      name, params, said, at, gives, comment = new, takes, comment, number, false, {}
    elseif name and line == 'end' then
      ended()
      name = nil
    elseif name then
      -- A value that is given by the function itself, and not by one inside it.
      gives = gives or line:find('^  return [^f]') ~= nil and not line:find('^  return [%w_.:]+%(.*%)$')
    elseif line:find('^%-%-%-') then
      comment[#comment + 1] = line
    else
      comment = {}
    end
  end
  return found
end

T['every public function is typed'] = function()
  local all = {}
  for _, path in ipairs(vim.fn.globpath(root, '**/*.lua', true, true)) do
    if not vim.endswith(path, 'protocol.lua') then
      vim.list_extend(all, faults(path))
    end
  end
  h.equal(table.concat(all, '\n'), '')
end

return T
