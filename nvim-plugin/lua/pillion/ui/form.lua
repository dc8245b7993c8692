-- The page in which the arguments of a tool are filled in. Nothing is sent but by the key or line that says so.

local ask = require('pillion.ui.ask')
local faults_of = require('pillion.faults').of
local form = require('pillion.form')
local json = require('pillion.json')
local lines = require('pillion.lines.form')
local text = require('pillion.text')
local view = require('pillion.view')

local M = {}

---@class (exact) pillion.ui.Filling
---@field tool pillion.Tool
---@field made pillion.Form
---@field faults pillion.Fault[] those that are shown
---@field is_checked boolean whether the user tried to send it: from then on faults are shown as he types
---@field page? pillion.Page

---@param filling pillion.ui.Filling
local function draw(filling)
  if filling.is_checked then
    filling.faults = faults_of(filling.made)
  end
  if filling.page then
    filling.page:render()
  end
end

---Takes what was typed for a field, or says what is wrong with it.
---@param filling pillion.ui.Filling
---@param field pillion.Field
---@param typed string
---@return string? problem
local function take(filling, field, typed)
  local problem = form.type(field, typed)
  if not problem then
    draw(filling)
  end
  return problem
end

---@param filling pillion.ui.Filling
---@param field pillion.Field
local function edit(filling, field)
  local is_text = field.type == 'string'
  require('pillion.ui.edit').open({
    title = text.visible(filling.tool.label .. ' ' .. (field.path == '' and 'arguments' or field.path)),
    lines = lines.editable(field, field.value),
    syntax = is_text and 'text' or 'json',
    accept = function(typed)
      return take(filling, field, typed)
    end,
  })
end

---@param field pillion.Field
---@return string
local function typed_of(field)
  if not field.value then
    return ''
  end
  return field.type == 'string' and vim.json.decode(field.value) or field.value
end

---@param filling pillion.ui.Filling
---@param field pillion.Field
local function ask_value(filling, field)
  local current = typed_of(field)
  if current:find('\n', 1, true) then
    return edit(filling, field)
  end
  local prompt = ('%s (%s): '):format(text.visible(field.name), form.kind(field))
  vim.ui.input({ prompt = prompt, default = current }, function(typed)
    local problem = typed and take(filling, field, typed)
    if problem then
      ask.refuse(('%s: %s'):format(text.visible(field.path), problem))
    end
  end)
end

---@param filling pillion.ui.Filling
---@param field pillion.Field
local function choose(filling, field)
  local choices = vim.list_extend({}, field.choices)
  if field.nullable then
    choices[#choices + 1] = { text = 'null', label = 'null' }
  end
  vim.ui.select(choices, {
    prompt = text.visible(field.name),
    kind = 'pillion_choice',
    format_item = function(choice)
      return text.visible(choice.label)
    end,
  }, function(choice)
    if choice then
      field.value = choice.text
      draw(filling)
    end
  end)
end

---Does what fits a field: switches it, lets choose, asks, or opens a buffer.
---@param filling pillion.ui.Filling
---@param field pillion.Field
local function fill(filling, field)
  if field.type == 'boolean' then
    field.value = field.value == 'true' and 'false' or 'true'
    draw(filling)
  elseif field.type == 'choice' then
    choose(filling, field)
  elseif field.type == 'array' then
    local item = form.add(filling.made, field)
    draw(filling)
    filling.page:seek('field:' .. item.path)
    if item.type ~= 'object' and item.type ~= 'array' then
      fill(filling, item)
    end
  elseif field.type == 'json' then
    edit(filling, field)
  elseif field.type == 'object' then
    ask.tell('its fields are below')
  else
    ask_value(filling, field)
  end
end

---@param filling pillion.ui.Filling
local function as_json(filling)
  require('pillion.ui.edit').open({
    title = text.visible(filling.tool.label) .. ' arguments',
    lines = json.layout(form.text(filling.made)),
    syntax = 'json',
    accept = function(typed)
      local node, problem = json.read(typed)
      if not node then
        return problem
      elseif node.kind ~= 'object' then
        return 'an object belongs here'
      end
      filling.made = form.filled(filling.tool.inputSchemaText, typed)
      draw(filling)
    end,
  })
end

---@param filling pillion.ui.Filling
local function send(filling)
  filling.is_checked = true
  draw(filling)
  local fault = filling.faults[1]
  if fault then
    filling.page:seek('field:' .. fault.path)
    return ask.refuse(('%s: %s; nothing was sent'):format(text.visible(fault.path), text.visible(fault.message)))
  end
  require('pillion.ui.call').make(filling.tool, form.text(filling.made))
end

---Goes to the next field, from the last one to the line that sends.
---@param page pillion.Page
local function next_field(page)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local at = page.lines[row] and page.lines[row].id
  for i = row + 1, #page.lines do
    local id = page.lines[i].id
    if id and id ~= at and (vim.startswith(id, 'field:') or id == 'send') then
      return page:seek(id)
    end
  end
end

---@param filling pillion.ui.Filling
---@return pillion.Key[]
local function keys(filling)
  local function on_field(act)
    return function(item)
      if item and item.kind == 'field' then
        act(filling, item.field)
      end
    end
  end
  return {
    {
      '<CR>',
      'fill in the field, or do what the line says behind it',
      function(item)
        if item and item.kind == 'field' then
          fill(filling, item.field)
        elseif item and item.kind == 'send' then
          send(filling)
        elseif item and item.kind == 'sent' then
          as_json(filling)
        end
      end,
    },
    { 'e', 'write the value in a buffer, over several lines', on_field(edit) },
    {
      'x',
      'leave the field out, or take the item out of its list',
      on_field(function(_, field)
        form.clear(filling.made, field)
        draw(filling)
      end),
    },
    {
      'J',
      'write all arguments as JSON',
      function()
        as_json(filling)
      end,
    },
    {
      '<Tab>',
      'the next field',
      function(_, page)
        next_field(page)
      end,
    },
    {
      'gr',
      'run it',
      function()
        send(filling)
      end,
    },
    {
      'K',
      'everything about the tool',
      function()
        require('pillion.ui.tool').open(filling.tool)
      end,
    },
  }
end

---Opens the form of a tool.
---@param tool pillion.Tool with its schema
---@param argumentsText? string to begin with
---@param faults? pillion.Fault[] what is wrong with them
function M.open(tool, argumentsText, faults)
  local made = argumentsText and form.filled(tool.inputSchemaText, argumentsText) or form.new(tool.inputSchemaText)
  local filling = { tool = tool, made = made, faults = faults or {}, is_checked = false }
  filling.page = view.open({
    name = 'pillion://call/' .. view.part(tool.servedName),
    kind = 'form',
    title = 'Run ' .. text.visible(tool.label),
    keys = keys(filling),
    render = function()
      return lines.lines(filling.made, tool, filling.faults)
    end,
  })
  filling.page:show()
  local first = form.rows(made)[1]
  filling.page:seek(first and 'field:' .. (faults and faults[1] and faults[1].path or first.path) or 'send')
end

return M
