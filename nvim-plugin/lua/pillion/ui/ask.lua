-- Requests that a key or a command of the user's leads to: what goes wrong is told, what must be asked first is opened.
-- It knows no method.

local client = require('pillion.client')
local focus = require('pillion.ui.focus')
local notify = require('pillion.notify')
local text = require('pillion.text')

local M = {}

M.tell, M.refuse = notify.tell, notify.refuse

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

---Sends a request that may open a question in place of doing what is wanted; it is shown where nobody has typed since.
---@param method string
---@param params? table
---@param done? fun(result: any) not called where a question was opened
function M.change(method, params, done)
  local key = focus.last_key()
  M.request(method, params, function(result)
    if result.askId and result.askId ~= vim.NIL then
      return require('pillion.ui.questions').show(result.askId, key)
    end
    if done then
      done(result)
    end
  end)
end

---Reads a value unseen: vim.ui.input would show it while it is typed, and may keep it. It holds up Neovim until then.
---@param prompt string
---@return string? value nil where nothing was typed, or it was given up
function M.secret(prompt)
  local ok, value = pcall(vim.fn.inputsecret, prompt) -- <C-c> is an error of it
  vim.cmd.redraw()
  return ok and value ~= '' and value or nil
end

---For what takes the focus once an answer is there: it is done where the person still is as she was when she asked. If
---she pressed a key meanwhile she is told instead, and what she types goes nowhere else (U3).
---@generic F: function
---@param done F
---@param late? fun(...) instead of telling that it came
---@return F
function M.unless_gone(done, late)
  local key, mode = focus.last_key(), vim.api.nvim_get_mode().mode
  return function(...)
    if focus.last_key() == key and vim.api.nvim_get_mode().mode == mode then
      return done(...)
    elseif late then
      return late(...)
    end
    M.tell('what you asked for is there, and you went on; ask again')
  end
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
