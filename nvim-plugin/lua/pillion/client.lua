-- The one language client of this Neovim that talks to the sidecar: start, requests, end and coming back.
-- Knows no method but those of starting; what is told is passed to whoever listens.
local listeners = require('pillion.listeners')
local lsp = require('pillion.lsp')
local options = require('pillion.options')
local protocol = require('pillion.protocol')

local M = {}

---@alias pillion.ClientState
---| "off" # not started
---| "starting" # started, has not answered yet
---| "running"
---| "waiting" # ended by itself, is started again in a moment
---| "failed" # does not run, and is not started again by itself

---@class (exact) pillion.ClientStatus
---@field state pillion.ClientState
---why it does not run
---@field reason? string
---what to do about it, in order
---@field steps? string[]
---@field version? string of the sidecar
---@field window? string its name among those of the machine
---@field pid? integer of the sidecar, where that is known

---@class (exact) pillion.RequestError
---@field code integer|string of JSON-RPC, or "client" where Pillion does not run
---@field message string

-- All that is kept between calls.
local now = {
  status = { state = 'off' }, ---@type pillion.ClientStatus
  client = nil, ---@type vim.lsp.Client?
  roots = {}, ---@type string[]
  wanted = false, -- whether the user wants it to run
  has_quit = false, -- whether the user ended it
  attempt = 0, -- starts after an end by itself
  started_at = 0,
  generation = 0, -- counts the starts, so that a late word of an earlier process is known as such
  queue = {}, ---@type fun()[] what waits until it runs
  open = {}, ---@type table<integer, fun(err: pillion.RequestError?, result: any)>
  last = 0, -- number of the last request
  heard = listeners.new(), -- by method, and under `status`
  buffers = {}, ---@type table<integer, true> documents that it looks after
}

---Listens to what Pillion tells, by method, and to `status`, this client's own state.
---@param method string
---@param listener fun(params: any)
---@return fun() off takes the listener off
function M.on(method, listener)
  return now.heard:on(method, listener)
end

---@param status pillion.ClientStatus
local function become(status)
  now.status = status
  now.heard:tell('status', status)
end

---How it stands.
---@return pillion.ClientStatus
function M.status()
  return now.status
end

---Whether it takes requests now.
---@return boolean
function M.running()
  return now.status.state == 'running'
end

---Whether it runs, or is to as soon as it can.
---@return boolean
function M.wanted()
  return now.wanted
end

---Whether the user ended it, and has not wanted it since: then no folder is a reason to start it.
---@return boolean
function M.has_quit()
  return now.has_quit
end

---The workspace folders that it has.
---@return string[]
function M.roots()
  return vim.list_extend({}, now.roots)
end

local function fail_open(message)
  local open = now.open
  now.open = {}
  for _, cb in pairs(open) do
    cb({ code = 'client', message = message })
  end
end

---Runs what waited for the start, or tells it that there is none.
local function drain()
  local queue = now.queue
  now.queue = {}
  for _, run in ipairs(queue) do
    run()
  end
end

local function fail(reason, steps)
  now.client, now.wanted = nil, false
  become({ state = 'failed', reason = reason, steps = steps })
  fail_open(reason)
  drain()
  -- The steps stand in the window and in :checkhealth.
  require('pillion.notify').send('does not run: ' .. reason, vim.log.levels.ERROR, ':checkhealth pillion')
end

local function folder(root)
  return { uri = vim.uri_from_fname(root), name = require('pillion.text').visible(vim.fs.basename(root)) }
end

local function capabilities(opts)
  local asks = { 'consent', 'approval', 'elicitation', 'url', 'input', 'join', 'store', 'widen' }
  if opts.sampling then
    table.insert(asks, 'sampling')
  end
  local declared = vim.lsp.protocol.make_client_capabilities()
  declared.experimental = {
    [protocol.capability_name] = { protocol = { protocol.protocol_version }, asks = asks, events = true },
  }
  return declared
end

local ended -- defined below; starts again

---Takes over what the sidecar says of itself.
local function initialized(client, generation)
  if generation ~= now.generation then
    return
  end
  local declared = vim.tbl_get(client.server_capabilities or {}, 'experimental', protocol.capability_name)
  if not declared or declared.protocol ~= protocol.protocol_version then
    local version = declared and declared.version or 'an older version'
    now.generation = now.generation + 1
    lsp.stop(client)
    return fail(('this plugin does not speak with the program pillion of %s'):format(version), {
      '1. Install the program and the plugin of the same version.',
      '2. :Pillion restart',
    })
  end
  -- A session may have got a folder while it was starting.
  become({ state = 'running', version = declared.version, window = declared.window })
  for buf in pairs(now.buffers) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.lsp.buf_attach_client(buf, client.id)
    end
  end
  drain()
