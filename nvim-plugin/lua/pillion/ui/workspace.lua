-- What the user wants otherwise for a folder, in no file (A12): its profile, and the variables that its connectors get.
local ask = require('pillion.ui.ask')
local client = require('pillion.client')
local json = require('pillion.json')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')

local M = {}

---The folder that is meant; asked for where several are open.
---@param done fun(root: string)
local function with_root(done)
  local roots = client.roots()
  if #roots == 0 then
    return ask.tell('no folder is open')
  end
  ask.choose(roots, 'Folder', text.path, 'folder', function(path)
    done(vim.uri_from_fname(path))
  end)
end

---The profiles that the connectors' files name.
---@return string[]
function M.profiles()
  local found = {}
  for _, connector in ipairs(state.connectors()) do
    for _, profile in ipairs(connector.profiles or {}) do
      if not vim.list_contains(found, profile) then
        found[#found + 1] = profile
      end
    end
  end
  table.sort(found)
  return found
end

---Chooses a profile for a folder.
---@param name string empty: none
function M.set_profile(name)
  with_root(function(root)
    ask.request(protocol.requests.workspace_set, { root = root, profile = name }, function(result)
      local profile = result.profile
      if profile == nil or profile == vim.NIL or profile == '' then
        return ask.tell('no profile is chosen')
      end
      ask.tell('the profile is ' .. text.visible(profile))
    end)
  end)
end

---Lets the user choose a profile, or none.
function M.choose_profile()
  local none = 'none'
  local all = vim.list_extend({ none }, M.profiles())
  vim.ui.select(all, { prompt = 'Profile', format_item = text.visible, kind = 'pillion_profile' }, function(profile)
    if profile then
      M.set_profile(profile == none and '' or profile)
    end
  end)
end

---Opens the names and references of the variables in a buffer.
function M.edit_variables()
  with_root(function(root)
    ask.request(protocol.requests.workspace_set, { root = root }, function(result)
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
          ask.request(protocol.requests.workspace_set, { root = root, env = next(env) and env or vim.empty_dict() })
        end,
      })
    end)
  end)
end

return M
