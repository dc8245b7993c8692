-- What is wrong with the arguments of a tool before they are sent, each with its path.
-- It says what is missing and what is plainly outside of the schema; what it does not understand it passes.

local form_of = require('pillion.form')

local M = {}

---@param field pillion.Field
---@param key string
---@return number?
local function limit(field, key)
  local found = field.schema.members and field.schema.members[key]
  return found and found.kind == 'number' and tonumber(found.text) or nil
end

---@param field pillion.Field
---@return string?
local function number_fault(field)
  local n = tonumber(field.value)
  local least, most = limit(field, 'minimum'), limit(field, 'maximum')
  local above, below = limit(field, 'exclusiveMinimum'), limit(field, 'exclusiveMaximum')
  if least and n < least then
    return ('it is below %s'):format(field.schema.members.minimum.text)
  elseif most and n > most then
    return ('it is above %s'):format(field.schema.members.maximum.text)
  elseif above and n <= above then
    return ('it is not above %s'):format(field.schema.members.exclusiveMinimum.text)
  elseif below and n >= below then
    return ('it is not below %s'):format(field.schema.members.exclusiveMaximum.text)
  end
end

---@param field pillion.Field
---@return string?
local function string_fault(field)
  local length = vim.fn.strchars(vim.json.decode(field.value))
  local least, most = limit(field, 'minLength'), limit(field, 'maxLength')
  if least and length < least then
    return ('it has %d characters and needs %d'):format(length, least)
  elseif most and length > most then
    return ('it has %d characters and may have %d'):format(length, most)
  end
end

---@param field pillion.Field
---@return string?
local function array_fault(field)
  local least, most = limit(field, 'minItems'), limit(field, 'maxItems')
  if least and #field.items < least and (field.required or #field.items > 0) then
    return ('it has %d items and needs %d'):format(#field.items, least)
  elseif most and #field.items > most then
    return ('it has %d items and may have %d'):format(#field.items, most)
  end
end

---Arguments that are written as JSON, though their schema has fields.
---@param form pillion.Form
---@return pillion.Fault[]
local function of_json(form)
  local filled, misfit = form_of.filled(form.schemaText, form.root.value)
  if misfit then
    return misfit.is_free and {} or { misfit }
  end
  return filled.root.type == 'json' and {} or M.of(filled)
end

---What is wrong before anything is sent: what is missing, and what is plainly outside of the schema.
---@param form pillion.Form
---@return pillion.Fault[]
function M.of(form)
  if form.root.type == 'json' then
    return of_json(form)
  end
  local faults = {}
  local function say(field, message)
    if message then
      faults[#faults + 1] = { path = field.path, message = message }
    end
  end
  local function check(field)
    local value = field.value
    if field.type == 'object' then
      -- An optional object of which nothing is filled in is left out, and so needs nothing.
      if field.path == '' or form_of.is_sent(field) then
        vim.tbl_map(check, field.fields)
      end
    elseif field.type == 'array' then
      say(field, array_fault(field))
      vim.tbl_map(check, field.items)
    elseif not value then
      say(field, field.required and 'it is required' or nil)
    elseif value == 'null' then
      return
    elseif field.type == 'string' then
      say(field, string_fault(field))
    elseif field.type == 'integer' or field.type == 'number' then
      say(field, number_fault(field))
    end
  end
  check(form.root)
  return faults
end

return M
