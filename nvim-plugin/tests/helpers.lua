-- A person at a real Neovim in a terminal of its own, with a home of her own and the real program: what the tests use.
-- Holds no expectation of the plugin itself.
local MiniTest = require('mini.test')
local person = require('person')

-- What is of the person's machine is offered here too.
local M = setmetatable({}, { __index = person })

---How long anything outside of the test may take; a healthy run never comes near it.
M.patience = tonumber(vim.env.PILLION_PATIENCE) or 30000

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local plugin = vim.fs.dirname(here)

---Waits until something holds, and fails with what was wanted where it does not.
---@param what string
---@param holds fun(): any
---@param show? fun(): string what there was instead
function M.wait(what, holds, show)
  local result
  local ok = vim.wait(M.patience, function()
    result = holds()
    return result ~= vim.NIL and result and true or false
  end, 20)
  if not ok then
    error('waited for ' .. what .. (show and '\nand there was:\n' .. show() or ''), 2)
  end
  return result
end

---What a terminal answers to the questions that Neovim asks of it at its start: a dark one, and no more than that.
function M.answer_terminal(job, written)
  if written:find('\27]11;?', 1, true) then
    pcall(vim.fn.chansend, job, '\27]11;rgb:0000/0000/0000\27\\')
  end
  if written:find('\27[5n', 1, true) then
    pcall(vim.fn.chansend, job, '\27[0n')
  end
  if written:find('\27[c', 1, true) then
    pcall(vim.fn.chansend, job, '\27[?62c')
  end
end

---Lua by which a Neovim ends when the process that runs the tests has ended, in whatever way and whatever it waits for.
local function watch(pid)
  return ([[lua vim.uv.new_timer():start(500, 500, function()
    if not vim.uv.kill(%d, 0) then vim.uv.kill(vim.uv.os_getpid(), 'sigkill') end
  end)]]):format(pid):gsub('%s*\n%s*', ' ')
end

---@class (exact) pillion.TestNeovim
---@field args? string[]
---@field before? string an Ex command before the plugin is loaded
---@field lines? integer
---@field columns? integer
---@field cwd? string
---@field clean? boolean whether her own configuration and packages are left out; they are
---@field plugin? boolean whether the plugin is there; it is
---@field ui? boolean whether somebody looks at it; somebody does
---@field environment? table<string, string>

