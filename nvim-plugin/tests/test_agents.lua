-- The chat plugins that drive a model. None of them can be had where the tests run: each is what its documents say.
local MiniTest = require('mini.test')
local h = require('helpers')
local steps = require('steps')
local T, machine, neovim = h.set()

local function person()
  return (steps.person(machine(), neovim))
end

-- What codecompanion.nvim 19 calls a tool with, and how it asks for its answer.
local codecompanion = [[
  package.loaded['codecompanion.config'] = { interactions = { chat = { tools = { groups = {} } } } }
  require('codecompanion._extensions.pillion').setup({})
  local tools = package.loaded['codecompanion.config'].interactions.chat.tools
  local function cc_call(name, written)
    local tool = tools[name].callback()
    local told = {}
    _G.cc_last = told
    local chat = { id = 7, cycle = 3, add_tool_output = function(_, of, for_model, for_user)
      told.of, told.for_model, told.for_user = of.name, for_model, for_user
    end }
    local self = { chat = chat, tool = { function_call = { ['function'] = { arguments = written } } } }
    tool.cmds[1](self, vim.json.decode(written), {
      output_cb = function(message)
        told.status = message.status
        tool.output[message.status](tool, { message.data }, { tools = self })
      end,
      register_job = function(job) told.job = job end,
    })
  end
  _G.cc_tools, _G.cc_call = tools, cc_call
]]

---Has the model call a tool, and waits for what it is told.
local function call(n, name, written)
  n.lua('_G.cc_call(...)', { name, written })
  n.wait_for('an answer to ' .. name, '_G.cc_last.status ~= nil')
  return n.lua_get('{ _G.cc_last.status, _G.cc_last.for_model }')
end

T['I7 codecompanion has three tools, whatever the number of the connectors'] = function()
  local n = person()
  n.lua(codecompanion)
  h.equal(n.lua_get('_G.cc_tools.groups.pillion.tools'), { 'pillion_search', 'pillion_describe', 'pillion_call' })
  h.equal(n.lua_get('_G.cc_tools.pillion_call.opts.require_approval_before'), false)
  local found = call(n, 'pillion_search', '{"query":"read"}')
  h.equal({ found[1], found[2]:find('- notes__read_note: ', 1, true) ~= nil }, { 'success', true })
  local described = call(n, 'pillion_describe', '{"tool":"notes__read_note"}')
  h.equal({ described[1], described[2]:find('"required":["name"]', 1, true) ~= nil }, { 'success', true })
  local read = call(n, 'pillion_call', '{"tool":"notes__read_note","arguments":{"name":"welcome"}}')
  h.equal(read[1], 'success')
  local picture = call(n, 'pillion_call', '{"tool":"notes__chart","arguments":{"values":[1,2]}}')
  h.equal({ picture[1], picture[2]:find('[image: image/png', 1, true) ~= nil }, { 'success', true })
end

---An agent of a terminal on a machine; nil where it is not installed.
---@param which 'sdk'|'gemini'
local function agent_of(m, which)
  local agent = { said = '' }
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  local program = vim.fs.normalize(here .. '/../../editors/e2e/agents/terminal.mjs')
  local job = vim.fn.jobstart({ 'node', program, which, vim.env.PILLION_DEV_CACHE }, {
    cwd = m.repository,
    clear_env = true,
    env = m.environment,
    on_stdout = function(_, data)
      agent.said = agent.said .. table.concat(data, '\n')
    end,
    on_stderr = function(_, data)
      agent.said = agent.said .. table.concat(data, '\n')
    end,
    on_exit = function()
      agent.is_over = true
    end,
  })

  function agent.says(part)
    h.wait('the agent to say ' .. part, function()
      return agent.said:find(part, 1, true)
    end, function()
      return agent.said
    end)
  end

  function agent.write(text)
    agent.said = ''
    vim.fn.chansend(job, text .. '\n')
  end

  function agent.leave()
    vim.fn.chanclose(job, 'stdin')
    agent.says('ended')
    h.wait('the agent to end', function()
      return agent.is_over
    end)
  end

  h.wait('the agent to start', function()
    return agent.said ~= '' or agent.is_over
  end)
  return not agent.said:find('not installed', 1, true) and agent or nil
end

