-- Screens of pages, compared and kept without what differs from run to run: process ids, times, folders.
local h = require('helpers')

local M = {}

-- What differs, and what stands in its place. The cells behind it stay where they are when it is as long.
local changing = {
  { 'process   %d+, since %d+:%d+:%d+', 'process   12345, since 12:34:56' },
  { '20%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ', '2026-01-02T12:34:56Z' },
  { 'process %d+', 'process 12345' },
  { '%x+%.log', '0123456789abcdef0123456789abcdef.log' },
  { ' [<%d]%d* ms', ' 12 ms' },
  { ' %d+%.%d s', ' 1.2 s' },
  { ' %d%d:%d%d:%d%d', ' 12:34:56' },
}

local function steady(screenshot)
  for number, cells in ipairs(screenshot.text) do
    local line = table.concat(cells)
    for _, change in ipairs(changing) do
      line = line:gsub(change[1], change[2])
    end
    local found = vim.fn.split(line, '\\zs')
    for i = 1, #cells do
      cells[i] = found[i] or ' '
    end
    screenshot.text[number] = cells
  end
  return screenshot
end

---Compares the screen with the one that is kept.
---@param child table
---@param name string
function M.expect(child, name)
  -- Taken when it is looked at: what a slow terminal had Neovim say is gone by then.
  local function shot()
    return steady(child.get_screenshot())
  end
  local proxy = {
    get_screenshot = shot,
    screen = function()
      local lines = vim.tbl_map(function(cells)
        return (table.concat(cells):gsub('%s+$', ''))
      end, shot().text)
      return table.concat(lines, '\n')
    end,
  }
  h.expect_screen(setmetatable(proxy, { __index = child }), name)
end

return M
