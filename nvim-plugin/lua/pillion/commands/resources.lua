-- What connectors have to read, and what they write for models.

---@param words string[]
---@param done fun(connector: pillion.Connector)
local function named(words, done)
  require('pillion.ui.actions').choose(words[1], 'Connector', done)
end

local function names(_, words)
  return #words == 0 and require('pillion.ui.actions').names() or {}
end

---@type pillion.Subcommand[]
return {
  {
    name = 'resource',
    args = '[connector] [address]',
    doc = 'Opens a resource as a buffer that cannot be changed: the one at the address, or one that is chosen.',
    complete = names,
    run = function(words)
      require('pillion.start').now()
      local resources = require('pillion.ui.resources')
      if not words[1] then
        return resources.pick()
      end
      named(words, function(connector)
        if words[2] then
          return resources.open(connector.id, words[2])
        end
        resources.pick(connector.id)
      end)
    end,
  },
  {
    name = 'prompt',
    args = '[connector]',
    doc = 'Has a connector write a prompt, and shows it as a buffer.',
    complete = names,
    run = function(words)
      require('pillion.start').now()
      local prompts = require('pillion.ui.prompts')
      if not words[1] then
        return prompts.pick()
      end
      named(words, function(connector)
        prompts.pick(connector.id)
      end)
    end,
  },
}