end

---Every event of Pillion is passed to whoever listens.
local function handlers()
  local found = {}
  for _, method in pairs(protocol.events) do
    found[method] = function(_, params)
      now.heard:tell(method, params)
    end
  end
  found['window/showMessage'] = function(_, params)
    local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.INFO }
    local message = table.concat(require('pillion.text').lines(params.message), '\n')
    message = message:gsub('^Pillion: ', '') -- which it says for editors that do not say whose words they are
    require('pillion.notify').send(message, levels[params.type] or vim.log.levels.INFO)
    return vim.NIL
  end
  return found
end

---Starts the process. Its end is told here and nowhere else, so that Neovim need not warn of it too.
local function process(cmd, generation)
  return function(dispatchers)
    local silent = vim.tbl_extend('force', dispatchers, {
      on_exit = function(code, signal)
        dispatchers.on_exit(0, 0)
        vim.schedule(function()
          ended(generation, code, signal)
        end)
      end,
    })
    return vim.lsp.rpc.start(cmd, silent, { detached = false })
  end
end

local function begin()
  local opts = options.current()
  if vim.fn.executable(opts.cmd[1]) == 0 then
    return fail(("there is no program %s on this Neovim's PATH"):format(opts.cmd[1]), {
      '1. Install pillion, or name it: vim.g.pillion = { cmd = { "/path/to/pillion", "--stdio" } }',
      '2. :Pillion restart',
    })
  end
  now.generation = now.generation + 1
  local generation = now.generation
  now.started_at = vim.uv.now()
  become({ state = 'starting' })
  local config = {
    name = 'pillion',
    cmd = process(opts.cmd, generation),
    capabilities = capabilities(opts),
    handlers = handlers(),
    init_options = next(opts.settings) and opts.settings or nil,
    settings = { pillion = next(opts.settings) and opts.settings or nil },
    root_dir = now.roots[1],
    workspace_folders = #now.roots > 0 and vim.tbl_map(folder, now.roots) or nil,
    -- Neovim waits for no answer when it ends (C82): the sidecar ends its connectors by itself.
    exit_timeout = false,
    flags = { exit_timeout = false },
    -- A path need not be UTF-8, as its address is.
    before_init = function(params)
      params.rootPath = vim.NIL
    end,
    on_init = function(client)
      initialized(client, generation)
    end,
  }
  local client, problem = lsp.start(config)
  now.client = client
  if not client then
    fail('it could not be started: ' .. problem, { '1. :checkhealth pillion', '2. :Pillion restart' })
  end
end

---Neovim's own language client cannot be used where it has no place for its log.
local function launch()
  local ok, problem = pcall(begin)
  if not ok then
    fail("Neovim's language client does not work here: " .. tostring(problem):match('^[^\n]*'), {
      '1. Make the folder that it names writable, or set XDG_STATE_HOME to one that is, and start Neovim again.',
    })
  end
end

---Starts Pillion, or tells the one that runs of a further workspace folder.
---One that failed is not tried again by itself.
---@param root? string workspace folder; without one there are the user's own connectors
---@param again? boolean whether it is tried again where it failed
function M.start(root, again)
  local is_new = root and not vim.list_contains(now.roots, root)
  if is_new then
    table.insert(now.roots, root)
  end
  if now.wanted then
    if is_new and now.client then
      M.notify('workspace/didChangeWorkspaceFolders', { event = { added = { folder(root) }, removed = {} } })
      now.client.workspace_folders = vim.tbl_map(folder, now.roots)
    end
    return
  end
  if now.status.state == 'failed' and not again then
    return
  end
  now.wanted, now.has_quit, now.attempt = true, false, 0
  launch()
end

local function stop_client()
  local client = now.client
  now.client = nil
  if client then
    -- Its end is of no interest any more.
    now.generation = now.generation + 1
    lsp.stop(client)
  end
end

---Ends Pillion, and with it its connectors. What is under way is answered as not done.
function M.stop()
  now.wanted, now.has_quit = false, true
  stop_client()
  fail_open('Pillion was ended.')
  become({ state = 'off' })
  drain()
end

---Ends Pillion if it runs, and starts it.
function M.restart()
  stop_client()
  fail_open('Pillion was restarted before it answered.')
  now.wanted, now.has_quit, now.attempt = true, false, 0
  launch()
