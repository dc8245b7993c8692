-- What a chat plugin's model may do with tools, as text: search them, read what one takes, call one.
-- It knows no chat plugin, and asks nobody: Pillion asks, whoever calls.
local client = require('pillion.client')
local json = require('pillion.json')
local protocol = require('pillion.protocol')

local M = {}

-- How many tools a search names: more is a question to ask more exactly.
local most = 20

---What a model is told, or what went wrong.
---@alias pillion.agent.Answer fun(err: string?, told: string?)

---What a model may do.
---@class (exact) pillion.agent.Action
---@field name string
---@field description string
---@field parameters table a JSON Schema of an object
---@field run fun(arguments: table, context: pillion.agent.Context, answer: pillion.agent.Answer): fun()? cancel

---Whose call it is.
---@class (exact) pillion.agent.Context
---@field session? string of the chat; calls of two never share what was allowed to one
---@field turn? string of its user's message; the same call is not made twice in one
---@field written? string the action's own arguments as the model wrote them, where that is known

---@param err pillion.RequestError
---@return string
local function refused(err)
  return err.message
end

---@param result pillion.ToolsResult
---@param query string
---@return string
local function found(result, query)
  local told = {}
  for _, tool in ipairs(result.tools) do
    told[#told + 1] = ('- %s: %s'):format(tool.servedName, tool.summary)
  end
  if #told == 0 then
    told[1] = ('No tool is found by %q.'):format(query)
    for _, reason in ipairs(result.why or {}) do
      told[#told + 1] = reason.text
    end
  elseif result.total > #told then
    told[#told + 1] = ('%d more are found: search with more words.'):format(result.total - #told)
  end
  return table.concat(told, '\n')
end

---Searches the tools; starts nothing.
---@param query string
---@param answer pillion.agent.Answer
---@return fun() cancel
function M.search(query, answer)
  return client.request(protocol.requests.tools, { query = query, limit = most }, function(err, result)
    answer(err and refused(err), result and found(result, query))
  end)
end

---Tells what a tool is for and what it takes.
---@param tool string
---@param answer pillion.agent.Answer
---@return fun() cancel
function M.describe(tool, answer)
  local cancel
  cancel = client.request(protocol.requests.agent_arguments, { tool = tool }, function(err, takes)
    if err then
      return answer(refused(err))
    end
    cancel = client.request(protocol.requests.tool_detail, { tool = tool }, function(detail_err, detail)
      if detail_err then
        return answer(refused(detail_err))
      end
      local says = detail.tool.description
      local told = { takes.tool .. (says and says ~= '' and ': ' .. says or '') }
      told[2] = takes.nothing and 'It takes no arguments.'
        or 'Its arguments are an object of this JSON Schema:\n' .. takes.schemaText
      answer(nil, table.concat(told, '\n'))
    end)
  end)
  return function()
    cancel()
  end
end

---A call's result for a model: whether it worked, and all that it says.
---@param result pillion.CallResult
---@return boolean worked
---@return string told
local function outcome(result)
  local told = {}
  for _, part in ipairs({ result.message or '', result.text or '' }) do
    if part ~= '' then
      told[#told + 1] = part
    end
  end
  if result.error then
    told[#told + 1] = ('%d: %s'):format(result.error.code, result.error.message)
  end
  vim.list_extend(told, result.steps or {})
  if result.mayHaveRun and result.status ~= 'ok' and result.status ~= 'toolError' then
    told[#told + 1] = 'The call may have run.'
  end
  local worked = result.status == 'ok' or result.status == 'repeat' or result.status == 'task'
  return worked, #told > 0 and table.concat(told, '\n') or result.status
end

---A tool's arguments as text: what the model wrote where that is known, since Lua's numbers lose digits.
---@param arguments any
---@param written? string the text that they are the member `arguments` of
---@return string
local function as_text(arguments, written)
  local node = written and json.read(written)
  if node and node.members and node.members.arguments then
    return node.members.arguments.text
  end
  if type(arguments) == 'string' then
    return arguments
  end
  if arguments == nil or (type(arguments) == 'table' and next(arguments) == nil) then
    return '{}'
  end
  return vim.json.encode(arguments)
end

---Calls a tool. What the model wrote for arguments is read as models write; what cannot be read is told it.
---@param tool string
---@param arguments any
---@param context pillion.agent.Context
---@param answer pillion.agent.Answer
---@return fun() cancel
function M.call(tool, arguments, context, answer)
  local cancel
  local params = { tool = tool, text = as_text(arguments, context.written) }
  cancel = client.request(protocol.requests.agent_clean, params, function(err, clean)
    if err then
      return answer(refused(err))
    end
    if clean.fault then
      return answer(clean.fault)
    end
    cancel = client.request(protocol.requests.tool_call, {
      tool = tool,
      argumentsText = clean.argumentsText,
      sessionId = context.session,
      turnId = context.turn,
    }, function(call_err, result)
      if call_err then
        return answer(refused(call_err))
      end
      local worked, told = outcome(result)
      if worked then
        answer(nil, told)
      else
        answer(told)
      end
    end)
  end)
  return function()
    cancel()
  end
end

---@param properties table<string, table>
---@param required string[]
---@return table
local function object(properties, required)
  return { type = 'object', properties = properties, required = required, additionalProperties = false }
end

---What a model is given by default: three actions, whatever the number of tools.
---@type pillion.agent.Action[]
M.actions = {
  {
    name = 'pillion_search',
    description = 'Searches the tools of all MCP connectors of this workspace by words, and lists what is found.',
    parameters = object({ query = { type = 'string', description = 'words for what the tool does' } }, { 'query' }),
    run = function(arguments, _, answer)
      return M.search(arguments.query, answer)
    end,
  },
  {
    name = 'pillion_describe',
    description = 'Tells what a tool that was found is for, and the JSON Schema of its arguments.',
    parameters = object(
      { tool = { type = 'string', description = 'a name as pillion_search returned it' } },
      { 'tool' }
    ),
    run = function(arguments, _, answer)
      return M.describe(arguments.tool, answer)
    end,
  },
  {
    name = 'pillion_call',
    description = 'Calls a tool with the arguments that pillion_describe told of. The user may be asked first.',
    parameters = object({
      tool = { type = 'string', description = 'a name as pillion_search returned it' },
      arguments = { type = 'object', description = 'the arguments of the tool; left out, none' },
    }, { 'tool' }),
    run = function(arguments, context, answer)
      return M.call(arguments.tool, arguments.arguments, context, answer)
    end,
  },
}

---Wraps what one action does, so that what a model leaves out is told it.
---@param action pillion.agent.Action
---@param arguments any
---@param context pillion.agent.Context
---@param answer pillion.agent.Answer
---@return fun()? cancel
function M.run(action, arguments, context, answer)
  if type(arguments) ~= 'table' then
    answer(('the arguments of %s are an object'):format(action.name))
    return nil
  end
  for _, name in ipairs(action.parameters.required or {}) do
    if type(arguments[name]) ~= 'string' then
      answer(('%s of %s is missing, or no string'):format(name, action.name))
      return nil
    end
  end
  require('pillion.start').now()
  return action.run(arguments, context, answer)
end

return M
