-- The page of a call: how far it is while it runs, then what came of it.
-- What a connector sent stands in it as text, whatever it is.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local lines = require('pillion.lines.result')
local progress = require('pillion.ui.progress')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')
local view = require('pillion.view')
local words = require('pillion.words')

local M = {}

-- More of a text than this is better read in its file: of short lines it is 100,000, for which the editor stands still.
local most_bytes = 1024 * 1024

local now = {
  pages = {}, ---@type table<integer, pillion.Page> by the number of the call
  off = {}, ---@type table<integer, fun()[]>
}

---@param call pillion.ui.Call
---@return string
local function name(call)
  return 'pillion://result/' .. call.number
end

---Whether nothing more comes of a call.
---@param call pillion.ui.Call
---@return boolean
local function has_ended(call)
  return call.problem ~= nil or (call.result ~= nil and call.result.status ~= 'task')
end

---Where a call is that has not ended: what is said of it, and what can be done.
---@param call pillion.ui.Call
---@return string kind
---@return string words
---@return string group
---@return string hint
local function stage(call)
  for _, under_way in ipairs(state.calls()) do
    if under_way.callId == call.callId and under_way.state == 'asking' then
      return 'asking', 'asks first', 'PillionWaiting', 'answer'
    end
  end
  if call.result then
    local status, group = words.status(call.result.status)
    return 'running', status, group, 'cancel it'
  end
  return 'running', 'running', 'PillionBusy', 'cancel it'
end

---@param call pillion.ui.Call
---@return pillion.Line[]
local function waiting(call)
  local kind, said, group, hint = stage(call)
  local how = kind == 'asking' and 'nothing runs before you answer' or text.visible(progress.words()[call.callId] or '')
  local found = block.about({ { { said, group }, { '  ' .. how, 'PillionDetail' } } }, 'outcome', { kind = kind }, hint)
  if not call.argumentsText then
    return found
  end
  found[#found + 1] = {}
  return block.append(found, block.section('Arguments', 'as they are sent', block.json(call.argumentsText, '')))
end

---@param call pillion.ui.Call
---@return pillion.Line[]
local function render(call)
  if call.problem then
    return block.foreign(call.problem, '', 'PillionProblem')
  elseif not has_ended(call) then
    return waiting(call)
  end
  return lines.lines(call.result, { argumentsText = call.argumentsText, at = call.at })
end

---@param call pillion.ui.Call
---@return string
local function title(call)
  local label = text.visible(call.tool.label)
  if call.problem then
    return label .. ': no answer'
  end
  return call.result and ('%s: %s'):format(label, (words.status(call.result.status))) or label
end

---Reads the whole of a text that was cut.
---@param call pillion.ui.Call
local function read_whole(call)
  local parts, bytes = {}, 0
  local function read(offset)
    ask.request(protocol.requests.result_read, { callId = call.callId, offset = offset, limit = 0 }, function(part)
      parts[#parts + 1] = part.text
      bytes = bytes + #part.text
      if part.nextOffset and bytes < most_bytes then
        return read(part.nextOffset)
      end
      call.result.text, call.result.truncated = table.concat(parts), part.nextOffset ~= nil
      M.refresh(call)
    end)
  end
  read(0)
end

---What <CR> does, by what the line is about.
local first = {
  attachment = function(_, item)
    local attachment = item.attachment
    if lines.is_picture(attachment) then
      return require('pillion.ui.picture').open(attachment)
    end
    local path = vim.uri_to_fname(attachment.uri)
    vim.fn.setreg('"', path)
    ask.tell('the path is in the unnamed register: ' .. text.visible(path))
  end,
  rest = function(call)
    read_whole(call)
  end,
  running = function(call)
    require('pillion.ui.call').cancel(call.callId)
  end,
  asking = function()
    require('pillion.ui.questions').focus()
  end,
}

---What can be done about an outcome, in one step.
---@param call pillion.ui.Call
local function mend(call)
  local status = call.result and call.result.status
  if status == 'needsConsent' then
    return require('pillion.ui.questions').review(call.tool.connector)
  elseif status == 'invalidArguments' then
    return require('pillion.ui.form').open(call.tool, call.argumentsText, call.result.errors)
  elseif status == 'denied' then
    return require('pillion.ui.why').tool(call.tool)
  end
end

---@param call pillion.ui.Call
---@return pillion.Key[]
local function keys(call)
  return {
    {
      '<CR>',
      'do what the line says behind it; on what went wrong, what mends it',
      function(item)
        local act = item and first[item.kind]
        if act then
          return act(call, item)
        end
        mend(call)
      end,
    },
    {
      'r',
      'run it again with the same arguments',
      function()
        require('pillion.ui.call').repeat_call(call)
      end,
    },
    {
      'e',
      'change the arguments and run it again',
      function()
        require('pillion.ui.form').open(call.tool, call.argumentsText)
      end,
    },
    {
      'X',
      'cancel it',
      function()
        if has_ended(call) then
          return ask.tell('it has ended')
        end
        require('pillion.ui.call').cancel(call.callId)
      end,
    },
    {
      'gy',
      'copy the text, as it was sent',
      function()
        local result = call.result
        if not result or not (result.text or result.structuredText) then
          return ask.tell('there is no text')
        end
        vim.fn.setreg(vim.v.register, result.text ~= '' and result.text or result.structuredText)
        ask.tell('copied')
      end,
    },
    {
      'W',
      'why it may not be called, or asks',
      function()
        require('pillion.ui.why').tool(call.tool)
      end,
    },
    {
      'K',
      'everything about the tool',
      function()
        require('pillion.ui.tool').open(call.tool)
      end,
    },
  }
end

---@param call pillion.ui.Call
local function unfollow(call)
  for _, off in ipairs(now.off[call.number] or {}) do
    off()
  end
  now.off[call.number] = nil
end

---@param call pillion.ui.Call
---@return pillion.Page
local function page_of(call)
  local page
  page = view.open({
    name = name(call),
    kind = 'result',
    title = function()
      return title(call)
    end,
    keys = keys(call),
    render = function()
      return render(call)
    end,
    closed = function()
      unfollow(call)
      now.pages[call.number] = nil
    end,
  })
  now.pages[call.number] = page
  return page
end

---Makes the page anew, where it is.
---@param call pillion.ui.Call
function M.refresh(call)
  local page = now.pages[call.number]
  if not page then
    return
  end
  page:render()
  if has_ended(call) then
    unfollow(call)
  end
  if call.result then
    require('pillion.ui.picture').place(page, call.result.attachments)
  end
end

---Shows the page of a call, and follows it until it has ended.
---@param call pillion.ui.Call
function M.show(call)
  local page = page_of(call)
  page:show()
  if not has_ended(call) and not now.off[call.number] then
    local function refresh()
      M.refresh(call)
    end
    now.off[call.number] = { state.on('calls', refresh), progress.on(refresh) }
  end
end

---Lets the page go.
---@param call pillion.ui.Call
function M.forget(call)
  local page = now.pages[call.number]
  if page and #vim.fn.win_findbuf(page.buf) == 0 then
    vim.api.nvim_buf_delete(page.buf, { force = true })
  end
end

return M
