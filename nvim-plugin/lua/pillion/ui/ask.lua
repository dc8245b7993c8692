-- Requests that a key or a command of the user's leads to: what goes wrong is told, what must be asked first is opened.
-- It knows no method.

local client = require('pillion.client')
local text = require('pillion.text')

local M = {}

---Whether messages go to the command line, where a long one would make the user press a key.
---@return boolean
local function is_plain()
  -- Where Neovim's own Lua is compiled in it has no file.
  local source = debug.getinfo(vim.notify, 'S').source
  return source == '?' or vim.startswith(source, '@vim/')
end

---@param words string
---@param level integer
local function notify(words, level)
  words = 'Pillion: ' .. words
  if is_plain() then
    words = text.cut((words:gsub('%s*\n%s*', ' ')), vim.v.echospace)
  end
  vim.notify(words, level)
end

---Tells the user something in answer to what he did.
---@param words string
function M.tell(words)
  notify(words, vim.log.levels.INFO)
end

---Tells the user that what he wanted was not done.
---@param words string
function M.refuse(words)
  notify(words, vim.log.levels.WARN)
end

---Sends a request. Where it fails that is told, and done is not called.
---@param method string
---@param params? table
---@param done? fun(result: any)
---@return fun() cancel
function M.request(method, params, done)
  return client.request(method, params, function(err, result)
    if err then
      return M.refuse(text.visible(err.message))
    end
    if done then
      done(result)
    end
  end)
end

---Sends a request that may open a question in place of doing what is wanted.
---@param method string
---@param params? table
---@param done? fun(result: any) not called where a question was opened
function M.change(method, params, done)
  M.request(method, params, function(result)
    if result.askId and result.askId ~= vim.NIL then
      return require('pillion.ui.questions').show(result.askId)
    end
    if done then
      done(result)
    end
  end)
end

---A text of a list to choose from: Neovim's own list would break it over two lines.
---@param words string
---@return string
function M.fit(words)
  return text.cut(words, math.max(40, vim.o.columns - 8))
end

---Lets the user choose, by whatever vim.ui.select is. Where there is one candidate he is not asked.
---@generic T
---@param items T[]
---@param prompt string
---@param label fun(item: T): string
---@param kind string for pickers: pillion_ and what is chosen
---@param done fun(item: T)
function M.choose(items, prompt, label, kind, done)
  if #items == 0 then
    return M.tell('there is nothing to choose from')
  elseif #items == 1 then
    return done(items[1])
  end
  local function fitting(item)
    return M.fit(label(item))
  end
  vim.ui.select(items, { prompt = prompt, format_item = fitting, kind = 'pillion_' .. kind }, function(item)
    if item then
      done(item)
    end
  end)
end

return M
