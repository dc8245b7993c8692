-- Resources of connectors as buffers that cannot be changed, made anew when they change if the user follows them.
-- What stands in one is the connector's: it is text, whatever it is, and its file type is only for colours.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local client = require('pillion.client')
local lines = require('pillion.lines.resource')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')
local view = require('pillion.view')
local words = require('pillion.words')

local requests = protocol.requests

local M = {}

---@class (exact) pillion.ui.Reading
---@field connector pillion.Connector
---@field uri string
---@field result? pillion.ResourceReadResult
---@field is_followed boolean
---@field changed? string when it last changed, in words
---@field page? pillion.Page

local function title(reading)
  local parts = { text.visible(reading.uri), 'of ' .. text.visible(reading.connector.name) }
  if reading.is_followed then
    parts[#parts + 1] = reading.changed and 'changed ' .. reading.changed or 'followed'
  end
  return table.concat(parts, '  ')
end

---@param reading pillion.ui.Reading
local function draw(reading)
  local page = reading.page
  if not page then
    return
  end
  page:render()
  local result = reading.result
  if result then
    vim.bo[page.buf].syntax = lines.syntax(result.contents)
    require('pillion.ui.picture').place(page, lines.attachments(result.contents))
  end
end

---@param reading pillion.ui.Reading
local function read(reading)
  local params = { connector = reading.connector.id, uri = reading.uri }
  ask.request(requests.resource_read, params, function(result)
    reading.result = result
    draw(reading)
  end)
end

---@param reading pillion.ui.Reading
local function follow(reading)
  local params = { connector = reading.connector.id, uri = reading.uri }
  if reading.is_followed then
    reading.is_followed = false
    client.request(requests.resource_unsubscribe, params)
    return draw(reading)
  end
  ask.request(requests.resource_subscribe, params, function(result)
    if result.status ~= 'ok' then
      local status = words.status(result.status)
      return ask.refuse('it cannot be followed: ' .. text.visible(result.message or status))
    end
    reading.is_followed = true
    draw(reading)
  end)
end

---@param reading pillion.ui.Reading
---@return pillion.Key[]
local function keys(reading)
  return {
    {
      '<CR>',
      'open a picture',
      function(item)
        if item and item.kind == 'attachment' then
          return require('pillion.ui.picture').open(item.attachment)
        end
      end,
    },
    {
      'R',
      'read it again',
      function()
        read(reading)
      end,
    },
    {
      'F',
      'follow it: read it again whenever it changes; again to leave off',
      function()
        follow(reading)
      end,
    },
    {
      'gy',
      'copy the text, as it was sent',
      function()
        local found = lines.text(reading.result and reading.result.contents or {})
        if not found then
          return ask.tell('there is no text')
        end
        vim.fn.setreg(vim.v.register, found)
        ask.tell('copied')
      end,
    },
  }
end

---Opens a resource.
---@param connector_id string
---@param uri string
function M.open(connector_id, uri)
  local connector = state.connector(connector_id)
  if not connector then
    return ask.refuse('there is no such connector any more')
  end
  local reading = { connector = connector, uri = uri, is_followed = false }
  local off
  reading.page = view.open({
    name = ('pillion://resource/%s/%s'):format(view.part(connector.name), view.part(uri)),
    kind = 'resource',
    title = function()
      return title(reading)
    end,
    keys = keys(reading),
    render = function()
      if not reading.result then
        return { { { 'reading …', 'PillionDetail' } } }
      end
      return lines.lines(reading.result)
    end,
    closed = function()
      off()
      reading.page = nil
      if reading.is_followed then
        client.request(requests.resource_unsubscribe, { connector = connector_id, uri = uri })
      end
    end,
  })
  off = state.on('resources', function(detail)
    if reading.is_followed and detail and detail.connector == connector_id and detail.uri == uri then
      reading.changed = os.date('%H:%M:%S') --[[@as string]]
      read(reading)
    end
  end)
  reading.page:show()
  read(reading)
end

---Opens the resource that a template stands for, once its variables have their values.
---@param template pillion.ResourceTemplate
function M.fill(template)
  local names = lines.variables(template.uriTemplate)
  local fields = vim.tbl_map(function(name)
    return { name = name, required = false }
  end, names)
  local params = { connector = template.connector, ref = { uriTemplate = template.uriTemplate } }
  require('pillion.ui.texts').ask(fields, params, function(values)
    M.open(template.connector, lines.expand(template.uriTemplate, values))
  end)
end

---@param thing table a resource or a template
---@return string
local function label(thing)
  local connector = state.connector(thing.connector)
  local name = connector and connector.name .. '  ' or ''
  local about = thing.uri or thing.uriTemplate
  local title_of_it = block.cut(thing.title or thing.name, 40)
  return ask.fit(('%s%s  %s'):format(text.visible(name), title_of_it, text.visible(about)))
end

---Lets the user choose a resource, and opens it.
---@param connector_id? string
function M.pick(connector_id)
  local function choose(result)
    local all = vim.list_extend(vim.list_extend({}, result.resources), result.templates)
    if #all == 0 then
      return ask.tell('there is no resource; connectors that have not run yet have told of none')
    end
    vim.ui.select(all, { prompt = 'Resource', format_item = label, kind = 'pillion_resource' }, function(thing)
      if not thing then
        return
      elseif thing.uriTemplate then
        return M.fill(thing)
      end
      M.open(thing.connector, thing.uri)
    end)
  end
  ask.request(requests.resources, { connector = connector_id }, ask.unless_gone(choose))
end

return M
