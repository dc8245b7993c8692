-- A sidecar for the tests, run as `nvim -l sidecar.lua KIND FILE`: it asks one question, of a kind that the real one
-- does not come to here, and writes the answer into FILE. It knows no connector, and no more methods than that needs.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
vim.opt.runtimepath:prepend(vim.fs.dirname(here))
local protocol = require('pillion.protocol')
local requests = protocol.requests
local kind, file = _G.arg[1], _G.arg[2]

local bodies = {
  join = {
    program = '/usr/bin/claude',
    pid = 4242,
    parent = '/usr/bin/bash',
    claimedName = 'claude %#Error#\27[31m',
  },
  store = {
    file = vim.uv.os_homedir() .. '/.local/state/pillion/permissions.json',
    reason = 'nothing shows that Pillion wrote them',
    unsealed = { 'allow notes.write_note', 'allow\27[2K every tool' },
  },
}

local ask = {
  askId = 'q1',
  kind = kind,
  at = '2026-01-02T12:34:56Z',
  asker = { kind = 'agent', name = 'claude', program = '/usr/bin/claude', pid = 4242 },
  body = bodies[kind],
}

local function send(message)
  message.jsonrpc = '2.0'
  local text = vim.json.encode(message)
  io.stdout:write(('Content-Length: %d\r\n\r\n%s'):format(#text, text))
  io.stdout:flush()
end

local answered = false
local methods = {
  initialize = function()
    local declared = { protocol = protocol.protocol_version, version = 'tests', window = '1-tests' }
    return { capabilities = { experimental = { [protocol.capability_name] = declared } } }
  end,
  [requests.connectors] = function()
    return { rev = 0, connectors = {} }
  end,
  [requests.asks] = function()
    return { rev = answered and 1 or 0, asks = answered and {} or { ask } }
  end,
  [requests.mode_current] = function()
    return { mode = 'ask' }
  end,
  [requests.events] = function()
    return { epoch = 'tests', events = {} }
  end,
  [requests.imports] = function()
    return { found = {} }
  end,
  [requests.ask_answer] = function(params)
    answered = true
    local out = assert(io.open(file, 'w'))
    out:write(vim.json.encode(params))
    out:close()
    local closed = { { askId = 'q1', how = 'answered' } }
    send({ method = protocol.events.asks_changed, params = { rev = 1, opened = {}, closed = closed } })
    return { accepted = true }
  end,
  shutdown = function()
    return vim.NIL
  end,
}

for line in io.lines() do
  io.read('*l')
  local message = vim.json.decode(io.read(tonumber(line:match('%d+'))))
  local method = methods[message.method]
  if message.method == 'exit' then
    return
  elseif message.id and method then
    send({ id = message.id, result = method(message.params) })
  elseif message.id then
    send({ id = message.id, error = { code = -32601, message = 'no such method' } })
  end
end
