-- The machine of one person, for the tests: a home, a repository in it, the program and connectors on its PATH, and
-- what runs of it. Knows no Neovim.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))

local function mkdir(path)
  vim.fn.mkdir(path, 'p', tonumber('700', 8))
  return path
end

---@param path string
---@param text string
function M.write(path, text)
  mkdir(vim.fs.dirname(path))
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  assert(vim.uv.fs_chmod(path, tonumber('600', 8)))
end

function M.read(path)
  local file = assert(io.open(path))
  local text = file:read('*a')
  file:close()
  return text
end

---A value as JSON, names in order: Neovim has none that stays the same.
local function encode(value)
  if type(value) ~= 'table' then
    return vim.json.encode(value)
  elseif vim.islist(value) then
    return '[' .. table.concat(vim.tbl_map(encode, value), ', ') .. ']'
  end
  local keys, parts = vim.tbl_keys(value), {}
  table.sort(keys)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = vim.json.encode(key) .. ': ' .. encode(value[key])
  end
  return '{ ' .. table.concat(parts, ', ') .. ' }'
end

---The text of a configuration file, an entry on each line.
---@param connectors table<string, table>
function M.configuration(connectors)
  local names, entries = vim.tbl_keys(connectors), {}
  table.sort(names)
  for _, name in ipairs(names) do
    entries[#entries + 1] = ('    %s: %s'):format(vim.json.encode(name), encode(connectors[name]))
  end
  return '{\n  "mcpServers": {\n' .. table.concat(entries, ',\n') .. '\n  }\n}\n'
end

---The machine of one person: a home, a repository in it, the program and connectors on PATH.
function M.machine()
  local root = assert(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.uv.os_tmpdir(), 'nvXXXXXX')))
  local machine = { root = root, home = mkdir(root .. '/home'), repository = mkdir(root .. '/home/shop') }
  mkdir(root .. '/bin')
  mkdir(root .. '/run')
  mkdir(root .. '/tmp')
  assert(vim.uv.fs_symlink(vim.env.PILLION_BINARY, root .. '/bin/pillion'))
  machine.environment = {
    PATH = root .. '/bin:' .. vim.env.PATH,
    HOME = machine.home,
    TMPDIR = root .. '/tmp',
    XDG_RUNTIME_DIR = root .. '/run',
    XDG_CONFIG_HOME = machine.home .. '/.config',
    XDG_DATA_HOME = machine.home .. '/.local/share',
    XDG_STATE_HOME = machine.home .. '/.local/state',
    XDG_CACHE_HOME = machine.home .. '/.cache',
    NVIM_LOG_FILE = root .. '/nvim.log',
    LANG = 'C.UTF-8',
    SHELL = '/bin/sh',
    TERM = 'xterm-256color',
    VIMRUNTIME = vim.env.VIMRUNTIME,
    LUA_PATH = vim.env.LUA_PATH,
    LUA_CPATH = vim.env.LUA_CPATH,
  }

  ---Writes the repository's .mcp.json.
  ---@param connectors table<string, table>|string
  function machine.configure(connectors)
    local text = type(connectors) == 'string' and connectors or M.configuration(connectors)
    M.write(machine.repository .. '/.mcp.json', text)
  end

  ---Writes the user's own mcp.json, whose connectors need no permission.
  ---@param connectors table<string, table>|string
  function machine.configure_user(connectors)
    local text = type(connectors) == 'string' and connectors or M.configuration(connectors)
    M.write(machine.home .. '/.config/pillion/mcp.json', text)
  end

  ---A connector of the beds: its definition.
  function machine.everything()
    local program = vim.env.PILLION_DEV_CACHE .. '/servers/node_modules/.bin/mcp-server-everything'
    return { command = program, args = {} }
  end

  ---The connector of tests/connector.lua, which asks back.
  function machine.asking(...)
    return { command = vim.env.PILLION_NVIM, args = { '-l', here .. '/connector.lua', ... } }
  end

  ---The connector in the program: notes, kept in memory.
  function machine.notes()
    return { command = 'pillion', args = { 'demo' } }
  end

  return machine
end

---The processes that have a path of this machine in their environment, besides those that wait to be reaped.
function M.inhabitants(machine)
  local found = {}
  for _, folder in ipairs(vim.fn.glob('/proc/[0-9]*', true, true)) do
    local file = io.open(folder .. '/environ')
    local text = file and file:read('*a') or ''
    if file then
      file:close()
    end
    if text:find(machine.root .. '/', 1, true) then
      local command = io.open(folder .. '/cmdline')
      local line = command and (command:read('*a') or ''):gsub('%z', ' ') or ''
      if command then
        command:close()
      end
      if line ~= '' then
        found[#found + 1] = vim.fs.basename(folder) .. ' ' .. line
      end
    end
  end
  return found
end

return M
