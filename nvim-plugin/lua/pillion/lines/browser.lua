-- The line of the connectors window that tells of the browser of this session. It is there once there is something to
-- tell: a browser that is off and that nobody has wanted is not spoken of.

local block = require('pillion.lines.block')
local text = require('pillion.text')

local M = {}

---@class (exact) pillion.lines.BrowserState
---@field words string
---@field group string its highlight
---what <CR> does on it: a function of pillion.ui.browser
---@field action string
---@field hint string the action in words

---@type table<string, pillion.lines.BrowserState>
local states = {
  off = { words = 'off, asks before it starts', group = 'PillionIdle', action = 'start', hint = 'start it' },
  asking = { words = 'waits for your answer', group = 'PillionWaiting', action = 'answer', hint = 'see the question' },
  starting = { words = 'starting', group = 'PillionBusy', action = 'tell', hint = 'say how it stands' },
  running = { words = 'running', group = 'PillionReady', action = 'picture', hint = 'show what it shows' },
  refused = {
    words = 'refused by you in this session',
    group = 'PillionOff',
    action = 'start',
    hint = 'start it all the same',
  },
  auto = {
    words = 'off, starts without a question',
    group = 'PillionIdle',
    action = 'ask',
    hint = 'have it ask again',
  },
  failed = { words = 'does not run', group = 'PillionFailed', action = 'start', hint = 'start it again' },
}

---How a browser stands, and the one thing to do about it first. A state that is not known reads as off.
---@param browser pillion.BrowserResult
---@return pillion.lines.BrowserState
function M.state(browser)
  local found = states[browser.state] or states.off
  return found == states.off and browser.auto and states.auto or found
end

---How it stands, in one line of words.
---@param browser pillion.BrowserResult
---@return string
function M.words(browser)
  local words = M.state(browser).words
  if browser.doing and browser.doing ~= '' then
    words = words .. ': ' .. text.visible(browser.doing)
  elseif browser.problem then
    words = words .. ': ' .. text.visible(browser.problem.reason)
  end
  return words
end

---Its line, or none.
---@param browser? pillion.BrowserResult
---@param width integer
---@return pillion.Line[]
function M.lines(browser, width)
  if not browser or M.state(browser) == states.off then
    return {}
  end
  local state = M.state(browser)
  local line = {
    ' ',
    { 'The browser of this session', 'PillionName' },
    { '  ' .. text.cut(M.words(browser), math.max(10, width - 50)), state.group },
  }
  local item = { kind = 'action', action = 'browser' }
  return block.about({ line }, 'browser', item, state.hint)
end

return M
