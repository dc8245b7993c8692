-- The question whether one call may run: its exact arguments, why it asks, and every choice that is offered.
-- Shows nothing itself: ui/questions.lua does.
local lines = require('pillion.lines.question')
local json = require('pillion.json')
local text = require('pillion.text')

local M = {}

---@param body pillion.ApprovalBody
---@return boolean
local function is_browser_start(body)
  return body.method == require('pillion.protocol').requests.browser_start or body.method == 'pillion/browser/attach'
end

---That question in a sentence.
---@param body pillion.ApprovalBody
---@return string
local function browser_question(body)
  return body.method == 'pillion/browser/attach'
      and 'May this session work in the browser that you started, with your logins?'
    or 'May this session have a browser?'
end

---The question in one sentence.
---@param body pillion.ApprovalBody
---@return string
function M.short(body)
  if is_browser_start(body) then
    return browser_question(body)
  end
  return (body.method and 'May %s be asked for?' or 'May %s run?'):format(text.visible(body.tool.label))
end

local where = {
  session = 'until this session ends',
  project = 'in this workspace folder',
  user = 'everywhere',
}

---Asks where a standing choice counts, if there is a choice, and goes on with it.
---@param scopes pillion.PermissionScope[]
---@param go fun(scope: pillion.PermissionScope?)
local function with_scope(scopes, go)
  if #scopes <= 1 then
    return go(scopes[1])
  end
  vim.ui.select(scopes, {
    prompt = 'Where does it count?',
    kind = 'pillion',
    format_item = function(scope)
      return where[scope] or scope
    end,
  }, function(scope)
    if scope then
      go(scope)
    end
  end)
end

---@param ask pillion.Ask
---@return pillion.QuestionChoice[]
local function choices(ask)
  local body = ask.body --[[@as pillion.ApprovalBody]]
  local function plain(decision)
    return function(context)
      context.send({ decision = decision })
    end
  end
  local function standing(decision)
    return function(context)
      with_scope(body.scopes, function(scope)
        context.send({ decision = decision, scope = scope }, 'it stands; :Pillion undo takes it back')
      end)
    end
  end
  local all = {
    decline = { 'd', 'decline', 'Decline', plain('decline') },
    once = { 'o', 'once', 'Allow once', plain('once') },
    session = { 's', 'session', 'Allow this tool for this session', plain('session') },
    readOnly = { 'r', 'read-only', 'Allow the read-only tools of this connector', standing('readOnly') },
    tool = { 't', 'tool', 'Always allow this tool', standing('tool') },
    connector = { 'c', 'connector', 'Always allow the tools that this connector has now', standing('connector') },
  }
  if is_browser_start(body) then
    all.session[3] = body.method == 'pillion/browser/attach' and 'Allow it in this session'
      or 'Allow a browser in this session'
    all.connector[3] = 'Always allow one, in every session'
    all.connector[4] = function(context)
      with_scope(body.scopes, function(scope)
        context.send(
          { decision = 'connector', scope = scope },
          'every session has a browser; :Pillion browser ask takes it back'
        )
      end)
    end
  end
  local found = {}
  for _, name in ipairs(body.choices) do
    found[#found + 1] = all[name]
    if name == 'decline' then
      found[#found + 1] = {
        'D',
        nil,
        'Decline, and say why',
        function(context)
          vim.ui.input({ prompt = 'What should it do instead? ' }, function(words)
            if words and words ~= '' then
              context.send({ decision = 'decline', text = words })
            end
          end)
        end,
      }
    end
  end
  if vim.list_contains(body.choices, 'once') then
    found[#found + 1] = {
      'e',
      'edit',
      'Edit the arguments, and allow them once',
      function(context)
        require('pillion.ui.arguments').edit(ask, context)
      end,
    }
  end
  return found
end

---The page of the question.
---@param ask pillion.Ask
---@return pillion.Question
function M.question(ask)
  local body = ask.body --[[@as pillion.ApprovalBody]]
  local p = lines.new()
  if is_browser_start(body) then
    p:say(browser_question(body), 'PillionTitle')
    p:asker(ask)
    p:push({ { 'why it asks  ', 'PillionDetail' }, { text.visible(body.reason) } })
    p:gap()
    p:say(text.visible(body.tool.description or body.tool.summary))
    p:gap()
    p:name('what drives it')
    p:json(body.argumentsText)
    return { lines = p.lines, choices = choices(ask) }
  end
  if body.method then
    -- No call of a tool, which only names it then: a resource, a prompt.
    p:say('May this be asked for with exactly these arguments?', 'PillionTitle')
    p:push({ { 'request      ', 'PillionDetail' }, { text.visible(body.tool.label), 'PillionHeading' } })
    p:push({ { 'method       ', 'PillionDetail' }, { text.visible(body.method) } })
  else
    p:say('May this tool be called with exactly these arguments?', 'PillionTitle')
    p:push({ { 'tool         ', 'PillionDetail' }, { text.visible(body.tool.label), 'PillionHeading' } })
  end
  p:asker(ask)
  p:push({ { 'why it asks  ', 'PillionDetail' }, { text.visible(body.reason) } })
  p:gap()
  p:name('arguments, exactly as they will be sent')
  p:json(body.argumentsText)
  local laid_out = json.layout(body.argumentsText)
  if #laid_out > 1 and #body.argumentsText > 60 and not body.argumentsText:find('\n') then
    p:name('the same, laid out')
    p:json(table.concat(laid_out, '\n'))
  end
  p:changes('the tool is not what you allowed before; what changed', body.tool.changed)
  local description = body.tool.description or body.tool.summary
  if description ~= '' then
    p:gap()
    p:name('what its connector says that it does')
    p:foreign(description)
  end
  return { lines = p.lines, choices = choices(ask) }
end

return M