end

---What to do about a process that has ended by itself.
---@param attempt integer how often it was started again before
---@param ran_ms integer how long it ran
---@param opts pillion.RestartOptions
---@return integer? delay_ms nil: give up
---@return integer attempt to be counted from then on
function M.comeback(attempt, ran_ms, opts)
  if ran_ms >= 60000 then
    attempt = 0
  end
  if attempt >= opts.attempts then
    return nil, attempt
  end
  return math.min(opts.delay_ms * 2 ^ attempt, 30000), attempt + 1
end

ended = function(generation, code, signal)
  if generation ~= now.generation or not now.wanted then
    return
  end
  local has_run = now.status.state == 'running'
  local how = signal ~= 0 and ('was ended by signal %d'):format(signal) or ('ended with code %d'):format(code)
  now.client = nil
  fail_open('Pillion ' .. how .. '.')
  if not has_run and code == 2 then
    return fail('the program did not understand how it was started; it may be older than this plugin', {
      '1. See what `pillion version` says; install the program and the plugin of the same version.',
      '2. :Pillion restart',
    })
  end
  local delay, attempt = M.comeback(now.attempt, vim.uv.now() - now.started_at, options.current().restart)
  now.attempt = attempt
  if not delay then
    return fail('it ' .. how .. ', again and again', {
      '1. See what it wrote: ' .. vim.lsp.get_log_path(),
      '2. :Pillion restart',
    })
  end
  become({ state = 'waiting', reason = 'Pillion ' .. how })
  vim.defer_fn(function()
    if generation == now.generation and now.wanted then
      launch()
    end
  end, delay)
end

---Whether every text in a value can be sent. One that is not UTF-8 would be no message at all: nobody would answer it.
local function is_sendable(value)
  if type(value) == 'string' then
    return require('pillion.text').is_utf8(value)
  elseif type(value) == 'table' then
    for key, inner in pairs(value) do
      if not (is_sendable(key) and is_sendable(inner)) then
        return false
      end
    end
  end
  return true
end

---Sends a request, once Pillion runs. The callback is called once, on the main loop, whatever happens.
---@param method string
---@param params? table nil or empty: an empty object
---@param cb? fun(err: pillion.RequestError?, result: any)
---@return fun() cancel asks that it be given up; the callback is called all the same
function M.request(method, params, cb)
  now.last = now.last + 1
  local number, id = now.last, nil
  now.open[number] = function(err, result)
    if cb then
      require('pillion.fault').guard(cb)(err, result)
    end
  end
  local function finish(err, result)
    local waiting = now.open[number]
    now.open[number] = nil
    if waiting then
      waiting(err, result)
    end
  end
  local function send()
    local client = now.client
    if not client or not M.running() then
      return finish({ code = 'client', message = now.status.reason or 'Pillion does not run.' })
    end
    if not now.open[number] then
      return
    elseif not is_sendable(params) then
      return finish({ code = 'client', message = 'Not sent: it holds bytes that are not UTF-8.' })
    end
    params = (params and next(params) ~= nil) and params or vim.empty_dict()
    local function answered(err, result)
      finish(err and { code = err.code, message = err.message } or nil, result)
    end
    id = lsp.request(client, method, params, answered)
    if not id then
      finish({ code = 'client', message = 'Pillion does not run.' })
    end
  end
  if M.running() then
    send()
  elseif now.wanted then
    table.insert(now.queue, send)
  else
    vim.schedule(send)
  end
  return function()
    if not id then
      return finish({ code = -32800, message = 'cancelled' })
    end
    if now.client then
      lsp.cancel(now.client, id)
    end
  end
end

---Tells Pillion something. Where it does not run, nobody is told.
---@param method string
---@param params? table
function M.notify(method, params)
  if not now.client or not M.running() then
    if now.wanted then
      table.insert(now.queue, function()
        if M.running() then
          M.notify(method, params)
        end
      end)
    end
    return
  end
  if not is_sendable(params) then
    return
  end
  params = (params and next(params) ~= nil) and params or vim.empty_dict()
  lsp.notify(now.client, method, params)
end

---Tells Pillion that this window has the focus: agents join the one that had it last.
function M.tell_focus()
  if M.running() then
    M.notify(protocol.notifications.focused)
  end
end

---Has Pillion look after the document of a buffer: diagnostics, hover, code actions.
---@param buf integer
function M.attach(buf)
  now.buffers[buf] = true
  if now.client and M.running() then
    vim.lsp.buf_attach_client(buf, now.client.id)
  end
end

return M
