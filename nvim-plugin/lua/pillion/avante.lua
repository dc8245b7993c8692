-- Tools for avante.nvim: `custom_tools = function() return require('pillion.avante').tools() end`.
local agent = require('pillion.agent')

local M = {}

---A parameter as avante has it, which knows names and types and no schema.
---@param action pillion.agent.Action
---@return table[]
local function fields(action)
  local list = {}
  for name, schema in vim.spairs(action.parameters.properties) do
    list[#list + 1] = {
      name = name,
      description = schema.description,
      type = schema.type,
      optional = not vim.list_contains(action.parameters.required, name),
    }
  end
  return list
end

---The three tools, as avante has custom tools.
---@return table[]
function M.tools()
  local tools = {}
  for _, action in ipairs(agent.actions) do
    tools[#tools + 1] = {
      name = action.name,
      description = action.description,
      param = { type = 'table', fields = fields(action) },
      returns = {
        { name = 'result', description = 'what the tool answered', type = 'string' },
        { name = 'error', description = 'why it did not', type = 'string', optional = true },
      },
      -- Nothing is returned: avante takes it for an answer that comes later.
      func = function(input, options)
        agent.run(action, input, {}, function(err, told)
          options.on_complete(told, err)
        end)
      end,
    }
  end
  return tools
end

return M
