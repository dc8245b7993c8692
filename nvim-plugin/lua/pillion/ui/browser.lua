-- The browser of this session: how it stands, start and end, and a picture of what it shows.

local ask = require('pillion.ui.ask')
local focus = require('pillion.ui.focus')
local lines = require('pillion.lines.browser')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')

local requests = protocol.requests

local M = {}

---@param browser pillion.BrowserResult
local function tell(browser)
  state.tell_browser(browser)
  local words = 'the browser of this session: ' .. lines.words(browser)
  local steps = browser.problem and browser.problem.steps or browser.steps or {}
  if browser.message and browser.message ~= '' then
    words = text.visible(browser.message)
  end
  for i, step in ipairs(steps) do
    words = ('%s\n%d. %s'):format(words, i, text.visible(step))
  end
  if browser.state == 'refused' then -- by this person, who knows
    return ask.tell('the browser of this session: ' .. lines.words(browser))
  end
  if browser.problem or browser.message and browser.message ~= '' then
    return ask.refuse(words)
  end
  ask.tell(words)
end

---Opens the result of a call that was made for a request.
---@param call pillion.CallResult
local function show(call)
  ask.request(
    requests.tool_detail,
    { tool = call.tool },
    ask.unless_gone(function(detail)
      require('pillion.ui.call').look(call.callId, detail.tool, 'just now')
    end)
  )
end

---Says how it stands.
function M.tell()
  ask.request(requests.browser, nil, tell)
end

---Starts it. The question may stay open for long, so nothing waits for what comes of it: that is told.
function M.start()
  focus.expect()
  ask.request('workspace/executeCommand', { command = protocol.commands.browser_start })
end

---Opens an address, starting it if it must, and shows what is there; without http:// or https:// before it, http:// is
---meant.
---@param address? string
function M.open(address)
  if not address or address == '' then
    return ask.refuse('an address is missing: :Pillion browser open localhost:3000')
  end
  focus.expect()
  local url = address:find('://', 1, true) and address or 'http://' .. address
  ask.request(requests.browser_start, { url = url }, function(browser)
    if browser.call and browser.call ~= vim.NIL then
      state.tell_browser(browser)
      return show(browser.call)
    end
    tell(browser)
  end)
end

---Ends it.
function M.stop()
  ask.request(requests.browser_stop, nil, function(browser)
    state.tell_browser(browser)
    ask.tell('the browser of this session has ended; the next use asks again')
  end)
end

---Takes a picture of what it shows, and opens that.
function M.picture()
  ask.request(requests.browser_picture, nil, function(browser)
    if browser.call and browser.call ~= vim.NIL then
      return show(browser.call)
    end
    tell(browser)
  end)
end

---Has every session ask before it has one, where always was the answer.
function M.ask()
  ask.request(requests.browser_ask, nil, function(browser)
    state.tell_browser(browser)
    ask.tell('the first use of the browser in a session asks')
  end)
end

---Shows the question whether it may start.
function M.answer()
  require('pillion.ui.questions').focus()
end

---Does what its line says first.
function M.first()
  local browser = state.browser()
  M[browser and lines.state(browser).action or 'tell']()
end

return M
