-- Calls of the editor's user: making one, following it to its result, cancelling it, making it again.
-- Whether it may run is judged elsewhere; what it came to is shown by pillion.ui.result.

local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local progress = require('pillion.ui.progress')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')

local M = {}

-- So many results can be gone back to.
local kept = 20

---@class (exact) pillion.ui.Call
---@field number integer
---@field callId string
---@field tool pillion.Tool
---@field argumentsText? string those of calls that were made here; those of others are not told
---@field at? string when it was made, in words
---@field result? pillion.CallResult
---@field problem? string why there is no result

local now = {
  last = 0,
  calls = {}, ---@type pillion.ui.Call[] the newest last
}

---@param call pillion.ui.Call
local function show(call)
  require('pillion.ui.result').show(call)
end

local function forget_old()
  while #now.calls > kept do
    require('pillion.ui.result').forget(table.remove(now.calls, 1))
  end
end

---@param call pillion.ui.Call
local function ended(call)
  progress.ended(call.callId)
  require('pillion.ui.result').refresh(call)
end

---A call that goes on as a task has its result later; its end is waited for.
---@param call pillion.ui.Call
local function wait_for_task(call)
  local params = { callId = call.callId, workDoneToken = progress.token(call.callId, call.tool.name) }
  client.request(protocol.requests.task_result, params, function(err, result)
    call.result = result or call.result
    call.problem = err and err.message
    ended(call)
  end)
end

---@param call table
---@return pillion.ui.Call
local function remember(call)
  now.last = now.last + 1
  call.number = now.last
  table.insert(now.calls, call)
  forget_old()
  return call
end

local unknown = {
  asking = 'A question about this call is open.',
  running = 'It is under way.',
  mayHaveRun = 'It was sent, and the answer was lost: it may have run.',
  unknown = 'Nothing is known of this call any more.',
}

---Calls a tool with exactly these arguments, and opens the result, which follows the call.
---@param tool pillion.Tool
---@param argumentsText string
---@return pillion.ui.Call
function M.make(tool, argumentsText)
  state.watch()
  local callId = ('nvim-%d-%d'):format(vim.fn.getpid(), vim.uv.hrtime())
  local call = remember({ callId = callId, tool = tool, argumentsText = argumentsText })
  local params = {
    tool = tool.id,
    argumentsText = argumentsText,
    callId = call.callId,
    include = { 'text', 'structured' },
    workDoneToken = progress.token(call.callId, call.tool.name),
  }
  show(call)
  require('pillion.ui.focus').expect()
  client.request(protocol.requests.tool_call, params, function(err, result)
    call.result, call.problem = result, err and err.message
    ended(call)
    if result and result.status == 'task' then
      wait_for_task(call)
    end
  end)
  return call
end

---Opens the result of a call that somebody made, as far as it is known.
---@param callId string
---@param tool pillion.Tool
---@param at string when, in words
function M.look(callId, tool, at)
  for _, call in ipairs(now.calls) do
    if call.callId == callId then
      return show(call)
    end
  end
  local function look(detail)
    local call = remember({ callId = callId, tool = tool, at = at, result = detail.result })
    if not detail.result then
      call.problem = unknown[detail.state] or unknown.unknown
    end
    show(call)
  end
  ask.request(protocol.requests.call_detail, { callId = callId }, ask.unless_gone(look))
end

---Makes a call of the activity again.
---@param callId string
---@param tool pillion.Tool
function M.make_again(callId, tool)
  for _, call in ipairs(now.calls) do
    if call.callId == callId then
      return M.repeat_call(call)
    end
  end
  -- The arguments of others are not told: they are filled in anew.
  M.repeat_call({ number = 0, callId = callId, tool = tool })
end

---Makes a call again, with the same arguments where they are known.
---@param call pillion.ui.Call
function M.repeat_call(call)
  if call.argumentsText then
    return M.make(call.tool, call.argumentsText)
  end
  require('pillion.ui.form').open(call.tool)
end

---Makes the last call again, with the same arguments.
function M.again()
  for i = #now.calls, 1, -1 do
    if now.calls[i].argumentsText then
      return M.repeat_call(now.calls[i])
    end
  end
  ask.tell('nothing was called yet')
end

---Cancels a call. What it did by then its result tells.
---@param callId? string absent: the newest that is under way
function M.cancel(callId)
  if not callId then
    local calls = state.calls()
    local newest = calls[#calls]
    if not newest then
      return ask.tell('nothing is under way')
    end
    callId = newest.callId
  end
  ask.request(protocol.requests.call_cancel, { callId = callId })
end

---Lets the user choose which call to cancel, where several are under way.
function M.cancel_one()
  local calls = state.calls()
  if #calls == 0 then
    return ask.tell('nothing is under way')
  end
  ask.choose(
    calls,
    'Cancel which call?',
    function(call)
      return ('%s  %s'):format(text.visible(call.tool), call.state)
    end,
    'call',
    function(call)
      M.cancel(call.callId)
    end
  )
end

return M
