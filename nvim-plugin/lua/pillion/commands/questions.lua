-- What is asked, and what stands of the answers.
local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local function waiting_names()
  local names = {}
  for _, connector in ipairs(require('pillion.state').connectors()) do
    if connector.state == 'waiting' then
      names[#names + 1] = connector.name
    end
  end
  return names
end

---Takes the newest standing permission back.
local function undo()
  client.request(protocol.requests.permissions, nil, function(err, result)
    if err then
      return ask.refuse(text.visible(err.message))
    end
    local newest
    for _, rule in ipairs(result.rules) do
      if rule.decision == 'allow' and (not newest or rule.at > newest.at) then
        newest = rule
      end
    end
    if not newest then
      return ask.tell('no permission stands')
    end
    client.request(protocol.requests.permission_remove, { id = newest.id }, function(failed)
      if failed then
        return ask.refuse(text.visible(failed.message))
      end
      ask.tell('taken back: ' .. text.visible(newest.label))
    end)
  end)
end

---@type pillion.Subcommand[]
return {
  {
    name = 'questions',
    doc = 'Shows what is asked, the oldest question first; where nothing is, what needs permission.',
    run = function()
      require('pillion.ui.questions').focus()
    end,
  },
  {
    name = 'review',
    args = '[connector]',
    doc = 'Asks about the connectors that need permission, or about one.',
    complete = waiting_names,
    run = function(_, command)
      require('pillion.ui.questions').review(command.rest ~= '' and command.rest or nil)
    end,
  },
  {
    name = 'hide',
    doc = 'Sends the small window away that says what waits, until something new is asked.',
    run = function()
      require('pillion.ui.questions').hide()
    end,
  },
  {
    name = 'undo',
    doc = 'Takes the permission back that was given last.',
    run = undo,
  },
}