---@param which 'sdk'|'gemini'
---@param name string what it calls itself
local function agent_outlives_the_editor(which, name)
  local n, m = steps.person(machine(), neovim, { lines = 40, columns = 100 })
  local agent = agent_of(m, which)
  if not agent then
    return MiniTest.skip('Skip: THE AGENT IS NOT INSTALLED (beds/install.sh agents installs it)')
  end
  agent.says('connected')
  agent.write('before')
  n.asked('join')
  n.open_question()
  n.wait_for_screen(name)
  n.type_keys('a')
  n.asked('approval')
  n.open_question()
  n.wait_for_screen(name)
  n.type_keys('o')
  agent.says('Wrote note')
  n.quit()
  -- A call waits for a while for a window, and is declined where none comes. The program stays let in for the next one.
  agent.write('after')
  n = neovim(m, { lines = 40, columns = 100 })
  n.cmd('Pillion')
  n.wait_for_screen('6 tools')
  h.wait('the call to be asked about', function()
    if agent.said:find('"isError":true', 1, true) then
      agent.write('after')
    end
    return #n.lua_get([[require('pillion').questions()]]) > 0
  end, n.screen)
  n.open_question()
  n.wait_for_screen('after')
  n.type_keys('o')
  agent.says('Wrote note')
  agent.leave()
end

T['L2 an agent of a terminal is answered before and after the editor is started anew'] = function()
  agent_outlives_the_editor('sdk', 'terminal agent')
end

T['L2 Gemini CLI is answered before and after the editor is started anew'] = function()
  agent_outlives_the_editor('gemini', 'gemini-cli-mcp-client')
end

T['I7 what a model gets wrong it is told'] = function()
  local n = person()
  n.lua(codecompanion)
  for written, part in pairs({
    ['{"tool":"notes__gone"}'] = 'there is no tool "notes__gone"',
    ['{"tool":"notes__read_note"}'] = 'name',
    ['{"arguments":{}}'] = 'tool of pillion_call is missing',
    ['{"tool":"notes__read_note","arguments":[1]}'] = 'arguments are an object',
  }) do
    local told = call(n, 'pillion_call', written)
    h.equal({ written, told[1], told[2]:find(part, 1, true) ~= nil or told[2] }, { written, 'error', true })
  end
end

T['I7 Pillion asks for what a model calls, with its digits'] = function()
  local n = person()
  n.lua(codecompanion)
  n.lua(
    '_G.cc_call(...)',
    { 'pillion_call', '{"tool":"notes__write_note","arguments":{"name":"n","text":"9007199254740993"}}' }
  )
  n.wait_for('a question', [[#require('pillion').questions() == 1]])
  n.cmd('Pillion questions')
  steps.page(n, 'question', '9007199254740993')
  n.alive()
  n.type_keys('o')
  n.wait_for('an answer', '_G.cc_last.status ~= nil')
  h.equal(n.lua_get('_G.cc_last.status'), 'success')
  -- The same call in the same turn is not made again.
  local again =
    call(n, 'pillion_call', '{"tool":"notes__write_note","arguments":{"text":"9007199254740993","name":"n"}}')
  h.equal({ again[1], again[2]:find('nothing ran again', 1, true) ~= nil or again[2] }, { 'success', true })
end

T['I7 a chat that is stopped stops its call'] = function()
  local n = person()
  n.lua(codecompanion)
  n.lua('_G.cc_call(...)', { 'pillion_call', '{"tool":"notes__slow_count","arguments":{"to":900,"delayMs":50}}' })
  n.wait_for('the call runs', [[#require('pillion.state').calls() == 1]])
  n.lua('_G.cc_last.job:kill("sigterm")')
  n.wait_for('nothing runs', [[#require('pillion.state').calls() == 0]])
end

T['I7 avante has the same three tools'] = function()
  local n = person()
  local tools =
    n.lua_get([[vim.tbl_map(function(t) return { t.name, t.param.fields } end, require('pillion.avante').tools())]])
  h.equal({ tools[1][1], tools[2][1], tools[3][1] }, { 'pillion_search', 'pillion_describe', 'pillion_call' })
  h.equal(
    vim.tbl_map(function(f)
      return { f.name, f.type, f.optional }
    end, tools[3][2]),
    { { 'arguments', 'object', true }, { 'tool', 'string', false } }
  )
  n.lua([[
    for _, tool in ipairs(require('pillion.avante').tools()) do
      if tool.name == 'pillion_call' then
        _G.returned = { tool.func({ tool = 'notes__list_notes', arguments = vim.empty_dict() }, {
          on_log = function() end, on_complete = function(result, err) _G.av = { result = result, err = err } end,
        }) }
      end
    end
  ]])
  n.wait_for('an answer', '_G.av ~= nil')
  h.equal(
    n.lua_get('{ #_G.returned, _G.av.err or false, _G.av.result:find("ideas", 1, true) ~= nil }'),
    { 0, false, true }
  )
end

return T
