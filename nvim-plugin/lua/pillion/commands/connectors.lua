-- What can be done about a connector, each as in the connectors window.

---A subcommand that acts on the connector that is named, or chosen.
---@param name string
---@param doc string
---@param act fun(connector: pillion.Connector)
---@return pillion.Subcommand
local function on_connector(name, doc, act)
  return {
    name = name,
    args = '[connector]',
    doc = doc,
    complete = function(_, words)
      return #words == 0 and require('pillion.ui.actions').names() or {}
    end,
    run = function(_, command)
      require('pillion.ui.actions').choose(command.rest, 'Connector', act)
    end,
  }
end

---An action of pillion.ui.actions by its name, loaded when it is used.
---@param name string
---@return fun(connector: pillion.Connector)
local function action(name)
  return function(connector)
    require('pillion.ui.actions')[name](connector)
  end
end

---@type pillion.Subcommand[]
return {
  on_connector('connector start', 'Starts a connector; one that needs permission is asked about.', action('start')),
  on_connector('connector stop', 'Stops a connector.', action('stop')),
  on_connector('connector restart', 'Stops a connector and starts it again.', action('restart')),
  on_connector('connector on', 'Switches a connector on for you, in no file.', action('enable')),
  on_connector('connector off', 'Switches a connector off for you, in no file.', action('disable')),
  on_connector('connector pin', 'Lists a connector first, or no longer.', action('pin')),
  on_connector(
    'connector revoke',
    'Takes back what was decided about a connector: it needs permission again.',
    action('revoke')
  ),
  on_connector('connector open', 'Opens the file that a connector is written in, at its entry.', action('place')),
  on_connector('connector remove', 'Removes the entry of a connector from its file, after asking.', action('remove')),
  on_connector('log', 'Opens the log of a connector, which goes on as it grows.', action('log')),
  {
    name = 'why',
    args = '[connector or tool]',
    doc = 'Says why a connector or tool is not there, or may not be called.',
    complete = function(_, words)
      return #words == 0 and require('pillion.ui.actions').names() or {}
    end,
    run = function(_, command)
      local why = require('pillion.ui.why')
      if command.rest ~= '' then
        return why.named(command.rest)
      end
      require('pillion.ui.actions').choose('', 'Why which connector?', why.connector)
    end,
  },
  {
    name = 'add',
    doc = 'Adds a connector to your own file or to that of a folder.',
    run = function()
      require('pillion.start').now()
      require('pillion.ui.add').ask()
    end,
  },
  {
    name = 'demo',
    doc = 'Adds the small connector that is part of Pillion to your own file, to try things with.',
    run = function()
      require('pillion.start').now()
      require('pillion.ui.add').demo()
    end,
  },
  {
    name = 'import',
    doc = 'Lists what other programs were told about MCP servers, and imports what is chosen.',
    run = function()
      require('pillion.start').now()
      require('pillion.ui.imports').open()
    end,
  },
  {
    name = 'profile',
    args = '[profile]',
    doc = 'Chooses the profile of a folder for you, in no file; with `!` none.',
    complete = function(_, words)
      return #words == 0 and require('pillion.ui.workspace').profiles() or {}
    end,
    run = function(words, command)
      local workspace = require('pillion.ui.workspace')
      if words[1] or command.bang then
        return workspace.set_profile(words[1] or '')
      end
      workspace.choose_profile()
    end,
  },
  {
    name = 'env',
    doc = 'Edits which variables the connectors of a folder are given from elsewhere, for you, in no file.',
    run = function()
      require('pillion.ui.workspace').edit_variables()
    end,
  },
}
