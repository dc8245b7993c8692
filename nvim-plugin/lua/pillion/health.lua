-- :checkhealth pillion (U32): the program and its protocol, what is read, what runs, who asks, and what else is here.
-- It changes nothing and starts no Pillion in this Neovim.
local client = require('pillion.client')
local options = require('pillion.options')
local protocol = require('pillion.protocol')
local state = require('pillion.state')
local text = require('pillion.text')

local M = {}

local health = vim.health

---Runs the program and reads what it prints as JSON.
---@param args string[]
---@param timeout integer
---@return table? value
---@return string? problem
local function run(args, timeout)
  local cmd = { options.current().cmd[1] }
  local ok, done = pcall(function()
    return vim.system(vim.list_extend(cmd, args), { text = true, timeout = timeout }):wait()
  end)
  if not ok then
    return nil, tostring(done)
  end
  local decoded, value = pcall(vim.json.decode, done.stdout or '')
  if not decoded or type(value) ~= 'table' then
    return nil, vim.trim(done.stderr ~= '' and done.stderr or 'code ' .. done.code)
  end
  return value
end

local function check_program()
  health.start('pillion: the program')
  local name = options.current().cmd[1]
  local path = vim.fn.exepath(name)
  if path == '' then
    health.error(("there is no program %s on this Neovim's PATH"):format(text.quoted(name)), {
      'Install pillion, or name it: vim.g.pillion = { cmd = { "/path/to/pillion", "--stdio" } }',
      'Then :Pillion restart',
    })
    return false
  end
  local version, problem = run({ 'version', '--json' }, 5000)
  if not version then
    health.error(('%s does not say its version: %s'):format(text.path(path), text.visible(problem or '')), {
      'Install the program and the plugin of the same version.',
    })
    return false
  end
  local spoken = tonumber(version.protocol)
  local words = ('%s, version %s, protocol %s'):format(text.path(path), text.visible(tostring(version.version)), spoken)
  if spoken ~= protocol.protocol_version then
    local mine = ('%s; this plugin speaks protocol %d'):format(words, protocol.protocol_version)
    health.error(mine, { 'Install the program and the plugin of the same version.' })
    return false
  end
  health.ok(words)
  return true
end

---Whether it runs here, and why not.
local function check_client()
  health.start('pillion: this Neovim')
  local status = client.status()
  if status.state == 'running' then
    local roots = vim.tbl_map(text.path, client.roots())
    local where = #roots > 0 and 'for ' .. table.concat(roots, ', ')
      or 'for your own connectors alone: no folder is open'
    health.ok(('runs as window %s, %s'):format(text.visible(status.window or '?'), where))
  elseif status.state == 'failed' then
    health.error('does not run: ' .. text.visible(status.reason or ''), status.steps)
  elseif client.has_quit() then
    health.info('was ended by :Pillion quit; :Pillion starts it')
  elseif status.state == 'off' then
    local buf = vim.fn.bufnr('#')
    local facts = require('pillion.start').facts(buf > 0 and buf or vim.api.nvim_get_current_buf())
    local starts, why = require('pillion.start').decide(facts)
    health.info(starts and 'is about to start: ' .. text.path(why) or 'was not started: ' .. text.visible(why))
  else
    health.info('is ' .. status.state .. (status.reason and ': ' .. text.visible(status.reason) or ''))
  end
  for _, problem in ipairs(options.problems()) do
    health.warn('vim.g.pillion: ' .. text.visible(problem), { ':help pillion-options' })
  end
  if #vim.lsp.get_clients({ name = 'pillion' }) > 1 then
    health.warn('more than one language client is named pillion', {
      'With the plugin the set-up for editors without one is not needed: take vim.lsp.enable("pillion") out.',
    })
  end
  for _, fault in ipairs(require('pillion.fault').all()) do
    health.error('a fault of the plugin: ' .. table.concat(text.lines(fault), '\n'))
  end
end

---What the doctor found, from the one that runs or else from the program.
---@return pillion.DoctorRow[]
local function rows()
  if not client.running() then
    local found = run({ 'doctor', '--json' }, 20000)
    return found and found.rows or {}
  end
  local found
  client.request(protocol.requests.doctor, nil, function(_, result)
    found = result and result.rows or {}
  end)
  vim.wait(20000, function()
    return found ~= nil
  end, 20)
  return found or {}
end

local titles = {
  files = 'files that are read',
  connectors = 'connectors',
  runtimes = 'runners, on the PATH of connectors',
  secrets = 'secrets',
  folders = "Pillion's own folders",
  logs = 'logs',
  windows = 'Pillion processes on this machine',
  system = 'the system',
}

