-- The kinds of question: which module has the words and the answers of each. Shows nothing itself: ui/questions.lua
-- does.
local lines = require('pillion.lines.question')
local standing = require('pillion.ui.standing')

local M = {}

---@class (exact) pillion.Question
---@field lines pillion.Line[]
---@field choices pillion.QuestionChoice[] the safest first
---what <CR> does on a line that has something of its own to do
---@field act? fun(context: pillion.QuestionContext)

---@class (exact) pillion.QuestionChoice
---@field [1] string key
---@field [2] string? word for the window bar; none: it is not there
---@field [3] string what it does
---@field [4] fun(context: pillion.QuestionContext)

---@class (exact) pillion.QuestionContext
---@field item any what the line of the cursor is about
---@field send fun(answer: table, said?: string)
---@field say fun(words: string) tells something in the page
---@field render fun()
---@field seek fun(id: string)

---@class (exact) pillion.QuestionKind
---the question in one sentence
---@field short fun(body: pillion.AskBody): string
---the page of the question; the draft is what was filled in so far, and is the kind's own
---@field question fun(ask: pillion.Ask, draft: table): pillion.Question

-- Loaded when a question of the kind is asked.
local kinds = {
  consent = 'pillion.ui.consent',
  approval = 'pillion.ui.approval',
  elicitation = 'pillion.ui.elicitation',
  url = 'pillion.ui.elicitation',
  input = 'pillion.ui.input',
  sampling = 'pillion.ui.sampling',
  join = standing.join,
  store = standing.store,
  widen = standing.widen,
}

---@type pillion.QuestionKind
local unknown = {
  short = function()
    return 'A question that this plugin does not know'
  end,
  question = function()
    local p = lines.new()
    p:say('This plugin does not know this kind of question.', 'PillionTitle')
    p:say('Answer it with `pillion pending` and `pillion answer` in a terminal, or install the newest plugin.')
    return { lines = p.lines, choices = {} }
  end,
}

---@param kind string
---@return pillion.QuestionKind
local function of(kind)
  local found = kinds[kind] or unknown
  return type(found) == 'string' and require(found) or found --[[@as pillion.QuestionKind]]
end

---A question in one sentence.
---@param ask pillion.Ask
---@return string
function M.short(ask)
  return of(ask.kind).short(ask.body)
end

---The page of a question.
---@param ask pillion.Ask
---@param draft table what was filled in so far
---@return pillion.Question
function M.question(ask, draft)
  return of(ask.kind).question(ask, draft)
end

return M
