-- What can be done about a connector, each as in the connectors window.

local client = require('pillion.client')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

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

---The folder that a workspace command is about.
---@param done fun(root: string)
local function root(done)
  local roots = client.roots()
  if #roots == 0 then
    return require('pillion.ui.ask').tell('no folder is open')
  end
  require('pillion.ui.ask').choose(roots, 'Folder', text.path, 'folder', function(path)
    done(vim.uri_from_fname(path))
  end)
end

---@return string[]
local function profiles()
  local found = {}
  for _, connector in ipairs(require('pillion.state').connectors()) do
    for _, profile in ipairs(connector.profiles or {}) do
      if not vim.list_contains(found, profile) then
        found[#found + 1] = profile
      end
    end
  end
  table.sort(found)
  return found
end

---@param name string empty: none
local function choose_profile(name)
  local ask = require('pillion.ui.ask')
  root(function(uri)
    local params = { root = uri, profile = name }
    ask.request(protocol.requests.workspace_set, params, function(result)
      local profile = result.profile
      if profile == nil or profile == vim.NIL or profile == '' then
        return ask.tell('no profile is chosen')
      end
      ask.tell('the profile is ' .. text.visible(profile))
    end)
  end)
end

---Edits the references that the connectors of a folder are given for variables.
local function edit_env()
  local ask = require('pillion.ui.ask')
  local json = require('pillion.json')
  root(function(uri)
    ask.request(protocol.requests.workspace_set, { root = uri }, function(result)
      require('pillion.ui.edit').open({
        title = 'Variables from elsewhere: names and references such as ${WORK_TOKEN}, never values',
        syntax = 'json',
        lines = json.layout(vim.json.encode(next(result.env) and result.env or vim.empty_dict())),
        accept = function(typed)
          local node, problem = json.read(typed)
          if not node then
            return problem
          elseif node.kind ~= 'object' then
            return 'an object of names and references belongs here'
          end
          local env = vim.json.decode(typed)
          ask.request(protocol.requests.workspace_set, { root = uri, env = next(env) and env or vim.empty_dict() })
        end,
      })
    end)
  end)
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
      return #words == 0 and profiles() or {}
    end,
    run = function(words, command)
      if words[1] or command.bang then
        return choose_profile(words[1] or '')
      end
      local none = 'none'
      local all = vim.list_extend({ none }, profiles())
      vim.ui.select(all, { prompt = 'Profile', format_item = text.visible, kind = 'pillion_profile' }, function(profile)
        if profile then
          choose_profile(profile == none and '' or profile)
        end
      end)
    end,
  },
  {
    name = 'env',
    doc = 'Edits which variables the connectors of a folder are given from elsewhere, for you, in no file.',
    run = edit_env,
  },
}
