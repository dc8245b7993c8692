-- What the user wants of the plugin: vim.g.pillion, or what setup() was given. Settings of Pillion itself that decide
-- what may run are read from the user's own settings.json alone and cannot be set here.
local M = {}

---@class (exact) pillion.Options
---the program and its arguments
---@field cmd? string[]
---whether Pillion starts where there is a .mcp.json; `:Pillion` starts it in any case
---@field autostart? boolean
---settings of Pillion for this editor; about trust they can only take away
---@field settings? pillion.Settings
---@field questions? pillion.QuestionOptions
---@field restart? pillion.RestartOptions
---has a model answer for a connector; without it connectors are told that this editor has none
---@field sampling? fun(params: table, done: fun(result: table?, problem: string?))

---@class (exact) pillion.QuestionOptions
---whether a small window without focus says that something waits
---@field float? boolean

---@class (exact) pillion.RestartOptions
---how often Pillion is started again by itself after it ended
---@field attempts? integer
---how long before the first time; each further time waits twice as long
---@field delay_ms? integer

---@type pillion.Options
local defaults = {
  cmd = { 'pillion', '--stdio' },
  autostart = true,
  settings = {},
  questions = { float = true },
  restart = { attempts = 5, delay_ms = 500 },
}

local given ---@type table? what setup() was given
local known ---@type { source: any, options: pillion.Options, problems: string[] }?

local function is_list_of_strings(value)
  if type(value) ~= 'table' or not vim.islist(value) or #value == 0 then
    return false
  end
  for _, one in ipairs(value) do
    if type(one) ~= 'string' or one == '' then
      return false
    end
  end
  return true
end

local function is_count(value)
  return type(value) == 'number' and value >= 0 and value == math.floor(value)
end

---What a value must be, in words, and whether it is.
local shapes = {
  cmd = { 'a list of strings, the program first', is_list_of_strings },
  autostart = 'boolean',
  settings = 'table',
  questions = { float = 'boolean' },
  restart = {
    attempts = { 'a whole number, 0 or more', is_count },
    delay_ms = { 'a whole number, 0 or more', is_count },
  },
  sampling = 'function',
}

local function is_callable(value)
  return type(value) == 'function' or vim.is_callable(value)
end

---Takes over what is right, and tells of the rest.
---@param path string
local function merge(path, shape, into, from, problems)
  local keys = vim.tbl_keys(from)
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, key in ipairs(keys) do
    local value, wanted = from[key], shape[key]
    local name = path .. tostring(key)
    if wanted == nil then
      problems[#problems + 1] = ('%s is no option of Pillion'):format(name)
    elseif type(wanted) == 'string' then
      if type(value) == wanted or (wanted == 'function' and is_callable(value)) then
        into[key] = value
      else
        problems[#problems + 1] = ('%s must be a %s, and is a %s'):format(name, wanted, type(value))
      end
    elseif wanted[2] then
      if wanted[2](value) then
        into[key] = value
      else
        problems[#problems + 1] = ('%s must be %s'):format(name, wanted[1])
      end
    elseif type(value) == 'table' then
      merge(name .. '.', wanted, into[key], value, problems)
    else
      problems[#problems + 1] = ('%s must be a table, and is a %s'):format(name, type(value))
    end
  end
end

---What counts of a table that the user gave, and what is wrong with the rest.
---@param from any
---@return pillion.Options options
---@return string[] problems
function M.read(from)
  local options, problems = vim.deepcopy(defaults), {}
  if type(from) == 'function' then
    local ok, result = pcall(from)
    if not ok then
      return options, { 'vim.g.pillion: ' .. tostring(result) }
    end
    from = result
  end
  if from == nil then
    return options, problems
  end
  if type(from) ~= 'table' then
    return options, { 'vim.g.pillion must be a table' }
  end
  merge('', shapes, options, from, problems)
  return options, problems
end

---Takes what the user gives in the place of vim.g.pillion. What is wrong in it is told, and does not count.
---@param opts? pillion.Options
function M.set(opts)
  given = opts or {}
  known = nil
  local _, problems = M.read(given)
  if #problems > 0 then
    local more = #problems > 1 and (' and %d more'):format(#problems - 1) or ''
    require('pillion.notify').send(problems[1] .. more, vim.log.levels.WARN, ':checkhealth pillion')
  end
end

---The options that count now.
---@return pillion.Options
function M.current()
  local source = given or vim.g.pillion
  if not known or not vim.deep_equal(known.source, source) then
    local options, problems = M.read(source)
    known = { source = source, options = options, problems = problems }
  end
  return known.options
end

---What is wrong with what the user gave.
---@return string[]
function M.problems()
  M.current()
  return known and known.problems or {}
end

return M
