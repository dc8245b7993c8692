-- The question for a value that a definition refers to. A secret one is typed unseen, and is nowhere in a buffer.
-- Shows nothing itself: ui/questions.lua does.
local lines = require('pillion.lines.question')
local state = require('pillion.state')
local text = require('pillion.text')

local M = {}

---@param body pillion.InputBody
local function name(body)
  local connector = body.connector and state.connector(body.connector)
  return connector and 'connector ' .. text.quoted(connector.name) or 'a connector'
end

---The question in one sentence.
---@param body pillion.InputBody
---@return string
function M.short(body)
  return ('A value for %s: %s'):format(name(body), text.visible(body.description))
end

---@param body pillion.InputBody
---@param go fun(value: string)
local function read(body, go)
  local prompt = text.visible(body.description) .. ': '
  if body.secret then
    local value = require('pillion.ui.ask').secret(prompt)
    return value and go(value)
  end
  if body.options and #body.options > 0 then
    return vim.ui.select(
      body.options,
      { prompt = prompt, kind = 'pillion', format_item = text.visible },
      function(value)
        if value then
          go(value)
        end
      end
    )
  end
  vim.ui.input({ prompt = prompt, default = body.default }, function(value)
    if value then
      go(value)
    end
  end)
end

---The page of the question.
---@param ask pillion.Ask
---@return pillion.Question
function M.question(ask)
  local body = ask.body --[[@as pillion.InputBody]]
  local p = lines.new()
  p:say(('A value is needed for %s.'):format(name(body)), 'PillionTitle')
  p:asker(ask)
  p:value('what is asked for', body.description, 'PillionHeading')
  p:value('its id', body.id)
  p:value('who is given it', body.destination, 'PillionValue')
  p:values('one of', body.options)
  if body.secret then
    p:say('It is not shown while you type, is kept in your keyring or a sealed file, and never listed.')
  else
    p:value('offered', body.default)
  end
  return {
    lines = p.lines,
    choices = {
      {
        'x',
        'no value',
        'Give no value: it does not start',
        function(context)
          context.send({ cancelled = true })
        end,
      },
      {
        'i',
        'type it',
        body.secret and 'Type it, unseen' or 'Type it',
        function(context)
          read(body, function(value)
            context.send({ value = value })
          end)
        end,
      },
    },
  }
end

return M
