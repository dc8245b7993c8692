-- The page of what is not as it should be, and what to do about it.

local ask = require('pillion.ui.ask')
local lines = require('pillion.lines.doctor')
local list = require('pillion.ui.list')
local protocol = require('pillion.protocol')

local M = {}

---@type pillion.Key[]
local keys = {
  {
    '<CR>',
    'open the file or folder',
    function(item)
      if item and item.row.path then
        return require('pillion.ui.place').open(vim.uri_from_fname(item.row.path))
      end
      ask.tell('there is no file on this line')
    end,
  },
}

---Opens the page.
---@param sections? string[] absent: everything
function M.open(sections)
  list.open({
    name = 'pillion://doctor',
    kind = 'doctor',
    title = 'Doctor',
    method = protocol.requests.doctor,
    params = sections and { sections = sections } or nil,
    lines = lines.lines,
    keys = keys,
  })
end

return M
