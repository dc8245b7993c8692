-- Runs the tests of the plugin in one Neovim, and prints what came of each as `go test -json` does, so that its legs
-- count them like all others. Variables: PILLION_NVIM, PILLION_BINARY, PILLION_MINI_TEST, PILLION_BED; PILLION_TESTS
-- names a part of a test's name; PILLION_UPDATE=1 writes the screens; PILLION_SCREENS is where they go as text.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
vim.opt.runtimepath:prepend(vim.env.PILLION_MINI_TEST)
vim.opt.runtimepath:append(vim.fs.dirname(here))
package.path = here .. '/?.lua;' .. package.path

-- Nobody wants to know any more: whoever started the run has ended.
local parent = vim.uv.os_getppid()
vim.uv.new_timer():start(500, 500, function()
  if vim.uv.os_getppid() ~= parent then
    vim.uv.kill(vim.uv.os_getpid(), 'sigkill')
  end
end)

local MiniTest = require('mini.test')
local package_name = 'nvim-plugin/' .. (vim.env.PILLION_BED or 'neovim')

local function say(action, test, extra)
  local event = vim.tbl_extend('force', { Action = action, Package = package_name, Test = test }, extra or {})
  io.stdout:write(vim.json.encode(event), '\n')
end

local function name_of(case)
  local words = vim.list_extend({}, case.desc)
  words[1] = vim.fs.basename(words[1]):gsub('^test_', ''):gsub('%.lua$', '')
  for _, arg in ipairs(case.args or {}) do
    table.insert(words, tostring(arg))
  end
  return (table.concat(words, '/'):gsub('%s+', '_'))
end

local function matches(case)
  local wanted = vim.env.PILLION_TESTS or ''
  return wanted == '' or name_of(case):find(wanted, 1, true) ~= nil
end

local running = {}
local function report(case)
  local state = case.exec and case.exec.state
  local name = name_of(case)
  if not state or state:find('^Executing') then
    if not running[name] then
      running[name] = vim.uv.hrtime()
      say('run', name)
    end
    return
  end
  local skipped = vim.iter(case.exec.notes):any(function(note)
    return note:find('^Skip') ~= nil
  end)
  for _, text in ipairs(vim.list_extend(vim.list_extend({}, case.exec.notes), case.exec.fails)) do
    say('output', name, { Output = text .. '\n' })
  end
  local failed = #case.exec.fails > 0
  local seconds = (vim.uv.hrtime() - (running[name] or vim.uv.hrtime())) / 1e9
  say(failed and 'fail' or skipped and 'skip' or 'pass', name, { Elapsed = seconds })
end

local cases
local reported = {}
local reporter = {
  start = function(all)
    cases = all
  end,
  update = function(number)
    report(cases[number])
    local state = cases[number].exec and cases[number].exec.state
    reported[number] = state ~= nil and not state:find('^Executing')
  end,
  finish = function()
    local failed = #cases == 0
    for number, case in ipairs(cases) do
      if not reported[number] then
        say('fail', name_of(case))
      end
      failed = failed or #case.exec.fails > 0
    end
    say('output', nil, { Output = ('%s\t%s\n'):format(failed and 'FAIL' or 'ok  ', package_name) })
    say(failed and 'fail' or 'pass')
    io.stdout:flush()
    vim.cmd(failed and '1cquit' or '0cquit')
  end,
}

MiniTest.setup({ silent = true })
MiniTest.run({
  collect = {
    find_files = function()
      local files = vim.fn.globpath(here, 'test_*.lua', true, true)
      table.sort(files)
      return files
    end,
    filter_cases = matches,
  },
  execute = { reporter = reporter },
})
