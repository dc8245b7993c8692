-- The plugin reaches everything that the protocol offers an editor.
local h = require('helpers')
local MiniTest = require('mini.test')
local protocol = require('pillion.protocol')

local T = MiniTest.new_set()

-- What no part of the plugin asks, and why.
local unused = {
  agent_prompt = 'for chat plugins that name every tool in their prompt; those that the plugin knows search',
  agent_actions = 'the same',
  agent_hint = 'for chat plugins, which read what the user writes',
  stats = 'figures of many sessions, which the command line prints',
  log = 'the record of all sessions, which the command line prints; a connector has its own log here',
  activity = 'the record of all sessions; what happened in this one the events told',
  attach = 'for terminals and agents, which join by the socket',
  attach_challenge = 'for terminals and agents, which join by the socket',
  calls = 'the events tell of every call',
  catalog = 'a text for prompts, which the command line prints and agents ask for',
  joins = 'which programs may join is listed and taken back on the command line: pillion joins',
  join_forget = 'the same',
  session_join = 'no call of the editor names the session of somebody else',
  task_get = 'the result of a task is waited for',
  task_cancel = 'a call is cancelled as one, also when it goes on as a task',
  trust_changed = 'Neovim has no trust of folders; the setting trusted takes it away',
}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))

---All Lua of the plugin but what is generated.
local function source()
  local parts = {}
  for _, path in ipairs(vim.fn.globpath(vim.fs.dirname(here) .. '/lua', '**/*.lua', true, true)) do
    if not vim.endswith(path, 'protocol.lua') then
      parts[#parts + 1] = h.read(path)
    end
  end
  return table.concat(parts, '\n')
end

T['every method has its place, or a reason why not'] = function()
  local text = source()
  for _, methods in ipairs({ protocol.requests, protocol.notifications, protocol.events }) do
    for name, method in pairs(methods) do
      local is_used = text:find('requests%.' .. name .. '%f[^%w_]') ~= nil
        or text:find('notifications%.' .. name .. '%f[^%w_]') ~= nil
        or text:find("'" .. method .. "'", 1, true) ~= nil
        or methods == protocol.events
      h.equal({ name, is_used }, { name, unused[name] == nil })
    end
  end
end

T['every event is listened to'] = function()
  local text = source()
  for name in pairs(protocol.events) do
    h.equal({ name, text:find('events%.' .. name .. '%f[^%w_]') ~= nil }, { name, true })
  end
end

return T
