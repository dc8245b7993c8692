-- What a connector asks for itself: a form to fill in, or a page to open. Pillion's own words say whose question it is.
-- Shows nothing itself: ui/questions.lua does.
local lines = require('pillion.lines.question')
local faults = require('pillion.faults')
local form = require('pillion.form')
local form_lines = require('pillion.lines.form')
local json = require('pillion.json')
local text = require('pillion.text')

local M = {}

---The question in one sentence.
---@param body pillion.ElicitationBody
---@return string
function M.short(body)
  if body.url then
    return ('Connector %s wants a page opened'):format(text.quoted(body.name))
  end
  return ('Connector %s asks you something'):format(text.quoted(body.name))
end

local function decline(context)
  context.send({ action = 'decline' })
end

local function dismiss(context)
  context.send({ action = 'cancel' })
end

local last = {
  { 'd', 'decline', 'Decline: say no', decline },
  { 'x', 'dismiss', 'Dismiss: say neither yes nor no', dismiss },
}

---@param ask pillion.Ask
---@param heading string
local function opening(ask, heading)
  local body = ask.body --[[@as pillion.ElicitationBody]]
  local p = lines.new()
  p:say(heading, 'PillionTitle')
  p:push({ { 'connector    ', 'PillionDetail' }, { text.quoted(body.name), 'PillionHeading' } })
  p:asker(ask)
  p:name('what it says')
  p:foreign(body.message)
  p:gap()
  return p
end

---The host of an address, to be read on its own.
---@param url string
local function host(url)
  return url:match('^%a[%w+.-]*://([^/?#]*)') or ''
end

---@param ask pillion.Ask
---@return pillion.Question
local function page(ask)
  local body = ask.body --[[@as pillion.ElicitationBody]]
  local p = opening(ask, 'A connector asks, not Pillion: it wants you to open this page.')
  p:value('the page, whole', body.url, 'PillionValue')
  p:value('its host', host(body.url), 'PillionHeading')
  p:say('What you do there is between you and the page.')
  -- Over SSH the browser of this machine is not where the person is (U31).
  local can_open = body.url:find('^https?://') ~= nil and not vim.env.SSH_CONNECTION
  local choices = vim.list_extend({}, last)
  choices[#choices + 1] = {
    'y',
    'copy',
    'Copy its address',
    function(context)
      vim.fn.setreg('+', body.url)
      vim.fn.setreg('"', body.url)
      context.say('Copied.')
    end,
  }
  if can_open then
    choices[#choices + 1] = {
      'o',
      'open',
      'Open it in the browser of this machine',
      function(context)
        local _, problem = vim.ui.open(body.url)
        if problem then
          return context.say(problem .. '; y copies the address')
        end
        context.send({ action = 'accept' })
      end,
    }
  end
  choices[#choices + 1] = {
    'a',
    'opened',
    'You have opened it yourself',
    function(context)
      context.send({ action = 'accept' })
    end,
  }
  return { lines = p.lines, choices = choices }
end

---Reads a value for a field, as its type wants it.
---@param field pillion.Field
---@param done fun(problem: string?)
local function fill(field, done)
  if field.type == 'boolean' then
    return done(form.type(field, field.value == 'true' and 'false' or 'true'))
  end
  if field.type == 'choice' then
    return vim.ui.select(field.choices, {
      prompt = text.visible(field.title or field.name) .. ':',
      kind = 'pillion',
      format_item = function(choice)
        return text.visible(choice.label)
      end,
    }, function(choice)
      if choice then
        done(form.type(field, choice.text))
      end
    end)
  end
  local current = field.value and table.concat(form_lines.editable(field, field.value), ' ') or nil
  vim.ui.input({ prompt = text.visible(field.title or field.name) .. ': ', default = current }, function(typed)
    if typed then
      done(form.type(field, typed))
    end
  end)
end

---@param made pillion.Form
---@param draft table
local function act(made, draft)
  return function(context)
    local item = context.item
    if not item or item.kind ~= 'field' then
      return context.say('Put the cursor on a field first.')
    end
    local field = item.field
    local function done(problem)
      draft.faults = problem and { { path = field.path, message = problem } } or {}
      context.render()
    end
    if field.type == 'array' then
      local added = form.add(made, field)
      fill(added, function(problem)
        if problem then
          form.clear(made, added)
        end
        done(problem)
      end)
      return context.render()
    end
    fill(field, done)
  end
end

---Fills in what the schema offers.
---@param made pillion.Form
local function use_defaults(made)
  for _, field in ipairs(form.rows(made)) do
    local default = field.default and json.read(field.default)
    if default and field.type == 'array' then
      for _, item in ipairs(default.items or {}) do
        form.add(made, field).value = item.text
      end
    elseif default and not field.value then
      field.value = field.default
    end
  end
end

---The page of the question.
---@param ask pillion.Ask
---@param draft table
---@return pillion.Question
function M.question(ask, draft)
  local body = ask.body --[[@as pillion.ElicitationBody]]
  if body.url then
    return page(ask)
  end
  if not draft.form then
    draft.form, draft.faults = form.new(body.schemaText), {}
    use_defaults(draft.form)
  end
  local made = draft.form
  local p = opening(ask, 'A connector asks, not Pillion. What you write here goes to it.')
  p:say('A form is no place for passwords.', 'PillionDetail')
  for _, line in ipairs(form_lines.lines(made, { summary = '' }, draft.faults)) do
    if line.item and (line.item.kind == 'send' or line.item.kind == 'sent') then
      break
    end
    p:push(line)
  end
  local choices = vim.list_extend({}, last)
  choices[#choices + 1] = { 'i', 'fill in', 'Fill in the field that the cursor is on', act(made, draft) }
  choices[#choices + 1] = {
    'u',
    nil,
    'Leave the field that the cursor is on empty',
    function(context)
      if context.item and context.item.kind == 'field' then
        form.clear(made, context.item.field)
        context.render()
      end
    end,
  }
  choices[#choices + 1] = {
    'S',
    'send',
    'Send it',
    function(context)
      draft.faults = faults.of(made)
      if #draft.faults > 0 then
        context.render()
        return context.say(
          'It is not complete: ' .. text.visible(draft.faults[1].path .. ' ' .. draft.faults[1].message)
        )
      end
      context.send({ action = 'accept', contentText = form.text(made) })
    end,
  }
  return { lines = p.lines, choices = choices, act = act(made, draft) }
end

return M
