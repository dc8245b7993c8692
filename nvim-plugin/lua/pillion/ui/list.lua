-- Pages that list what one request answers, and ask again when something of it may have changed. Where that fails it is
-- said above what was known.

local block = require('pillion.lines.block')
local client = require('pillion.client')
local state = require('pillion.state')
local view = require('pillion.view')

local M = {}

---@class (exact) pillion.ListOptions
---@field name string
---@field kind string
---@field title string
---@field method string
---@field params? table
---@field lines fun(result: any): pillion.Line[]
---@field keys pillion.Key[]
---kinds of change after which it is asked again
---@field follows? pillion.StateKind[]
---@field foldlevel? integer

local asking = {} ---@type table<string, fun()> by the name of the page
local off = {} ---@type table<string, fun()[]> by the name of the page

---Opens a list, and asks for what it shows.
---@param options pillion.ListOptions
---@return pillion.Page
function M.open(options)
  state.watch()
  local result, problem, page
  local is_asking = false
  local function again()
    if is_asking then
      return
    end
    is_asking = true
    client.request(options.method, options.params, function(err, answer)
      is_asking, problem, result = false, err and err.message, answer or result
      if page then
        page:render()
      end
    end)
  end
  local keys = vim.list_extend({}, options.keys)
  keys[#keys + 1] = {
    'gR',
    'look again',
    again,
  }
  local function unfollow()
    for _, stop in ipairs(off[options.name] or {}) do
      stop()
    end
    off[options.name], asking[options.name] = nil, nil
  end
  page = view.open({
    name = options.name,
    kind = options.kind,
    title = options.title,
    keys = keys,
    foldlevel = options.foldlevel,
    closed = unfollow,
    render = function()
      local lines = problem and block.foreign(problem, ' ', 'PillionProblem') or {}
      if result then
        return block.append(lines, options.lines(result))
      end
      return problem and lines or { { ' ', { 'asking …', 'PillionDetail' } } }
    end,
  })
  asking[options.name] = again
  off[options.name] = vim.tbl_map(function(kind)
    return state.on(kind, again)
  end, options.follows or {})
  page:show()
  again()
  return page
end

---Asks again, after the user changed something.
---@param page pillion.Page
function M.again(page)
  local again = asking[page.options.name]
  if again then
    again()
  end
end

return M
