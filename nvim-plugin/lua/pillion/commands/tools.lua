-- Finding tools and running them.

local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local protocol = require('pillion.protocol')

-- How long <Tab> waits for the names: it holds up the editor.
local most_ms = 500

local function start()
  require('pillion.start').now()
end

---The labels of all tools that are known.
---@param lead string
---@param words string[]
---@return string[]
local function labels(lead, words)
  if #words > 0 or not client.running() then
    return {}
  end
  local found
  client.request(protocol.requests.tools, { query = lead ~= '' and lead or nil, limit = 200 }, function(_, result)
    found = {}
    for _, tool in ipairs(result and result.tools or {}) do
      if not tool.label:find('[%s%c]') then
        found[#found + 1] = tool.label
      end
    end
  end)
  vim.wait(most_ms, function()
    return found ~= nil
  end, 10)
  table.sort(found or {})
  return found or {}
end

---The tool of a command line, or one that the user chooses.
---@param words string[]
---@param done fun(tool: pillion.Tool)
local function one(words, done)
  start()
  local tool = require('pillion.ui.tool')
  if words[1] then
    return tool.named(words[1], done)
  end
  tool.pick(nil, done)
end

---@param state "on"|"off"
local function switch(state)
  return function(words)
    one(words, function(tool)
      ask.change(protocol.requests.tool_set, { tool = tool.id, state = state })
    end)
  end
end

---@type pillion.Subcommand[]
return {
  {
    name = 'call',
    args = '[tool] [arguments]',
    doc = 'Runs a tool: the one that is named, or one that is chosen; with its form, or with arguments as JSON.',
    complete = labels,
    run = function(words, command)
      if words[2] then
        start()
        local arguments = command.rest:gsub('^%S+%s+', '')
        local function run(tool)
          require('pillion.ui.tool').run_with(tool, arguments)
        end
        return require('pillion.ui.tool').named(words[1], ask.unless_gone(run))
      end
      one(words, words[1] and ask.unless_gone(require('pillion.ui.tool').run) or require('pillion.ui.tool').run)
    end,
  },
  {
    name = 'again',
    doc = 'Makes the last call again, with the same arguments.',
    run = function()
      require('pillion.ui.call').again()
    end,
  },
  {
    name = 'cancel',
    doc = 'Cancels a call: the one that is under way, or one that is chosen.',
    run = function()
      require('pillion.ui.call').cancel_one()
    end,
  },
  {
    name = 'tools',
    args = '[words]',
    doc = 'Searches the tools by words, or lists all, and runs the one that is chosen.',
    run = function(_, command)
      start()
      local tool = require('pillion.ui.tool')
      tool.pick(nil, tool.run, command.rest ~= '' and command.rest or nil)
    end,
  },
  {
    name = 'tool',
    args = '[tool]',
    doc = 'Shows everything about a tool: what it takes, what it says of itself, what a call would meet.',
    complete = labels,
    run = function(words)
      one(words, require('pillion.ui.tool').open)
    end,
  },
  {
    name = 'tool on',
    args = '[tool]',
    doc = 'Switches a tool on again for you, in no file.',
    complete = labels,
    run = switch('on'),
  },
  {
    name = 'tool off',
    args = '[tool]',
    doc = 'Switches a tool off for you, in no file: it is not listed and costs nothing.',
    complete = labels,
    run = switch('off'),
  },
  {
    name = 'deny',
    args = '[tool]',
    doc = 'Refuses every call of a tool from now on, of a connector of yours everywhere; see `:Pillion permissions`.',
    complete = labels,
    run = function(words)
      one(words, function(tool)
        require('pillion.ui.tool').rule(tool, 'deny')
      end)
    end,
  },
  {
    name = 'allow',
    args = '[tool]',
    doc = 'Asks whether a tool may run without a question from now on, of a connector of yours everywhere.',
    complete = labels,
    run = function(words)
      one(words, function(tool)
        require('pillion.ui.tool').rule(tool, 'allow')
      end)
    end,
  },
}
