-- What other programs were told about MCP servers, and bringing it in. Nothing of it runs for that.

local add = require('pillion.ui.add')
local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local list = require('pillion.ui.list')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

local programs = {
  vscode = 'VS Code',
  cursor = 'Cursor',
  zed = 'Zed',
  ['claude-desktop'] = 'Claude Desktop',
  ['claude-code'] = 'Claude Code',
  codex = 'Codex',
  opencode = 'opencode',
  windsurf = 'Windsurf',
  gemini = 'Gemini CLI',
  mcphub = 'mcphub.nvim',
}

local reports = {} ---@type table<string, pillion.ImportResult> by the address of the file

---@param found pillion.FoundImport
---@return pillion.Line[]
local function report(found)
  local result, lines = reports[found.uri], {}
  if not result then
    return lines
  end
  lines[1] = { '    ', { text.count(#result.added, 'connector') .. ' imported', 'PillionReady' } }
  for _, remark in ipairs(result.report) do
    local about = remark.key ~= '' and ('%s %s'):format(remark.name, remark.key) or remark.name
    lines[#lines + 1] = {
      '    ',
      { text.visible(about ~= '' and about .. ': ' or ''), 'PillionName' },
      text.visible(remark.message),
    }
  end
  return lines
end

---@param result pillion.ImportsResult
---@return pillion.Line[]
local function lines(result)
  if #result.found == 0 then
    return { { ' ', { 'No file of another program names a connector.', 'PillionDetail' } } }
  end
  local all = {}
  for _, found in ipairs(result.found) do
    local head = {
      ' ',
      { programs[found.format] or text.visible(found.format), 'PillionHeading' },
      { '  ' .. text.path(found.uri), 'PillionPath' },
      { '  ' .. text.count(#found.names, 'connector'), 'PillionDetail' },
    }
    local rows = { head }
    if found.problem then
      block.append(rows, block.foreign(found.problem, '    ', 'PillionProblem'))
    end
    local hint = #found.names > 0 and 'import all of them' or nil
    block.append(all, block.about(rows, 'file:' .. found.uri, { kind = 'file', found = found }, hint))
    for _, name in ipairs(found.names) do
      local row = { { '    ', { text.visible(name), 'PillionName' } } }
      local item = { kind = 'name', found = found, name = name }
      block.append(all, block.about(row, ('name:%s:%s'):format(found.uri, name), item, 'import it'))
    end
    block.append(all, report(found))
  end
  return all
end

---@param found pillion.FoundImport
---@param names? string[]
---@param page pillion.Page
local function import(found, names, page)
  local function into(place)
    local params = { uri = found.uri, names = names, scope = place.scope, root = place.root }
    ask.request(protocol.requests.import, params, function(result)
      reports[found.uri] = result
      page:render()
    end)
  end
  if found.root then
    -- What lies in a folder of the workspace goes into that folder's file alone.
    return into({ scope = 'project', root = found.root })
  end
  add.choose_place('Import into', into)
end

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'import the connector, or all of the file',
    function(item, page)
      if item and item.name then
        return import(item.found, { item.name }, page)
      elseif item and #item.found.names > 0 then
        return import(item.found, nil, page)
      end
    end,
  },
  {
    'gf',
    'open the file',
    function(item)
      if item then
        require('pillion.ui.place').open(item.found.uri)
      end
    end,
  },
}

---Opens the list of what was found.
function M.open()
  list.open({
    name = 'pillion://imports',
    kind = 'imports',
    title = 'Import from other programs',
    method = protocol.requests.imports,
    lines = lines,
    keys = keys,
  })
end

return M
