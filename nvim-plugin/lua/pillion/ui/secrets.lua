-- The values that connectors are given and nobody else sees: whether each is stored, never what it is.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local list = require('pillion.ui.list')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

---@param result pillion.SecretsResult
---@return pillion.Line[]
local function lines(result)
  if #result.secrets == 0 then
    return { { ' ', { 'No connector refers to an input, and none is stored.', 'PillionDetail' } } }
  end
  local all = {}
  for _, secret in ipairs(result.secrets) do
    local row = {
      ' ',
      { text.visible(secret.id), 'PillionName' },
      secret.set and { '  stored', 'PillionReady' } or { '  not stored', 'PillionWaiting' },
      { '  for ' .. text.visible(secret.destination), 'PillionDetail' },
      { secret.root and '  in ' .. text.path(secret.root) or '', 'PillionDetail' },
    }
    local id = table.concat({ 'secret', secret.id, secret.source, secret.root or '', secret.destination }, ':')
    block.append(all, block.about({ row }, id, secret, secret.set and 'store another value' or 'store a value'))
  end
  return all
end

---@param secret pillion.Secret
---@param more table
---@return table
local function params(secret, more)
  return vim.tbl_extend('force', {
    id = secret.id,
    source = secret.source,
    root = secret.root,
    destination = secret.destination,
  }, more)
end

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'store a value',
    function(secret, page)
      if not secret then
        return
      end
      local value =
        ask.secret(('Value of %s for %s: '):format(text.visible(secret.id), text.visible(secret.destination)))
      if value then
        ask.request(protocol.requests.secret_set, params(secret, { value = value }), function()
          list.again(page)
          ask.tell('stored; a connector that runs has it once it is restarted')
        end)
      end
    end,
  },
  {
    'x',
    'forget the value',
    function(secret, page)
      if secret then
        ask.request(protocol.requests.secret_remove, params(secret, {}), function()
          list.again(page)
          ask.tell('forgotten')
        end)
      end
    end,
  },
}

---Opens the list.
function M.open()
  list.open({
    name = 'pillion://secrets',
    kind = 'secrets',
    title = 'Values of inputs',
    method = protocol.requests.secrets,
    lines = lines,
    keys = keys,
    follows = { 'connectors' },
  })
end

return M
