-- Starting, ending and pausing Pillion itself.
local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local protocol = require('pillion.protocol')
local state = require('pillion.state')

---@param result { mode: pillion.Mode }
local function say_mode(result)
  state.ask_mode()
  ask.tell('the mode is ' .. result.mode)
end

---@param mode string
---@param done fun(result: table)
local function set_mode(mode, done)
  ask.change(protocol.requests.mode_set, { mode = mode }, done)
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
      state.watch()
      require('pillion.ui.questions').watch()
      client.restart()
    end,
  },
  {
    name = 'quit',
    doc = 'Ends Pillion and its connectors in this Neovim, until `:Pillion` starts it.',
    run = function()
      client.stop()
    end,
  },
  {
    name = 'stop',
    doc = 'Stops everything: cancels every call, ends every connector, and pauses until `:Pillion resume`.',
    run = function()
      ask.request(protocol.requests.stop_all, nil, function()
        state.ask_mode()
        ask.tell('everything is stopped; :Pillion resume goes on')
      end)
    end,
  },
  {
    name = 'resume',
    doc = 'Asks whether calls are to run again after `:Pillion stop`.',
    run = function()
      set_mode('ask', function()
        state.ask_mode()
        ask.tell('calls run as the rules say')
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
        return ask.request(protocol.requests.mode_current, nil, say_mode)
      end
      set_mode(words[1], say_mode)
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
