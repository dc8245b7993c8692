-- Neovim's own language client, as every version that the plugin supports spells it: 0.11 made its functions methods.
-- Knows nothing of Pillion.
local M = {}

local has_methods = vim.fn.has('nvim-0.11') == 1

---Calls a function of a client by its name.
---@param client vim.lsp.Client
---@param name string
local function call(client, name, ...)
  if has_methods then
    return client[name](client, ...)
  end
  return client[name](...)
end

---Starts a client of its own, attached to no buffer.
---@param config vim.lsp.ClientConfig
---@return vim.lsp.Client?
---@return string? problem
function M.start(config)
  local ok, id
  if has_methods then
    local function never()
      return false
    end
    ok, id = pcall(vim.lsp.start, config, { attach = false, silent = true, reuse_client = never })
  else
    ok, id = pcall(vim.lsp.start_client, config)
  end
  local client = ok and id and vim.lsp.get_client_by_id(id) or nil
  return client, not client and tostring(id) or nil
end

---Asks a client to end its server; does not wait for it.
---@param client vim.lsp.Client
function M.stop(client)
  call(client, 'stop')
end

---Sends a request.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param answered fun(err: lsp.ResponseError?, result: any)
---@return integer? id nil: it was not sent
function M.request(client, method, params, answered)
  local ok, id = call(client, 'request', method, params, answered)
  return ok and id or nil
end

---Asks that a request be given up; it is answered all the same.
---@param client vim.lsp.Client
---@param id integer of a request
function M.cancel(client, id)
  call(client, 'cancel_request', id)
end

---Tells the server something.
---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  call(client, 'notify', method, params)
end

return M