---@param bytes integer
local function megabytes(bytes)
  return ('%.0f MB'):format(bytes / 1024 / 1024)
end

---@param row pillion.DoctorRow
local function row_words(row)
  local words = ('%s: %s'):format(text.path(row.subject), text.visible(row.text))
  local notes = {}
  if row.version and row.version ~= '' then
    notes[#notes + 1] = 'version ' .. text.visible(row.version)
  end
  if row.pid then
    notes[#notes + 1] = 'process ' .. row.pid
  end
  if row.bytes and row.section == 'windows' then
    notes[#notes + 1] = megabytes(row.bytes) .. ' of memory'
  end
  return #notes > 0 and ('%s (%s)'):format(words, table.concat(notes, ', ')) or words
end

---Whether this Neovim and the connectors find the same program.
---@param row pillion.DoctorRow
local function compare_path(row)
  local mine = vim.fn.exepath(row.subject)
  if mine == '' and row.path and row.path ~= '' then
    health.info(('%s is not on the PATH of this Neovim'):format(text.visible(row.subject)))
  elseif mine ~= '' and row.path and row.path ~= '' and mine ~= row.path then
    health.warn(('%s: this Neovim finds %s, connectors %s'):format(row.subject, text.path(mine), text.path(row.path)))
  end
end

local function check_doctor()
  local last
  for _, row in ipairs(rows()) do
    if row.section ~= last then
      last = row.section
      health.start('pillion: ' .. (titles[row.section] or text.visible(row.section)))
    end
    local steps = vim.tbl_map(text.visible, row.steps)
    if row.level == 'ok' then
      health.ok(row_words(row))
    elseif row.level == 'note' then
      health.warn(row_words(row), #steps > 0 and steps or nil)
    else
      health.error(row_words(row), #steps > 0 and steps or nil)
    end
    if row.section == 'runtimes' then
      compare_path(row)
    end
  end
  health.start('pillion: PATH')
  health.info('connectors are looked for on the PATH that this Neovim was started with: ' .. text.visible(vim.env.PATH))
end

local function check_questions()
  health.start('pillion: who asks')
  health.info(('this Neovim shows its questions; %s'):format(text.count(#state.asks(), 'question') .. ' open'))
  local way = require('pillion.ui.badge').way()
  health.info('shown by ' .. way .. (way:sub(1, 1) == ':' and ', or a mapping to <Plug>(pillion-questions)' or ''))
  if options.current().sampling then
    health.info('a model answers connectors, after a yes: the option sampling is set')
  else
    health.info('connectors are told that there is no model here: the option sampling is not set')
  end
  local source = debug.getinfo(vim.ui.select, 'S').source:gsub('^@', '')
  local is_own = source:find('vim/ui.lua', 1, true) ~= nil
  health.info('choices are shown by ' .. (is_own and "Neovim's own list" or text.path(source)))
end

-- What each of them does with MCP servers, as far as it touches what Pillion does.
local chat_plugins = {
  { 'codecompanion', 'codecompanion.nvim', 'can be given the tools of Pillion' },
  { 'avante', 'avante.nvim', 'can be given the tools of Pillion' },
  { 'CopilotChat', 'CopilotChat.nvim', 'can be given the tools of Pillion' },
  { 'mcphub', 'mcphub.nvim', 'runs servers of its own; :Pillion import takes them over' },
}

local function has_module(name)
  return package.loaded[name] ~= nil
    or #vim.api.nvim_get_runtime_file(('lua/%s/init.lua'):format(name), false) > 0
    or #vim.api.nvim_get_runtime_file(('lua/%s.lua'):format(name), false) > 0
end

local function check_others()
  health.start('pillion: what else is here')
  local found = 0
  for _, plugin in ipairs(chat_plugins) do
    if has_module(plugin[1]) then
      found = found + 1
      health.info(plugin[2] .. ': ' .. plugin[3])
    end
  end
  if found == 0 then
    health.info('chat plugins: none that is known')
  end
  if vim.env.SSH_CONNECTION then
    health.info('over SSH: connectors run on this machine; the address of a page that one wants opened is copied')
  else
    health.info('not over SSH')
  end
  local images = {}
  for _, plugin in ipairs({ { 'snacks.image', 'snacks.image' }, { 'image', 'image.nvim' } }) do
    if has_module(plugin[1]) then
      images[#images + 1] = plugin[2]
    end
  end
  local shown = #images > 0 and 'drawn by ' .. table.concat(images, ', ') or 'shown as a path, and opened on demand'
  health.info('pictures: ' .. shown)
end

---What Neovim calls for :checkhealth pillion.
function M.check()
  local has_program = check_program()
  check_client()
  if has_program then
    check_doctor()
  end
  check_questions()
  check_others()
end

return M
