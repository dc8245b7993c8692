-- The question whether connectors of a repository may run: the whole definition of each, and what changed.
-- Shows nothing itself: ui/questions.lua does.
local lines = require('pillion.lines.question')
local text = require('pillion.text')

local M = {}

local words = { allow = 'allow', allowFollow = 'allow, files may change', later = 'not now', never = 'never' }

---The question in one sentence.
---@param body pillion.ConsentBody
---@return string
function M.short(body)
  local first = text.quoted(body.items[1].name)
  if #body.items == 1 then
    return ('May connector %s run here?'):format(first)
  end
  return ('May %d connectors run here: %s …?'):format(#body.items, first)
end

---@param body pillion.ConsentBody
local function heading(body)
  local remote = #vim.tbl_filter(function(item)
    return item.shown.url ~= nil
  end, body.items)
  local what = #body.items == 1 and 'this connector' or 'these connectors'
  if remote == #body.items then
    return ('May %s be connected to, at an address that its file names?'):format(what)
  elseif remote == 0 then
    return ('May %s run programs on this machine?'):format(what)
  end
  return ('May %s run programs on this machine, or be connected to?'):format(what)
end

---@param file pillion.NamedFile
local function file_line(file)
  local notes = {}
  if file.changed then
    notes[#notes + 1] = 'changed since you allowed it'
  end
  if file.steers then
    notes[#notes + 1] = 'not named, but read by its runner'
  end
  local note = #notes > 0 and ('  (%s)'):format(table.concat(notes, '; ')) or ''
  return ('%s  %s%s'):format(file.path, file.sha256:match('^%x+$') and file.sha256:sub(1, 12) or file.sha256, note)
end

---@param p pillion.QuestionLines
---@param item pillion.ConsentItem
---@param number string
---@param decision? string
local function add_item(p, item, number, decision)
  p.item = item
  local mark = decision and { ('  → %s'):format(words[decision]), 'PillionKey' } or nil
  p:push({ { number, 'PillionDetail' }, { text.quoted(item.name), 'PillionHeading' }, mark, id = item.connector })
  p:push({ { 'in ', 'PillionDetail' }, { text.path(item.uri), 'PillionPath' } })
  if item.reason == 'changed' then
    p:say('You allowed it before, and it is another now.', 'PillionWarning')
  end
  p:changes('what changed since', item.changes)
  p:values('look at this twice', item.warnings, 'PillionWarning')
  local shown = item.shown
  p:value('program', shown.command, 'PillionValue')
  p:values('its arguments, one a line', shown.args, 'PillionValue')
  p:value('in the folder', shown.cwd and text.path(shown.cwd), 'PillionPath')
  p:value('address', shown.url, 'PillionValue')
  p:pairs('headers that are sent', shown.headers)
  p:pairs('variables that it is given', shown.env)
  p:values('variables of yours that it reads', shown.reads)
  p:values('files of the repository that belong to it', vim.tbl_map(file_line, shown.files))
  p:values(
    'secrets of yours that a yes hands over',
    vim.tbl_map(function(secret)
      return ('%s, to %s'):format(secret.name, secret.destination)
    end, item.secrets or {}),
    'PillionWarning'
  )
  p:name('as its file has it')
  p:json(text.dedented(item.definitionText))
  p.item = nil
end

---The answer that what was decided so far comes to.
---@param body pillion.ConsentBody
---@param decisions table<string, pillion.ConsentDecision>
---@return pillion.ConsentAnswer
function M.answer(body, decisions)
  local answer = { decisions = decisions }
  for _, item in ipairs(body.items) do
    local decision = decisions[item.connector]
    if item.secrets and #item.secrets > 0 and (decision == 'allow' or decision == 'allowFollow') then
      answer.secrets = answer.secrets or {}
      answer.secrets[item.connector] = vim.tbl_map(function(secret)
        return secret.name
      end, item.secrets)
    end
  end
  return answer
end

---The page of the question.
---@param ask pillion.Ask
---@param draft table
---@return pillion.Question
function M.question(ask, draft)
  local body = ask.body --[[@as pillion.ConsentBody]]
  draft.decisions = draft.decisions or {}
  local many = #body.items > 1
  local p = lines.new()
  p:say(heading(body), 'PillionTitle')
  p:say('A connector that you allow runs as you: it can read your files and keys. Allow what you know.')
  p:say('Your answer counts for exactly this, in this folder. A change asks again.')
  if many then
    p:say('A key decides about the connector that the cursor is on; S sends what is decided.')
  end
  for i, item in ipairs(body.items) do
    p:gap()
    add_item(p, item, many and ('%d of %d  '):format(i, #body.items) or '', draft.decisions[item.connector])
  end
  local function decide(decision)
    return function(context)
      local item = body.items[1]
      if many then
        item = context.item
      end
      if not (item and item.connector) then
        return context.say('Put the cursor on a connector first.')
      end
      if not many then
        return context.send(M.answer(body, { [item.connector] = decision }))
      end
      draft.decisions[item.connector] = decision
      context.render()
      for _, other in ipairs(body.items) do
        if not draft.decisions[other.connector] then
          return context.seek(other.connector)
        end
      end
    end
  end
  local choices = {
    { 'n', 'not now', 'Not now: quiet until it changes or you act', decide('later') },
    { 'x', 'never', 'Never here, whatever it says', decide('never') },
    { 'a', 'allow', 'Allow exactly this', decide('allow') },
  }
  local has_files = vim.iter(body.items):any(function(item)
    return #item.shown.files > 0
  end)
  if has_files then
    choices[#choices + 1] = {
      'f',
      'allow, files may change',
      'Allow, and do not ask again when its files change',
      decide('allowFollow'),
    }
  end
  if many then
    choices[#choices + 1] = {
      'S',
      'send',
      'Send what is decided; the rest waits',
      function(context)
        if next(draft.decisions) == nil then
          return context.say('Nothing is decided yet.')
        end
        context.send(M.answer(body, draft.decisions))
      end,
    }
  end
  return { lines = p.lines, choices = choices }
end

return M
