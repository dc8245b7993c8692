-- What a JSON Schema says of one value: references followed, "or null" taken apart, the values that it lists.
-- It reads no more of a schema than a form needs, and never validates.

local M = {}

---A member of an object, where it is one and has it.
---@param node pillion.Json?
---@param key string
---@return pillion.Json?
function M.member(node, key)
  return node and node.members and node.members[key]
end

---A member that is a string.
---@param node pillion.Json?
---@param key string
---@return string?
function M.string_of(node, key)
  local found = M.member(node, key)
  return found and found.kind == 'string' and found.value --[[@as string]] or nil
end

---What a reference inside the same schema names.
---@param root pillion.Json
---@param ref string
---@return pillion.Json?
local function lookup(root, ref)
  if ref == '#' then
    return root
  elseif ref:sub(1, 2) ~= '#/' then
    return nil
  end
  local node = root ---@type pillion.Json?
  for _, part in ipairs(vim.split(ref:sub(3), '/', { plain = true })) do
    part = vim.uri_decode(part):gsub('~1', '/'):gsub('~0', '~')
    node = node and (M.member(node, part) or (node.items and node.items[(tonumber(part) or -1) + 1]))
  end
  return node
end

---@param node pillion.Json
---@return boolean
local function is_null(node)
  return M.string_of(node, 'type') == 'null' or (M.member(node, 'const') ~= nil and node.members.const.kind == 'null')
end

---Follows references and takes "or null" apart.
---@param root pillion.Json
---@param node pillion.Json
---@return pillion.Json? schema nil where it leads nowhere
---@return boolean nullable
function M.resolve(root, node)
  local nullable = false
  for _ = 1, 20 do
    local ref = M.string_of(node, '$ref')
    local variants = M.member(node, 'anyOf') or M.member(node, 'oneOf')
    local all = M.member(node, 'allOf')
    if ref then
      local found = lookup(root, ref)
      if not found then
        return nil, nullable
      end
      node = found
    elseif all and all.items and #all.items == 1 and not M.member(node, 'properties') then
      node = all.items[1]
    elseif variants and variants.items and #variants.items == 2 then
      local a, b = variants.items[1], variants.items[2]
      if is_null(b) then
        node, nullable = a, true
      elseif is_null(a) then
        node, nullable = b, true
      else
        return node, nullable
      end
    else
      return node, nullable
    end
  end
  return nil, nullable -- it goes in a circle
end

---The values that a schema lists, with their names.
---@param node pillion.Json
---@return pillion.Choice[]?
function M.choices(node)
  local const, enum = M.member(node, 'const'), M.member(node, 'enum')
  if const then
    return { { text = const.text, label = const.kind == 'string' and const.value or const.text } }
  elseif enum and enum.items and #enum.items > 0 then
    local names = M.member(node, 'enumNames')
    local choices = {}
    for i, item in ipairs(enum.items) do
      local name = names and names.items and names.items[i]
      local label = name and name.kind == 'string' and name.value or item.kind == 'string' and item.value or item.text
      choices[i] = { text = item.text, label = label }
    end
    return choices
  end
  local variants = M.member(node, 'oneOf') or M.member(node, 'anyOf')
  if not variants or not variants.items or #variants.items == 0 then
    return nil
  end
  local choices = {}
  for i, variant in ipairs(variants.items) do
    local value = M.member(variant, 'const')
    if not value then
      return nil
    end
    choices[i] = {
      text = value.text,
      label = M.string_of(variant, 'title') or (value.kind == 'string' and value.value) or value.text,
    }
  end
  return choices
end

---The one type that a schema allows beside null.
---@param node pillion.Json
---@return string? type
---@return boolean nullable
function M.type(node)
  local type = M.member(node, 'type')
  if not type then
    return M.member(node, 'properties') and 'object' or M.member(node, 'items') and 'array' or nil, false
  elseif type.kind == 'string' then
    return type.value, --[[@as string]]
      false
  end
  local found, nullable
  for _, item in ipairs(type.items or {}) do
    if item.value == 'null' then
      nullable = true
    elseif found then
      return nil, false
    else
      found = item.value
    end
  end
  return found, --[[@as string?]]
    nullable or false
end

-- What changes the meaning of an object or a value and has no field here.
local beyond = { 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems' }

---Why a schema has no field: what of it is beyond one, in words.
---@param node pillion.Json
---@return string?
function M.beyond(node)
  for _, key in ipairs(beyond) do
    if M.member(node, key) then
      return 'its schema has ' .. key
    end
  end
end

return M
