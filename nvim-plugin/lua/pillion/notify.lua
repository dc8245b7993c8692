-- Messages to the person, in one line where a longer one would make Neovim wait for a key, whole where a plugin shows
-- them. It does not decide what is worth telling (U7).
local text = require('pillion.text')

local M = {}

---Whether messages go to the command line.
---@return boolean
local function is_plain()
  -- Where Neovim's own Lua is compiled in it has no file.
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or vim.startswith(source, '@vim/')
end

---Tells the person something.
---@param words string visible already
---@param level integer of vim.log.levels
---@param place? string where more of it stands: it is named also where the words are cut
function M.send(words, level, place)
  local tail = place and (' (%s)'):format(place) or ''
  words = 'Pillion: ' .. words
  if is_plain() then
    local room = vim.v.echospace
    if room < #tail + 20 then
      tail = '' -- on a screen so small the words count more
    end
    words = text.cut((words:gsub('%s*\n%s*', ' ')), math.max(1, room - #tail))
  end
  vim.notify(words .. tail, level, { title = 'Pillion' })
end

---Puts words below the screen, for as long as nothing else is put there.
---@param words string visible already
---@param group string
function M.below(words, group)
  vim.api.nvim_echo({ { text.cut((words:gsub('%s*\n%s*', ' ')), math.max(1, vim.v.echospace)), group } }, false, {})
end

---Tells the person something in answer to what they did.
---@param words string
function M.tell(words)
  M.send(words, vim.log.levels.INFO)
end

---Tells the person that what they wanted was not done.
---@param words string
function M.refuse(words)
  M.send(words, vim.log.levels.WARN)
end

return M
