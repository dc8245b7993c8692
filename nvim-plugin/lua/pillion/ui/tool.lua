-- A tool: choosing one, its page, running it, switching it off and on.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local catalogue = require('pillion.catalogue')
local faults = require('pillion.faults')
local form = require('pillion.form')
local lines = require('pillion.lines.tool')
local protocol = require('pillion.protocol')
local text = require('pillion.text')
local view = require('pillion.view')

local requests = protocol.requests

local M = {}

---@param tool pillion.Tool
---@return string
local function label(tool)
  local stand = lines.stand(tool)
  local asks = stand == 'runs without a question' and '' or ('  [%s]'):format(stand)
  local name = text.visible(tool.label)
  local room = vim.o.columns - vim.fn.strdisplaywidth(name) - #asks - 10
  return ('%s  %s%s'):format(name, block.cut(tool.summary, math.max(20, room)), asks)
end

---Why there is nothing to choose from: the reasons, or where they are.
---@param result pillion.ToolsResult
local function tell_why(result)
  local reasons = vim.tbl_map(function(reason)
    return text.visible(reason.text)
  end, result.why or {})
  ask.tell(#reasons > 0 and 'no tool: ' .. table.concat(reasons, '; ') or 'there is no tool')
end

---Lets the user choose a tool, by whatever vim.ui.select is.
---@param connector? string its id; absent: of all
---@param done fun(tool: pillion.Tool)
---@param query? string
function M.pick(connector, done, query)
  local params = { connector = connector, query = query, detail = 'full', explain = true }
  local choose = ask.unless_gone(function(tools)
    vim.ui.select(tools, { prompt = 'Tool', format_item = label, kind = 'pillion_tool' }, function(tool)
      if tool then
        done(tool)
      end
    end)
  end)
  catalogue.tools(params, function(err, tools, result)
    if err then
      return ask.refuse(text.visible(err.message))
    elseif #tools == 0 then
      return tell_why(result)
    end
    choose(tools)
  end)
end

---The tool that a name means, whole.
---@param name string label, served name or id
---@param done fun(tool: pillion.Tool, typescript: string)
function M.named(name, done)
  ask.request(requests.tool_detail, { tool = name }, function(result)
    done(result.tool, result.typescript)
  end)
end

---Runs a tool: at once where there is nothing to fill in, else by its form.
---@param tool pillion.Tool
function M.run(tool)
  local function go(whole)
    local made = form.new(whole.inputSchemaText)
    if made.root.type == 'object' and #form.rows(made) == 0 then
      return require('pillion.ui.call').make(whole, '{}')
    end
    require('pillion.ui.form').open(whole)
  end
  if tool.inputSchemaText then
    return go(tool)
  end
  M.named(tool.id, ask.unless_gone(go))
end

---Runs a tool with arguments that somebody wrote; where they are wrong they are shown in its form, and nothing is sent.
---@param tool pillion.Tool with its schema
---@param argumentsText string
function M.run_with(tool, argumentsText)
  local found = faults.of((form.filled(tool.inputSchemaText, argumentsText)))
  if #found > 0 then
    return require('pillion.ui.form').open(tool, argumentsText, found)
  end
  require('pillion.ui.call').make(tool, argumentsText)
end

---Off, or on again, for the user alone.
---@param tool pillion.Tool
function M.toggle(tool)
  local wanted = tool.state == 'off' and 'on' or 'off'
  ask.change(requests.tool_set, { tool = tool.id, state = wanted })
end

---Where a rule about a tool counts: a connector of one's own file belongs to no folder.
---@param tool pillion.Tool
---@return pillion.PermissionScope
local function scope_of(tool)
  local connector = require('pillion.state').connector(tool.connector)
  return connector and not connector.root and 'user' or 'project'
end

---Has a rule stand for a tool from now on; what it widens is asked about first.
---@param tool pillion.Tool
---@param decision "ask"|"deny"|"allow"
function M.rule(tool, decision)
  local params = {
    connector = tool.connector,
    tool = tool.id,
    decision = decision,
    scope = scope_of(tool),
    hash = tool.hash,
  }
  ask.change(requests.permission_set, params, function(result)
    ask.tell('from now on: ' .. text.visible(result.rule.label))
  end)
end

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'run it',
    function(item)
      M.run(item.tool)
    end,
  },
  {
    'r',
    'run it',
    function(item)
      M.run(item.tool)
    end,
  },
  {
    'o',
    'switch it off or on, for you alone',
    function(item)
      M.toggle(item.tool)
    end,
  },
  {
    'W',
    'why it is not there, or may not be called',
    function(item)
      require('pillion.ui.why').tool(item.tool)
    end,
  },
}

---@param whole pillion.Tool
---@param typescript string
local function show(whole, typescript)
  local found = lines.detail(whole, typescript)
  view
    .open({
      name = 'pillion://tool/' .. view.part(whole.servedName),
      kind = 'tool',
      title = text.visible(whole.label) .. (whole.title and '  ' .. text.visible(whole.title) or ''),
      foldlevel = 1,
      keys = keys,
      render = function()
        for _, line in ipairs(found) do
          line.item = line.item or { kind = 'tool', tool = whole }
        end
        return found
      end,
    })
    :show()
end

---Opens the page of a tool.
---@param tool pillion.Tool
function M.open(tool)
  M.named(tool.id, ask.unless_gone(show))
end

return M
