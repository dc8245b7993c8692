-- Through this the tests look into a running editor. It sets nothing that changes what a person would see,
-- and speaks to the language server by the calls that Neovim has for that.
local M = {}
_G.E2E = M

local newer = vim.fn.has('nvim-0.11') == 1

-- Runs a chunk that was sent in base64; what it returns goes back as JSON.
function M.run(chunk)
  local value = assert(loadstring(vim.base64.decode(chunk)))()
  return vim.json.encode({ value = value == nil and vim.NIL or value })
end

function M.client()
  return assert(vim.lsp.get_clients({ name = 'pillion' })[1], 'no language server')
end

-- Asks the server and waits for the answer. An empty table goes out as an object.
function M.request(method, params)
  local client = M.client()
  params = next(params) and params or vim.empty_dict()
  local answer, err
  if newer then
    answer, err = client:request_sync(method, params, 10000, 0)
  else
    answer, err = client.request_sync(method, params, 10000, 0)
  end
  assert(answer, err)
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

-- Sends a command of the server as an action of the user; the answer is kept in E2E.answer.
function M.execute(command, ...)
  local client = M.client()
  local call = { title = command, command = command, arguments = { ... } }
  local function keep(err, result)
    M.answer = { err = err, result = result }
  end
  M.answer = nil
  if newer then
    client:exec_cmd(call, { bufnr = 0 }, keep)
  else
    client.request('workspace/executeCommand', { command = command, arguments = call.arguments }, keep, 0)
  end
end

-- The text of every document that is open.
function M.documents()
  local texts = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= '' and vim.api.nvim_buf_is_loaded(buffer) then
      texts[name] = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    end
  end
  return next(texts) and texts or vim.empty_dict()
end

function M.diagnostics()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { message = d.message, severity = d.severity, line = d.lnum + 1 })
  end
  return found
end
