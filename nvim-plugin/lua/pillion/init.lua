-- The public functions. What is here keeps its name and its shape; everything else of the plugin may change.
local M = {}

---Sets options in the place of vim.g.pillion. It need not be called.
---@param opts? pillion.Options
function M.setup(opts)
  require('pillion.options').set(opts)
end

---Starts Pillion for the current buffer's workspace, as `:Pillion` does; nothing where it runs.
local function start()
  require('pillion.start').now()
end

---Every connector that is known now; none before Pillion runs.
---@return pillion.Connector[]
function M.connectors()
  return require('pillion.state').connectors()
end

---Lists tools; starts no connector.
---@param params? pillion.ToolsParams
---@param cb fun(err: pillion.RequestError?, result: pillion.ToolsResult?)
---@return fun() cancel
function M.tools(params, cb)
  start()
  return require('pillion.client').request('pillion/tools', params, cb)
end

---Searches the tools, the best match first.
---@param query string
---@param cb fun(err: pillion.RequestError?, tools: pillion.Tool[]?)
---@return fun() cancel
function M.search(query, cb)
  return M.tools({ query = query }, function(err, result)
    cb(err, result and result.tools)
  end)
end

---@class (exact) pillion.CallOptions
---how long it may take; absent: as the connector's entry says
---@field timeoutMs? integer
---which parts of the result are wanted; absent: text and attachments
---@field include? ("text"|"content"|"structured")[]
---session that the call belongs to
---@field sessionId? string

---Calls a tool, as the user's own action: it is judged and asked about like every call.
---@param tool string its label, served name or id
---@param arguments? table|string an object, or its JSON text, which is sent as it is
---@param opts? pillion.CallOptions
---@param cb fun(err: pillion.RequestError?, result: pillion.CallResult?)
---@return fun() cancel
function M.call(tool, arguments, opts, cb)
  start()
  local params = vim.tbl_extend('force', opts or {}, { tool = tool })
  if type(arguments) == 'string' then
    params.argumentsText = arguments
  else
    params.arguments = (arguments and next(arguments) ~= nil) and arguments or vim.empty_dict()
  end
  return require('pillion.client').request('pillion/tool/call', params, cb)
end

---The open questions, the oldest first.
---@return pillion.Ask[]
function M.questions()
  return require('pillion.state').asks()
end

---Listens to changes of a kind, and gets what is beside it:
---"connectors": nothing; connectors() has them.
---"asks": the questions that were opened and closed, { opened: pillion.Ask[], closed: pillion.ClosedAsk[] }.
---"calls": the pillion.SessionEvent that told of one.
---"tools", "resources", "prompts": the connector whose they are, as Pillion told it.
---"client": whether Pillion runs, a pillion.ClientStatus.
---"mode": the pillion.Mode that counts now.
---"events": every pillion.SessionEvent.
---@param event pillion.StateKind
---@param fn fun(detail: any)
---@return fun() off takes the listener off
function M.on(event, fn)
  local state = require('pillion.state')
  state.watch()
  return state.on(event, fn)
end

---How Pillion stands, for a status line: `%{%v:lua.require'pillion'.statusline()%}`. Empty before it was started.
---@return string
function M.statusline()
  return require('pillion.statusline').text()
end

return M
