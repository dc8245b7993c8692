-- Questions that are a yes or no to something that stands: a program that joins, a store of decisions, a change that
-- gives more. Shows nothing itself: ui/questions.lua does.
local block = require('pillion.lines.block')
local lines = require('pillion.lines.question')
local text = require('pillion.text')

local M = { join = {}, store = {}, widen = {} }

local function decide(decision, said)
  return function(context)
    context.send({ decision = decision }, said)
  end
end

---@param body pillion.JoinBody
function M.join.short(body)
  return ('May %s join this window?'):format(text.quoted(body.claimedName))
end

---@param ask pillion.Ask
---@return pillion.Question
function M.join.question(ask)
  local body = ask.body --[[@as pillion.JoinBody]]
  local p = lines.new()
  p:say('May this program join this window and call the tools of its connectors?', 'PillionTitle')
  p:say('Each of its calls is judged and asked about as usual.')
  p:value('its program', body.program, 'PillionValue')
  p:push({ { 'its process  ', 'PillionDetail' }, { tostring(body.pid) } })
  p:value('started by', body.parent)
  p:value('what it calls itself, a claim', body.claimedName)
  return {
    lines = p.lines,
    choices = {
      { 'd', 'decline', 'Decline: not now', decide('decline') },
      { 'x', 'never', 'Never, and do not ask again', decide('never') },
      { 's', 'this window', 'Let it join this window', decide('session') },
      { 'a', 'always', 'Let it join, now and later', decide('allow') },
    },
  }
end

---@param body pillion.StoreBody
function M.store.short(body)
  return body.unsealed and 'Are these decisions your own?' or 'A file of decisions could not be read'
end

---@param ask pillion.Ask
---@return pillion.Question
function M.store.question(ask)
  local body = ask.body --[[@as pillion.StoreBody]]
  local p = lines.new()
  if body.unsealed then
    p:say('Are these decisions your own? Nothing shows that Pillion wrote them as they stand.', 'PillionTitle')
  else
    p:say('May Pillion go on with an empty file of decisions?', 'PillionTitle')
  end
  p:say('Until you confirm, what is in question does not count, and asks.')
  p:value('the file', text.path(body.file), 'PillionPath')
  p:value('what is wrong', block.home(body.reason))
  p:value('what was there is now in', body.setAside and text.path(body.setAside), 'PillionPath')
  p:values('the decisions', body.unsealed)
  return {
    lines = p.lines,
    choices = {
      { 'l', 'later', 'Later: leave it as it is', decide('later') },
      {
        'y',
        'confirm',
        body.unsealed and 'Confirm: they are my own' or 'Confirm: go on with an empty one',
        decide('confirm'),
      },
    },
  }
end

local headings = {
  rule = 'Is this to stand for calls from now on?',
  ruleRemove = 'No longer hold to this rule of yours, so that calls may run that it stops?',
  connector = 'May this connector be on for you?',
  tool = 'May this tool be listed again, to your editor and to agents?',
  mode = 'May calls run again?',
}

---@param body pillion.WidenBody
local function heading(body)
  return headings[body.change] or 'May this be changed? It gives more than stands now.'
end

---@param body pillion.WidenBody
function M.widen.short(body)
  return heading(body)
end

---Where a permission counts, in words.
local function counts(body)
  if body.scope == 'project' then
    return body.root and 'in ' .. text.path(body.root) or 'in the folders of this window'
  end
  return body.scope == 'session' and 'until the session ends'
    or body.scope == 'user' and 'in every folder'
    or body.scope
end

---@param p pillion.QuestionLines
---@param tool pillion.Tool
local function add_tool(p, tool)
  p:gap()
  p:value('tool', tool.label, 'PillionHeading')
  if tool.description and tool.description ~= '' then
    p:name('what its connector says that it does')
    p:foreign(tool.description)
  end
  if tool.inputSchemaText then
    p:name('arguments that it takes')
    p:json(tool.inputSchemaText)
  end
end

---@param ask pillion.Ask
---@return pillion.Question
function M.widen.question(ask)
  local body = ask.body --[[@as pillion.WidenBody]]
  local p = lines.new()
  p:say(heading(body), 'PillionTitle')
  if body.change == 'connector' then
    p:say('A connector that is on runs as you: it can read your files and keys. Switch on what you know.')
  end
  p:say('Nothing has changed yet. A yes counts for exactly this.')
  p:asker(ask)
  p:gap()
  p:value('connector', body.name, 'PillionHeading')
  if body.tool and #(body.tools or {}) == 0 then
    p:value('tool', (body.name or '') .. '.' .. body.tool, 'PillionHeading')
  end
  p:values('what holds now', #body.now > 0 and body.now or { 'no rule: calls ask' })
  p:value('what will hold', body['then'], 'PillionValue')
  if body.scope then
    p:push({ { 'it counts ', 'PillionDetail' }, { text.visible(counts(body)) } })
  end
  for _, condition in ipairs(body.where or {}) do
    p:value('only where this argument', condition.path)
    p:value('is', condition.equals and vim.json.encode(condition.equals))
    p:value('matches', condition.glob)
    p:value('is a path in the folder', condition.under)
  end
  p:values('variables of yours that it reads', body.reads)
  p:value('in the file', body.uri and text.path(body.uri), 'PillionPath')
  if body.definitionText and body.definitionText ~= '' then
    p:name('as it stands there')
    p:json(text.dedented(body.definitionText))
  end
  for _, tool in ipairs(body.tools or {}) do
    add_tool(p, tool)
  end
  p:gap()
  p:value('hash of what is shown', body.hash)
  return {
    lines = p.lines,
    choices = {
      { 'k', 'keep', 'Keep it as it is', decide('keep') },
      { 'm', 'make it so', 'Make the change', decide('make') },
    },
  }
end

return M
