-- A connector for the tests, run as `nvim -l board.lua`: an MCP server with a resource that changes, templates,
-- prompts, and what may be typed for them.
local text = '# Board\n\nnothing yet\n'

local function send(message)
  message.jsonrpc = '2.0'
  io.stdout:write(vim.json.encode(message), '\n')
  io.stdout:flush()
end

local names = { 'alpha', 'beta', 'betamax' }

local methods = {
  initialize = function(params)
    return {
      protocolVersion = params.protocolVersion,
      serverInfo = { name = 'board', version = '1' },
      capabilities = {
        tools = vim.empty_dict(),
        resources = { subscribe = true },
        prompts = vim.empty_dict(),
        completions = vim.empty_dict(),
      },
    }
  end,
  ['tools/list'] = function()
    local schema = { type = 'object', properties = { text = { type = 'string' } } }
    return { tools = { { name = 'write', description = 'Writes on the board.', inputSchema = schema } } }
  end,
  ['tools/call'] = function(params)
    text = '# Board\n\n' .. params.arguments.text .. '\n'
    send({ method = 'notifications/resources/updated', params = { uri = 'board:///now.md' } })
    return { content = { { type = 'text', text = 'written' } } }
  end,
  ['resources/list'] = function()
    return { resources = { { uri = 'board:///now.md', name = 'now.md', mimeType = 'text/markdown' } } }
  end,
  ['resources/templates/list'] = function()
    return { resourceTemplates = { { uriTemplate = 'board:///of/{who}', name = 'of somebody' } } }
  end,
  ['resources/read'] = function(params)
    local body = params.uri == 'board:///now.md' and text or 'the board at ' .. params.uri
    return { contents = { { uri = params.uri, mimeType = 'text/markdown', text = body } } }
  end,
  ['resources/subscribe'] = function()
    return vim.empty_dict()
  end,
  ['resources/unsubscribe'] = function()
    return vim.empty_dict()
  end,
  ['prompts/list'] = function()
    local arguments = { { name = 'who', required = true }, { name = 'tone' } }
    return { prompts = { { name = 'greet', description = 'Greets somebody.', arguments = arguments } } }
  end,
  ['prompts/get'] = function(params)
    local asked = ('Greet %s.'):format(params.arguments.who)
    return {
      messages = {
        { role = 'user', content = { type = 'text', text = asked } },
        { role = 'assistant', content = { type = 'text', text = 'Hello.' } },
      },
    }
  end,
  ['completion/complete'] = function(params)
    local values = vim.tbl_filter(function(name)
      return vim.startswith(name, params.argument.value)
    end, names)
    return { completion = { values = values } }
  end,
}

for line in io.lines() do
  local message = vim.json.decode(line)
  local method = methods[message.method]
  if method then
    send({ id = message.id, result = method(message.params) })
  elseif message.id then
    send({ id = message.id, error = { code = -32601, message = 'no such method' } })
  end
end