---Neovim on a terminal: a child of mini.test, but attached to a terminal, because a person looks at it.
---@param machine table
---@param opts? pillion.TestNeovim
function M.neovim(machine, opts)
  opts = opts or {}
  local child = MiniTest.new_child_neovim()
  local address = machine.root .. '/run/nvim' .. tostring(vim.uv.hrtime())
  local args = { vim.env.PILLION_NVIM, '-n', '--listen', address }
  if opts.clean ~= false then
    table.insert(args, '--clean')
  end
  local function before(line)
    vim.list_extend(args, { '--cmd', line })
  end
  before((watch(vim.uv.os_getpid())))
  before('set shortmess+=I termguicolors background=dark laststatus=2')
  before('lua vim.diagnostic.config({ virtual_text = false, signs = false, underline = false })')
  if opts.plugin ~= false then
    before('set runtimepath^=' .. plugin)
    -- The same on every version, and the plugin's own words on every screen.
    before('let &statusline = "%<%f%=%{%v:lua.require\'pillion\'.statusline()%} "')
  end
  if opts.before then
    before(opts.before)
  end
  local has_screen = opts.ui ~= false
  vim.list_extend(args, has_screen and {} or { '--headless' })
  vim.list_extend(args, opts.args or {})
  local job = vim.fn.jobstart(args, {
    pty = has_screen,
    width = has_screen and (opts.columns or 80) or nil,
    height = has_screen and (opts.lines or 24) or nil,
    cwd = opts.cwd or machine.repository,
    clear_env = true,
    env = vim.tbl_extend('force', machine.environment, opts.environment or {}),
    on_stdout = function(id, data)
      M.answer_terminal(id, table.concat(data, '\n'))
    end,
    on_exit = function(_, code)
      child.exit_code = code
    end,
  })
  local connected, channel
  M.wait('Neovim to start', function()
    if child.exit_code then
      error('Neovim ended with code ' .. child.exit_code)
    end
    connected, channel = pcall(vim.fn.sockconnect, 'pipe', address, { rpc = true })
    return connected
  end)
  child.job = { address = address, id = job, channel = channel }
  M.wait('Neovim to have a screen', function()
    -- While it starts it may wait for its terminal, and answers nothing else.
    return not child.api.nvim_get_mode().blocking
      and child.api.nvim_get_vvar('vim_did_enter') == 1
      and (not has_screen or #child.api.nvim_list_uis() > 0)
  end)

  child.pid = child.api.nvim_call_function('getpid', {})

  ---The screen as lines of text.
  function child.screen()
    if child.is_blocked() then
      return 'Neovim waits for a key, in the mode ' .. child.api.nvim_get_mode().mode
    end
    local lines = {}
    for _, line in ipairs(child.get_screenshot().text) do
      lines[#lines + 1] = (table.concat(line):gsub('%s+$', ''))
    end
    return table.concat(lines, '\n')
  end

  ---Waits until the screen shows a text.
  function child.wait_for_screen(part)
    return M.wait('the screen to show ' .. part, function()
      local screen = child.screen()
      return screen:find(part, 1, true) and screen
    end, child.screen)
  end

  ---Waits until an expression of Lua is true in it, and returns its value.
  function child.wait_for(what, expression, ...)
    local args_ = { ... }
    return M.wait(what, function()
      return not child.is_blocked() and child.api.nvim_exec_lua('return ' .. expression, args_)
    end, child.screen)
  end

  ---Waits until what Neovim had put off by now is done: its own work of the main loop, and what that puts off in turn.
  function child.settle()
    child.lua([[
      _G.settled = false
      local left = 4
      local function turn()
        left = left - 1
        if left == 0 then
          _G.settled = true
        else
          vim.schedule(turn)
        end
      end
      turn()]])
    child.wait_for('what was put off', '_G.settled')
  end

  ---Waits until every request that the plugin has sent is answered. It counts from its first call on.
  function child.answered()
    child.lua([[
      local client = require('pillion.client')
      if not _G.under_way then
        _G.under_way = 0
        local request = client.request
        client.request = function(method, params, done)
          _G.under_way = _G.under_way + 1
          return request(method, params, function(...)
            _G.under_way = _G.under_way - 1
            return done and done(...)
          end)
        end
      end]])
    child.wait_for('every answer', '_G.under_way == 0')
    child.settle()
  end

  ---Types keys that nothing waits for, and waits until Neovim has taken them all.
  function child.type_through(keys)
    child.lua([[
      _G.taken = 0
      vim.on_key(function() _G.taken = _G.taken + 1 end, vim.api.nvim_create_namespace('tests'))]])
    for _, key in ipairs(keys) do
      child.api.nvim_input(key)
    end
    child.wait_for('the keys to be taken', '_G.taken >= ...', #keys)
    child.lua([[vim.on_key(nil, vim.api.nvim_create_namespace('tests'))]])
  end

  ---Waits until the keys of the question that is shown mean something.
  function child.alive()
    child.wait_for('a question to take an answer', [[vim.wo.winbar:find('PillionKey#', 1, true) ~= nil]])
  end

  ---Opens what is asked, as the person does, and waits until it takes an answer.
  function child.open_question()
    child.cmd('Pillion questions')
    child.wait_for('a question', [[vim.bo.filetype == 'pillion-question']])
    child.alive()
  end

  ---Allows the connector that waits, as the person does.
  function child.allow(name)
    child.connector(name, 'waiting')
    child.cmd('Pillion review ' .. name)
    child.wait_for('a question', [[vim.bo.filetype == 'pillion-question']])
    child.alive()
    child.type_keys('a')
    return child.connector(name, 'ready')
  end

  ---Waits for a question of a kind, and returns it.
  function child.asked(kind)
    return child.wait_for(
      'a question of the kind ' .. kind,
      [[(function(kind)
        for _, ask in ipairs(require('pillion').questions()) do
          if ask.kind == kind then return ask end
        end
      end)(...)]],
      kind
    )
  end

  ---Calls a tool by the plugin's API. What comes of it is had by child.result().
  function child.call(tool, arguments)
    child.lua(
      [[local tool, arguments = ...
      _G.called = nil
      require('pillion').call(tool, arguments, nil, function(err, result)
        _G.called = { err = err, result = result }
      end)]],
      { tool, arguments }
    )
  end

  function child.result()
    local came = child.wait_for('the call to end', '_G.called')
    return assert(came.result, vim.inspect(came.err))
  end

  ---What a callback of the plugin gets, as { err, result }.
  function child.await(call, ...)
    child.api.nvim_exec_lua('_G.awaited = nil', {})
    local args_ = { ... }
    child.api.nvim_exec_lua(
      'local done = function(err, result) _G.awaited = { err = err, result = result } end; local a = { ... }; ' .. call,
      args_
    )
    return child.wait_for('an answer', '_G.awaited')
  end

  function child.connector(name, state)
    return child.wait_for(
      ('connector %s to be %s'):format(name, state),
      [[(function(name, state)
        for _, c in ipairs(require('pillion').connectors()) do
          if c.name == name and c.state == state then return c end
        end
      end)(...)]],
      name,
      state
    )
  end

  ---Ends it as a person does. One that waits for a key gets it.
  function child.quit(command)
    if not child.job then
      return
    end
    local function blocked()
      local ok, mode = pcall(child.api.nvim_get_mode)
      return ok and mode.blocking
    end
    if not child.exit_code then
      for _, key in ipairs({ '<Esc>', '<CR>' }) do
        if blocked() then
          pcall(child.api.nvim_input, key)
        end
      end
      pcall(child.api_notify.nvim_input, '<C-\\><C-n>')
      pcall(child.api_notify.nvim_command, command or 'qa!')
    end
    local ok, problem = pcall(M.wait, 'Neovim to end', function()
      return child.exit_code
    end, function()
      return vim.inspect(child.api.nvim_get_mode())
    end)
    pcall(vim.fn.jobstop, job)
    pcall(vim.fn.chanclose, channel)
    child.job = nil
    if not ok then
      error(problem, 0)
    end
  end

  return child
end

---The process of the sidecar of a Neovim.
function M.sidecar(child)
  return M.wait('the sidecar', function()
    for _, folder in ipairs(vim.fn.glob('/proc/[0-9]*', true, true)) do
      local file, status = io.open(folder .. '/cmdline'), io.open(folder .. '/status')
      local command, text = file and file:read('*a') or '', status and status:read('*a') or ''
      for _, one in ipairs({ file, status }) do
        one:close()
      end
      if command:find('pillion%z%-%-stdio') and tonumber(text:match('PPid:%s*(%d+)')) == child.pid then
        return tonumber(vim.fs.basename(folder))
      end
    end
  end)
end

---A set of tests whose machines and Neovims are ended after each, and that fails where something of them still runs.
function M.set(opts)
  local used = { machines = {}, children = {} }
  local set = MiniTest.new_set(vim.tbl_deep_extend('force', {
    hooks = {
      post_case = function()
        local children, machines, problems = used.children, used.machines, {}
        used.children, used.machines = {}, {}
        for _, child in ipairs(children) do
          local ok, problem = pcall(child.quit)
          problems[#problems + 1] = not ok and problem or nil
        end
        for _, machine in ipairs(machines) do
          local ok, problem = pcall(M.wait, 'everything of this test to end', function()
            return #person.inhabitants(machine) == 0
          end, function()
            return table.concat(person.inhabitants(machine), '\n')
          end)
          problems[#problems + 1] = not ok and problem or nil
          vim.fn.delete(machine.root, 'rf')
        end
        if #problems > 0 then
          error(table.concat(problems, '\n'), 0)
        end
      end,
    },
  }, opts or {}))
  local function machine()
    local one = person.machine()
    table.insert(used.machines, one)
    return one
  end
  local function neovim(on, options)
    local child = M.neovim(on, options)
    table.insert(used.children, child)
    return child
  end
  return set, machine, neovim
end

---Compares the screen with the one that is kept, and leaves it as text where PILLION_SCREENS says.
---@param child table
---@param name string
function M.expect_screen(child, name)
  -- Where the test is slow to answer as a terminal, Neovim says so.
  if child.screen():find('E1568', 1, true) then
    child.cmd([[echo '']])
  end
  local screens = vim.env.PILLION_SCREENS
  if screens and screens ~= '' then
    person.write(('%s/%s-%s.txt'):format(screens, vim.env.PILLION_BED or 'neovim', name), child.screen() .. '\n')
  end
  local kept = ('%s/screens/%s'):format(here, name)
  local update = vim.env.PILLION_UPDATE == '1' and vim.env.PILLION_BED ~= 'neovim-newest'
  if not update and not vim.uv.fs_stat(kept) then
    error(('there is no screen %s to compare with; PILLION_UPDATE=1 writes it'):format(name), 2)
  end
  MiniTest.expect.reference_screenshot(child.get_screenshot(), kept, { force = update, ignore_attr = true })
end

M.equal = MiniTest.expect.equality

---@param text string
---@param part string
function M.contains(text, part)
  if not text:find(part, 1, true) then
    error(('no %q in:\n%s'):format(part, text), 2)
  end
end

---@param text string
---@param part string
function M.lacks(text, part)
  if text:find(part, 1, true) then
    error(('%q in:\n%s'):format(part, text), 2)
  end
end

return M
