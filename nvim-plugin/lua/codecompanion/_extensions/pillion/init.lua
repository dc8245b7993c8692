-- The extension of codecompanion.nvim: `extensions = { pillion = { enabled = true } }`. It gives chats the group
-- `pillion` with three tools, whatever the number of the connectors' own.
local agent = require('pillion.agent')

local M = {}

local group = 'pillion'

---What codecompanion hands a function of a tool, as far as it is used. It documents all but the call as it was written.
---@class pillion.codecompanion.Tools
---@field chat? { id?: integer, cycle?: integer }
---@field tool? { function_call?: { ["function"]?: { arguments?: string|table } } }

---@param self pillion.codecompanion.Tools
---@return pillion.agent.Context
local function context_of(self)
  local chat = self.chat or {}
  local called = vim.tbl_get(self, 'tool', 'function_call', 'function', 'arguments')
  return {
    session = chat.id and 'codecompanion:' .. chat.id or nil,
    turn = chat.cycle and tostring(chat.cycle) or nil,
    written = type(called) == 'string' and called or nil,
  }
end

---@param told any what was told last stands last
---@return string
local function last(told)
  return type(told) == 'table' and tostring(told[#told] or '') or tostring(told or '')
end

---The tool for one action, as codecompanion has tools.
---@param action pillion.agent.Action
---@return table
local function tool_of(action)
  return {
    name = action.name,
    cmds = {
      ---@param self pillion.codecompanion.Tools
      function(self, arguments, options, older_output)
        local output = type(options) == 'table' and options.output_cb or older_output
        local cancel = agent.run(action, arguments, context_of(self), function(err, told)
          output({ status = err and 'error' or 'success', data = err or told })
        end)
        if cancel and type(options) == 'table' and options.register_job then
          options.register_job({ kill = cancel })
        end
      end,
    },
    schema = {
      type = 'function',
      ['function'] = { name = action.name, description = action.description, parameters = action.parameters },
    },
    output = {
      success = function(self, told, context)
        context.tools.chat:add_tool_output(self, last(told), ('`%s` answered.'):format(action.name))
      end,
      error = function(self, told, context)
        local first = vim.split(last(told), '\n', { plain = true })[1]
        local shown = require('pillion.text').shown(first)
        context.tools.chat:add_tool_output(self, last(told), ('`%s`: %s'):format(action.name, shown))
      end,
    },
  }
end

---Adds the tools to codecompanion's own.
---@param options? table none are known
function M.setup(options)
  assert(options == nil or next(options) == nil, 'the extension pillion of codecompanion takes no options')
  local tools = require('codecompanion.config').interactions.chat.tools
  local names = {}
  for _, action in ipairs(agent.actions) do
    local tool = tool_of(action)
    names[#names + 1] = action.name
    tools[action.name] = {
      description = action.description,
      visible = false, -- they are had by their group
      callback = function()
        return tool
      end,
      opts = { require_approval_before = false }, -- Pillion asks, with the whole arguments
    }
  end
  tools.groups[group] = {
    description = 'The tools of the MCP connectors of this workspace',
    prompt = 'You have ${tools}: search before you say that there is no tool, and describe one before you call it.',
    tools = names,
    opts = { collapse_tools = true },
  }
end

return M
