-- What the plugin costs at the start of Neovim, beside a plugin that is an empty file: `nvim -l startup.lua NVIM`.
-- A figure, and no test: it says what it measured and never fails because of it.
local nvim = assert(_G.arg[1], 'usage: nvim -l startup.lua NVIM')
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local plugin = vim.fs.dirname(here)
local runs = tonumber(vim.env.PILLION_RUNS) or 40

local root = assert(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.uv.os_tmpdir(), 'startupXXXXXX')))
vim.fn.mkdir(root .. '/empty/plugin', 'p')
io.open(root .. '/empty/plugin/pillion.lua', 'w'):close()

---Milliseconds that a plugin file took by itself.
local function once(folder)
  local log = root .. '/log'
  os.remove(log)
  vim
    .system({
      nvim,
      '--clean',
      '--headless',
      '--startuptime',
      log,
      '--cmd',
      'set runtimepath^=' .. folder,
      '+qa!',
    }, { env = { HOME = root, NVIM_LOG_FILE = root .. '/nvim.log' }, cwd = root })
    :wait()
  for line in io.lines(log) do
    local own = line:match('%s([%d.]+): sourcing .*/plugin/pillion%.lua$')
    if own then
      return tonumber(own)
    end
  end
  error('the plugin was not sourced')
end

local function middle(of)
  table.sort(of)
  return of[math.ceil(#of / 2)]
end

local with, without = {}, {}
for _ = 1, runs do
  with[#with + 1] = once(plugin)
  without[#without + 1] = once(root .. '/empty')
end
local mine, floor = middle(with), middle(without)
print(
  ('nvim-plugin start-up, %s: %.3f ms, an empty plugin file %.3f ms, ratio %.1f (%s 1 ms)\n'):format(
    vim.split(vim.fn.execute('version'), '\n', { trimempty = true })[1],
    mine,
    floor,
    mine / floor,
    mine - floor < 1 and 'under' or 'OVER'
  )
)
vim.fn.delete(root, 'rf')
