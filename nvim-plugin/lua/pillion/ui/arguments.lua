-- The arguments of a call in a buffer of their own, to be edited before they are allowed once. They are completed and
-- checked by the tool's schema; writing the buffer sends them, closing it leaves the question open.
local faults = require('pillion.faults')
local form = require('pillion.form')
local json = require('pillion.json')
local text = require('pillion.text')

local M = {}

local faults_space = vim.api.nvim_create_namespace('pillion.arguments')

---What is wrong with arguments, each with the line that it is about.
---@param schema string?
---@param source string
---@return { lnum: integer, col: integer, message: string }[]
function M.faults(schema, source)
  local node, problem = json.read(source)
  if not node then
    local line, column = problem:match('line (%d+),? column (%d+)')
    return { { lnum = (tonumber(line) or 1) - 1, col = (tonumber(column) or 1) - 1, message = problem } }
  elseif node.kind ~= 'object' then
    return { { lnum = 0, col = 0, message = 'an object belongs here' } }
  end
  local rows = vim.split(source, '\n', { plain = true })
  local function place(path)
    local name = path:match('([^/]*)$'):gsub('~1', '/'):gsub('~0', '~')
    for i, row in ipairs(rows) do
      local at = name ~= '' and row:find(json.quote(name), 1, true)
      if at then
        return i - 1, at - 1
      end
    end
    return 0, 0
  end
  local made = form.new(schema)
  made.root.type, made.root.value = 'json', source
  return vim.tbl_map(function(fault)
    local line, column = place(fault.path)
    return { lnum = line, col = column, message = (fault.path == '' and '/' or fault.path) .. ': ' .. fault.message }
  end, faults.of(made))
end

---What can stand at the cursor: the names that the schema has, or the values of the name before it.
---@param schema string?
---@param before string the line up to the cursor
---@return integer start byte of the word, from 0
---@return { word: string, menu?: string, info?: string }[]
function M.candidates(schema, before)
  local rows = form.rows(form.new(schema))
  local name, value_at = before:match('"([^"]+)"%s*:%s*()[^,{}]*$')
  local found = {}
  if name then
    for _, field in ipairs(rows) do
      if field.name == name then
        for _, choice in ipairs(field.choices or {}) do
          found[#found + 1] = { word = choice.text, menu = choice.label }
        end
        if field.type == 'boolean' then
          vim.list_extend(found, { { word = 'false' }, { word = 'true' } })
        end
        if field.default then
          table.insert(found, 1, { word = field.default, menu = 'default' })
        end
      end
    end
    return value_at - 1, found
  end
  local start = before:match('()"[^"]*$') or before:match('()[%w_-]*$')
  for _, field in ipairs(rows) do
    if field.path ~= '' then
      found[#found + 1] = {
        word = json.quote(field.name) .. ': ',
        menu = form.kind(field) .. (field.required and ' *' or ''),
        info = field.doc and text.visible(field.doc) or nil,
      }
    end
  end
  return start - 1, found
end

local schemas = {} ---@type table<integer, string>
local opened = {} ---@type table<integer, true> buffers that were made here, and not by a session that was restored
local numbers, count = {}, 0 ---@type table<string, integer>, integer of the questions whose arguments were edited

---For 'omnifunc' of these buffers alone.
---@param find integer
---@param base string
function M.omnifunc(find, base)
  local at = vim.api.nvim_win_get_cursor(0)
  local before = vim.api.nvim_get_current_line():sub(1, at[2])
  local schema = schemas[vim.api.nvim_get_current_buf()]
  if find == 1 then
    return (M.candidates(schema, before))
  end
  local _, found = M.candidates(schema, before .. base)
  return vim.tbl_filter(function(one)
    local bare = base:gsub('^"', '')
    return one.word:gsub('^"', ''):sub(1, #bare) == bare
  end, found)
end

local function check(buf)
  local source = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  local found_faults = M.faults(schemas[buf], source)
  vim.diagnostic.set(
    faults_space,
    buf,
    vim.tbl_map(function(found)
      return vim.tbl_extend('force', found, {
        message = text.visible(found.message),
        severity = vim.diagnostic.severity.ERROR,
        source = 'Pillion',
      })
    end, found_faults)
  )
  return source, found_faults
end

---Opens the arguments of an approval.
---@param ask pillion.Ask
---@param context pillion.QuestionContext
function M.edit(ask, context)
  local body = ask.body --[[@as pillion.ApprovalBody]]
  if not numbers[ask.askId] then
    count = count + 1
    numbers[ask.askId] = count
  end
  local name = 'pillion://arguments/' .. numbers[ask.askId]
  local buf = vim.fn.bufnr('^' .. name .. '$')
  if buf == -1 or not opened[buf] then
    buf = require('pillion.view').buffer(name)
    opened[buf] = true
    local o = vim.bo[buf]
    o.buftype, o.bufhidden, o.swapfile, o.modeline = 'acwrite', 'wipe', false, false
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, json.layout(body.argumentsText))
    o.modified, o.filetype = false, 'json'
    o.omnifunc = "v:lua.require'pillion.ui.arguments'.omnifunc"
    o.expandtab, o.shiftwidth = true, 2
  end
  schemas[buf] = body.tool.inputSchemaText
  local group = vim.api.nvim_create_augroup('pillion.arguments.' .. buf, {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  on({ 'TextChanged', 'InsertLeave' }, function()
    check(buf)
  end)
  on('BufWriteCmd', function()
    local source, problems = check(buf)
    if #problems > 0 then
      return require('pillion.ui.ask').refuse('not sent: ' .. text.visible(problems[1].message))
    end
    vim.bo[buf].modified = false
    context.send({ decision = 'once', argumentsText = source })
    vim.schedule(function()
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end)
  end)
  on('BufWipeout', function()
    schemas[buf], opened[buf] = nil, nil
  end)
  vim.cmd({ cmd = 'split', mods = { split = 'belowright' } })
  vim.api.nvim_win_set_buf(0, buf)
  vim.wo[0][0].winbar = ' %#PillionKey#:w%* sends these, once  %#PillionKey#:q!%* leaves the question open'
  check(buf)
end

return M
