-- The question whether a connector may have the editor's model answer. There is a model only where the user configured
-- one; without it connectors are told so and this question is never asked.
-- Shows nothing itself: ui/questions.lua does.
local lines = require('pillion.lines.question')
local json = require('pillion.json')
local options = require('pillion.options')
local text = require('pillion.text')

local M = {}

---The question in one sentence.
---@param body pillion.SamplingBody
---@return string
function M.short(body)
  return ('Connector %s wants your model to answer'):format(text.quoted(body.name))
end

local function ask_model(body)
  return function(context)
    local sampling = options.current().sampling
    if not sampling then
      return context.say('No model is configured any more; decline says so to the connector.')
    end
    context.say('The model is asked …')
    local ok, problem = pcall(sampling, vim.json.decode(body.paramsText), function(result, why)
      if not result then
        return context.say(why or 'the model gave no answer')
      end
      context.send({ resultText = vim.json.encode(result) })
    end)
    if not ok then
      context.say(text.visible(tostring(problem)))
    end
  end
end

---The page of the question.
---@param ask pillion.Ask
---@return pillion.Question
function M.question(ask)
  local body = ask.body --[[@as pillion.SamplingBody]]
  local p = lines.new()
  p:say('A connector asks, not Pillion: it wants your model to answer this.', 'PillionTitle')
  p:push({ { 'connector    ', 'PillionDetail' }, { text.quoted(body.name), 'PillionHeading' } })
  p:asker(ask)
  p:name('all that the model would be given')
  p:json(table.concat(json.layout(body.paramsText), '\n'))
  return {
    lines = p.lines,
    choices = {
      {
        'd',
        'decline',
        'Decline: there will be no answer',
        function(context)
          context.send({ declined = true })
        end,
      },
      { 'a', 'answer', 'Have the model answer, and send that', ask_model(body) },
    },
  }
end

return M
