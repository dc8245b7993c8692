-- The connectors window: what is known is its lines, and keys act on the line of the cursor. It follows every change.

local actions = require('pillion.ui.actions')
local ask = require('pillion.ui.ask')
local catalogue = require('pillion.catalogue')
local client = require('pillion.client')
local lines = require('pillion.lines.connectors')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local view = require('pillion.view')

local requests = protocol.requests

local M = {}

local now = {
  page = nil, ---@type pillion.Page?
  opened = {}, ---@type table<string, boolean>
  offers = {}, ---@type table<string, pillion.Offer>
  fetching = {}, ---@type table<string, integer> number of the last fetch, by connector
  found = nil, ---@type pillion.FoundImport[]?
  off = {}, ---@type fun()[]
}

---@return pillion.lines.ConnectorsFacts
local function facts()
  local win = now.page and vim.fn.bufwinid(now.page.buf) or -1
  return {
    client = client.status(),
    connectors = state.connectors(),
    mode = state.mode(),
    browser = state.browser(),
    calls = state.calls(),
    progress = require('pillion.ui.progress').words(),
    opened = now.opened,
    offers = now.offers,
    found = now.found,
    width = win ~= -1 and vim.api.nvim_win_get_width(win) or vim.o.columns,
  }
end

local function draw()
  if now.page then
    now.page:refresh()
  end
end

---Asks what a connector offers. What was asked before and is still on its way is passed over.
---@param id string
local function fetch(id)
  now.fetching[id] = (now.fetching[id] or 0) + 1
  local number = now.fetching[id]
  catalogue.offer(id, function(offer)
    if now.fetching[id] == number then
      now.offers[id] = offer
      draw()
    end
  end)
end

---@param detail { connector: string }?
local function offered_anew(detail)
  local id = detail and detail.connector
  if id and now.opened['connector:' .. id] then
    fetch(id)
  end
end

---What other programs have, for the first run alone: it reads their files.
local function look_around()
  if now.found or #state.connectors() > 0 or not client.running() then
    return
  end
  now.found = {}
  client.request(requests.imports, nil, function(err, result)
    now.found = not err and result.found or {}
    draw()
  end)
end

local function connectors_changed()
  look_around()
  draw()
end

local function client_changed(status)
  if status.state == 'running' then
    now.offers = {}
    for id, is_open in pairs(now.opened) do
      local connector = is_open and id:match('^connector:(.*)$')
      if connector then
        fetch(connector)
      end
    end
  end
  draw()
end

local function follow()
  now.off = {
    state.on('connectors', connectors_changed),
    state.on('calls', draw),
    state.on('client', client_changed),
    state.on('tools', offered_anew),
    state.on('resources', offered_anew),
    state.on('prompts', offered_anew),
    state.on('mode', draw),
    state.on('browser', draw),
    require('pillion.ui.progress').on(draw),
  }
end

local function forget()
  for _, off in ipairs(now.off) do
    off()
  end
  now.page, now.off = nil, {}
end

---@param item pillion.lines.Item
local function expand(item)
  local id = item.tool and 'tool:' .. item.tool.id or item.connector and 'connector:' .. item.connector.id
  if not id then
    return
  end
  now.opened[id] = not now.opened[id]
  if now.opened[id] and not item.tool then
    fetch(item.connector.id)
  end
  draw()
end

---@param name string
local function connector_key(name)
  return function(item)
    if item and item.connector then
      return actions[name](item.connector)
    end
    ask.tell('there is no connector on this line')
  end
end

local on_page = {
  imports = function()
    require('pillion.ui.imports').open()
  end,
  add = function()
    require('pillion.ui.add').ask()
  end,
  demo = function()
    require('pillion.ui.add').demo()
  end,
  restart = function()
    client.restart()
  end,
  browser = function()
    require('pillion.ui.browser').first()
  end,
  resume = function()
    ask.change(requests.mode_set, { mode = 'ask' }, state.ask_mode)
  end,
}

local first = {
  connector = function(item)
    actions.first(item.connector, function()
      expand(item)
    end)
  end,
  tool = function(item)
    if item.tool.state == 'off' then
      return require('pillion.ui.tool').toggle(item.tool)
    end
    require('pillion.ui.tool').run(item.tool)
  end,
  resource = function(item)
    require('pillion.ui.resources').open(item.connector.id, item.resource.uri)
  end,
  template = function(item)
    require('pillion.ui.resources').fill(item.template)
  end,
  prompt = function(item)
    require('pillion.ui.prompts').get(item.prompt)
  end,
  call = function(item)
    if item.call.state == 'asking' then
      return require('pillion.ui.questions').focus()
    end
    require('pillion.ui.call').cancel(item.call.callId)
  end,
  action = function(item)
    on_page[item.action]()
  end,
}

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'do what the line says behind it',
    function(item)
      if item then
        first[item.kind](item)
      end
    end,
  },
  {
    '<Tab>',
    'show what it offers or takes; again to fold it',
    function(item)
      if item then
        expand(item)
      end
    end,
  },
  {
    'K',
    'everything about a tool',
    function(item)
      if item and item.tool then
        require('pillion.ui.tool').open(item.tool)
      end
    end,
  },
  {
    'r',
    'run a tool: that of the line, or one of the connector',
    function(item)
      local tool = require('pillion.ui.tool')
      if item and item.tool then
        return tool.run(item.tool)
      end
      tool.pick(item and item.connector and item.connector.id, tool.run)
    end,
  },
  { 'a', 'review, and allow', connector_key('review') },
  { 's', 'start', connector_key('start') },
  { 'S', 'stop', connector_key('stop') },
  { 'R', 'restart', connector_key('restart') },
  {
    'o',
    'switch a connector or tool off or on, for you alone',
    function(item, page)
      if item and item.tool then
        return require('pillion.ui.tool').toggle(item.tool)
      end
      connector_key('toggle')(item, page)
    end,
  },
  { 'p', 'pin, or unpin: listed first', connector_key('pin') },
  { 'L', 'its log', connector_key('log') },
  {
    'W',
    'why it is not there, or may not be called',
    function(item, page)
      if item and item.tool then
        return require('pillion.ui.why').tool(item.tool)
      end
      connector_key('why')(item, page)
    end,
  },
  { 'gf', 'its place in the file', connector_key('place') },
  { 'U', 'take back what you decided about it', connector_key('revoke') },
  { 'D', 'remove it from its file', connector_key('remove') },
  {
    'X',
    'cancel the call of the line, or the last one',
    function(item)
      require('pillion.ui.call').cancel(item and item.call and item.call.callId)
    end,
  },
  {
    'A',
    'activity: what was called, and how it was allowed',
    function()
      require('pillion.ui.activity').open()
    end,
  },
  {
    'i',
    'import from other programs',
    function()
      require('pillion.ui.imports').open()
    end,
  },
}

---Opens the window.
---@param mods? table those of the command
---@param seek? string id of the line to go to
function M.open(mods, seek)
  state.watch()
  if not now.page then
    now.page = view.open({
      name = 'pillion://connectors',
      kind = 'connectors',
      title = function()
        return lines.title(state.connectors())
      end,
      keys = keys,
      closed = forget,
      render = function()
        return lines.lines(facts())
      end,
    })
    follow()
    look_around()
  end
  now.page:show(mods)
  now.page:render()
  if seek then
    now.page:seek(seek)
  end
end

return M
