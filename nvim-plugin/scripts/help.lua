-- Writes doc/pillion.txt and the table of commands in docs/editors.md, out of the commands, options, public functions
-- and highlight groups as the source has them, below what scripts/help.txt says. Run by `make generate` as
-- `nvim -l scripts/help.lua`; with the argument `check` it writes nothing and fails where a file is stale.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local plugin = vim.fs.dirname(vim.fs.normalize(here))
local root = vim.fs.dirname(plugin)
vim.opt.runtimepath:prepend(plugin)

local function read(path)
  local file = assert(io.open(path))
  local text = file:read('*a')
  file:close()
  return text
end

local text = require('pillion.text')

---@param lines string[]
local function wrapped(lines, indent, words)
  for _, paragraph in ipairs(vim.split(words, '\n', { plain = true })) do
    for _, line in ipairs(text.wrap(paragraph, 78 - #indent)) do
      lines[#lines + 1] = line == '' and '' or indent .. line
    end
  end
end

local function heading(lines, title, tag)
  lines[#lines + 1] = ('='):rep(78)
  lines[#lines + 1] = title .. (' '):rep(math.max(1, 78 - #title - #tag - 2)) .. '*' .. tag .. '*'
  lines[#lines + 1] = ''
end

---A tag at the right edge, above what it names.
local function target(lines, tag)
  lines[#lines + 1] = (' '):rep(math.max(1, 78 - #tag - 2)) .. '*' .. tag .. '*'
end

local function usage(command)
  local words = ':Pillion'
  for _, part in ipairs({ command.name, command.args or '' }) do
    words = part ~= '' and words .. ' ' .. part or words
  end
  return words
end

local function command_tag(command)
  return command.name == '' and ':Pillion' or ':Pillion-' .. command.name:gsub(' ', '-')
end

---The fields of a class of LuaCATS, with the comment before each.
local function fields(source, class)
  local found, comment, inside = {}, {}, false
  for line in (source .. '\n'):gmatch('(.-)\n') do
    if line:find('^%-%-%-@class') then
      inside = line:find(' ' .. vim.pesc(class) .. '$') ~= nil
      comment = {}
    elseif inside and line:find('^%-%-%-@field') then
      local name, type, tail = line:match('^%-%-%-@field (%S+)%s+(%S+)%s*(.*)$')
      if line:find('fun%(') then
        name, type, tail = line:match('^%-%-%-@field (%S+)'), 'function', ''
      end
      local doc = #comment > 0 and table.concat(comment, ' ') or tail
      found[#found + 1] = { name = name:gsub('%?$', ''), type = type, doc = doc }
      comment = {}
    elseif inside and line:find('^%-%-%-') then
      comment[#comment + 1] = line:sub(4)
    elseif inside then
      inside = false
    end
  end
  return found
end

---The public functions of a module, with the comment before each.
local function functions(source)
  local found, comment = {}, {}
  for line in (source .. '\n'):gmatch('(.-)\n') do
    local name, params = line:match('^function M%.([%w_]+)%((.-)%)')
    if name then
      found[#found + 1] = { name = name, params = params, doc = comment }
      comment = {}
    elseif line:find('^%-%-%-') then
      comment[#comment + 1] = line:sub(4)
    else
      comment = {}
    end
  end
  return found
end

local function add_options(lines)
  heading(lines, 'OPTIONS', 'pillion-options')
  wrapped(
    lines,
    '',
    'Everything works without any. They stand in |vim.g.pillion|, a table or a function that returns one, or are given '
      .. 'to |pillion.setup()|. What is wrong in them does not count, and is told by :checkhealth.'
  )
  vim.list_extend(lines, { '>lua', '    vim.g.pillion = { questions = { float = false } }', '<' })
  target(lines, 'vim.g.pillion')
  local source = read(plugin .. '/lua/pillion/options.lua')
  local function add(class, prefix)
    for _, field in ipairs(fields(source, class)) do
      local nested = field.type:match('^pillion%.(%u%w+Options)$')
      if nested then
        add('pillion.' .. nested, prefix .. field.name .. '.')
      else
        lines[#lines + 1] = ('%s%s  ~'):format(prefix, field.name)
        wrapped(lines, '    ', ('%s (%s)'):format(field.doc, field.type))
        lines[#lines + 1] = ''
      end
    end
  end
  add('pillion.Options', '')
end

local function add_functions(lines)
  heading(lines, 'LUA', 'pillion-lua')
  wrapped(
    lines,
    '',
    "The functions of require('pillion'). They keep their names and shapes. The shapes of the protocol, such as "
      .. 'pillion.Tool, are in lua/pillion/protocol.lua.'
  )
  lines[#lines + 1] = ''
  for _, fn in ipairs(functions(read(plugin .. '/lua/pillion/init.lua'))) do
    target(lines, ('pillion.%s()'):format(fn.name))
    lines[#lines + 1] = ('pillion.%s({%s})'):format(fn.name, fn.params:gsub(', ', '}, {')):gsub('{}', '')
    for _, line in ipairs(fn.doc) do
      if line:find('^@') then
        local what = line:gsub('^@param (%S+)', '{%1}'):gsub('^@return ', 'returns ')
        lines[#lines + 1] = '      ' .. what
      else
        wrapped(lines, '    ', line)
      end
    end
    lines[#lines + 1] = ''
  end
  for _, class in ipairs({ { 'init', 'pillion.CallOptions' }, { 'client', 'pillion.RequestError' } }) do
    target(lines, class[2])
    lines[#lines + 1] = class[2] .. '  ~'
    for _, field in ipairs(fields(read(('%s/lua/pillion/%s.lua'):format(plugin, class[1])), class[2])) do
      wrapped(lines, '    ', ('%s: %s'):format(field.name, field.doc ~= '' and field.doc or field.type))
    end
    lines[#lines + 1] = ''
  end
end

local function add_groups(lines)
  heading(lines, 'HIGHLIGHTS', 'pillion-highlights')
  wrapped(lines, '', 'Each is linked to the group beside it, unless you or a colour scheme say otherwise.')
  lines[#lines + 1] = ''
  local groups = require('pillion.highlights').groups
  local names = vim.tbl_keys(groups)
  table.sort(names)
  for _, name in ipairs(names) do
    lines[#lines + 1] = ('    %-24s %s'):format(name, groups[name])
  end
  lines[#lines + 1] = ''
end

---The help file.
local function help()
  local lines = vim.split(vim.trim(read(here .. '/help.txt')), '\n', { plain = true })
  lines[#lines + 1] = ''
  heading(lines, 'COMMANDS', 'pillion-commands')
  wrapped(
    lines,
    '',
    'A name without its arguments asks for them, by |vim.ui.select| or |vim.ui.input|. <Tab> completes.'
  )
  lines[#lines + 1] = ''
  for _, command in ipairs(require('pillion.commands').all()) do
    target(lines, command_tag(command))
    lines[#lines + 1] = usage(command)
    wrapped(lines, '    ', (command.doc:gsub('`', '')))
    lines[#lines + 1] = ''
  end
  add_options(lines)
  add_functions(lines)
  add_groups(lines)
  lines[#lines + 1] = 'vim:tw=78:ts=8:noet:ft=help:norl:'
  return table.concat(lines, '\n') .. '\n'
end

---A document with the table between its marks made anew.
local function with_table(of)
  local rows = { '| command | what it does |', '|---|---|' }
  for _, command in ipairs(require('pillion.commands').all()) do
    rows[#rows + 1] = ('| `%s` | %s |'):format((usage(command):gsub('|', '\\|')), (command.doc:gsub('|', '\\|')))
  end
  local first, last = '<!-- commands: generated -->\n', '\n<!-- commands: end -->'
  local a, b = of:find(first, 1, true), of:find(last, 1, true)
  assert(a and b, 'docs/editors.md has no place for the table of commands')
  return of:sub(1, a + #first - 1) .. table.concat(rows, '\n') .. of:sub(b)
end

local files = {
  [plugin .. '/doc/pillion.txt'] = help(),
  [root .. '/docs/editors.md'] = with_table(read(root .. '/docs/editors.md')),
}

local stale = {}
for path, content in pairs(files) do
  local ok, old = pcall(read, path)
  if not ok or old ~= content then
    stale[#stale + 1] = path
    if (_G.arg or {})[1] ~= 'check' then
      local file = assert(io.open(path, 'w'))
      file:write(content)
      file:close()
    end
  end
end
if (_G.arg or {})[1] == 'check' and #stale > 0 then
  io.stderr:write('stale, run make generate: ' .. table.concat(stale, ', ') .. '\n')
  os.exit(1)
end
