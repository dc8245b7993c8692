-- New connectors: an entry that the user writes, or the demo. None of them runs for being added to a folder.

local actions = require('pillion.ui.actions')
local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local json = require('pillion.json')
local options = require('pillion.options')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

---@class (exact) pillion.ui.Where
---@field label string
---@field scope pillion.FileScope
---@field root? string

---The files that an entry may be written to.
---@return pillion.ui.Where[]
function M.places()
  local places = { { label = 'your own mcp.json, for everywhere', scope = 'user' } }
  for _, root in ipairs(client.roots()) do
    local label = '.mcp.json of ' .. text.path(root) .. ', for everybody who works there'
    places[#places + 1] = { label = label, scope = 'project', root = vim.uri_from_fname(root) }
  end
  return places
end

---Lets the user choose the file that an entry is written to.
---@param prompt string
---@param done fun(place: pillion.ui.Where)
function M.choose_place(prompt, done)
  ask.choose(M.places(), prompt, function(place)
    return place.label
  end, 'place', done)
end

---Adds an entry, shows it among the others, and opens the question whether it may run: until then it does not.
---@param params pillion.ConnectorAddParams
local function add(params)
  ask.request(protocol.requests.connector_add, params, function(result)
    local connector = result.connector
    require('pillion.ui.connectors').open(nil, 'connector:' .. connector.id)
    if connector.state == 'waiting' then
      return actions.review(connector)
    elseif connector.state == 'disabled' then
      return actions.enable(connector)
    end
    for _, warning in ipairs(result.warnings or {}) do
      ask.tell(text.visible(warning))
    end
  end)
end

---@param place pillion.ui.Where
---@param name string
local function write_entry(place, name)
  require('pillion.ui.edit').open({
    title = ('Connector %s'):format(text.visible(name)),
    syntax = 'json',
    lines = { '{', '  "command": "",', '  "args": []', '}' },
    accept = function(typed)
      local node, problem = json.read(typed)
      if not node then
        return problem
      elseif node.kind ~= 'object' then
        return 'an entry is an object, as the README of a server shows it'
      end
      add({ name = name, definitionText = typed, scope = place.scope, root = place.root })
    end,
  })
end

---Asks where, under which name and what; the entry is written as JSON.
function M.ask()
  M.choose_place('Add a connector to', function(place)
    vim.ui.input({ prompt = 'Name of the connector: ' }, function(name)
      if name and name ~= '' then
        write_entry(place, name)
      end
    end)
  end)
end

---Adds the connector that is part of Pillion to the user's own file.
function M.demo()
  local program = options.current().cmd[1]
  local command = vim.fn.fnamemodify(program, ':t') == program and program or vim.fn.exepath(program)
  local entry = ('{"command": %s, "args": ["demo"]}'):format(json.quote(command))
  add({ name = 'demo', definitionText = entry, scope = 'user' })
end

return M
