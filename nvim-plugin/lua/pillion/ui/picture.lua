-- Pictures of a result: drawn by an image plugin of the user's where there is one, else opened on request.
-- It opens nothing but files of Pillion's own folder that are pictures by their bytes (S27), and nothing by itself.

local ask = require('pillion.ui.ask')
local lines = require('pillion.lines.result')
local text = require('pillion.text')

local M = {}

---@class (exact) pillion.ui.Painter
---@field name string
---@field place fun(path: string, buf: integer, row: integer): (fun())? nil where it could not; else takes it away

---image.nvim, where the user has set it up.
---@return pillion.ui.Painter?
local function image_nvim()
  local image = package.loaded['image']
  if type(image) ~= 'table' or type(image.from_file) ~= 'function' then
    return nil
  end
  return {
    name = 'image.nvim',
    place = function(path, buf, row)
      local ok, drawn = pcall(image.from_file, path, {
        buffer = buf,
        window = vim.fn.bufwinid(buf),
        x = 2,
        y = row,
        inline = true,
        with_virtual_padding = true,
      })
      if not ok or not drawn or not pcall(drawn.render, drawn) then
        return nil
      end
      return function()
        pcall(drawn.clear, drawn)
      end
    end,
  }
end

---snacks.image, where its terminal can show pictures.
---@return pillion.ui.Painter?
local function snacks()
  local found = rawget(_G, 'Snacks')
  local image = type(found) == 'table' and found.image
  if type(image) ~= 'table' or type(image.placement) ~= 'table' then
    return nil
  end
  if type(image.supports_terminal) == 'function' and not image.supports_terminal() then
    return nil
  end
  return {
    name = 'snacks.image',
    place = function(path, buf, row)
      local ok, placed = pcall(image.placement.new, buf, path, { pos = { row + 1, 0 }, inline = true })
      if not ok or not placed then
        return nil
      end
      return function()
        pcall(placed.close, placed)
      end
    end,
  }
end

---The plugin that draws pictures here.
---@return pillion.ui.Painter?
function M.painter()
  return snacks() or image_nvim()
end

local placed = {} ---@type table<integer, fun()[]>

---Draws the pictures of a page below their lines. Where no plugin draws, their lines have the path.
---@param page pillion.Page
---@param attachments pillion.Attachment[]
---@return integer drawn
function M.place(page, attachments)
  for _, take_away in ipairs(placed[page.buf] or {}) do
    take_away()
  end
  placed[page.buf] = nil
  local painter = M.painter()
  if not painter or vim.fn.bufwinid(page.buf) == -1 then
    return 0
  end
  local drawn = {}
  for _, attachment in ipairs(attachments) do
    if lines.is_picture(attachment) then
      local row
      for number, line in ipairs(page.lines) do
        row = line.id == 'attachment:' .. attachment.uri and number or row
      end
      local take_away = row and painter.place(vim.uri_to_fname(attachment.uri), page.buf, row - 1)
      drawn[#drawn + 1] = take_away or nil
    end
  end
  placed[page.buf] = #drawn > 0 and drawn or nil
  return #drawn
end

---Has the system show a picture, because the user asked for it.
---@param attachment pillion.Attachment
function M.open(attachment)
  if not lines.is_picture(attachment) then
    return ask.refuse('that is no picture')
  end
  local path = vim.uri_to_fname(attachment.uri)
  local _, problem = vim.ui.open(path)
  if problem then
    ask.tell('nothing here opens pictures; it is ' .. text.visible(path))
  end
end

return M
