-- Starting, ending and pausing Pillion itself.
local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local function told(words)
  return function(err)
    require('pillion.state').ask_mode()
    if err then
      return ask.refuse(text.visible(err.message))
    end
    ask.tell(words)
  end
end

---@type pillion.Subcommand[]
return {
  {
    name = 'start',
    doc = 'Starts Pillion for the workspace of this buffer.',
    run = function()
      require('pillion.start').now(true)
    end,
  },
  {
    name = 'restart',
    doc = 'Ends Pillion and its connectors, and starts it again.',
    run = function()
      require('pillion.state').watch()
      require('pillion.ui.questions').watch()
      client.restart()
    end,
  },
  {
    name = 'quit',
    doc = 'Ends Pillion and its connectors in this Neovim.',
    run = function()
      client.stop()
    end,
  },
  {
    name = 'stop',
    doc = 'Stops everything: cancels every call, ends every connector, and pauses until `:Pillion resume`.',
    run = function()
      client.request(protocol.requests.stop_all, nil, told('everything is stopped; :Pillion resume goes on'))
    end,
  },
  {
    name = 'resume',
    doc = 'Asks whether calls are to run again after `:Pillion stop`.',
    run = function()
      local key = require('pillion.ui.questions').last_key()
      client.request(protocol.requests.mode_set, { mode = 'ask' }, function(err, result)
        if err then
          return told('')(err)
        elseif result.askId then
          return require('pillion.ui.questions').show(result.askId, key)
        end
        told('calls run as the rules say')()
      end)
    end,
  },
  {
    name = 'mode',
    args = '[mode]',
    doc = 'Says which mode counts, or changes it: ask, plan, paused.',
    complete = function()
      return { 'ask', 'plan', 'paused' }
    end,
    run = function(words)
      if not words[1] then
        return client.request(protocol.requests.mode_current, nil, function(err, result)
          told(result and 'the mode is ' .. result.mode or '')(err)
        end)
      end
      local key = require('pillion.ui.questions').last_key()
      client.request(protocol.requests.mode_set, { mode = words[1] }, function(err, result)
        if result and result.askId then
          return require('pillion.ui.questions').show(result.askId, key)
        end
        told(result and 'the mode is ' .. result.mode or '')(err)
      end)
    end,
  },
  {
    name = 'health',
    doc = 'The same as `:checkhealth pillion`.',
    run = function()
      vim.cmd.checkhealth('pillion')
    end,
  },
}
