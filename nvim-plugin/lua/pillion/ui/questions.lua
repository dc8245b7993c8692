-- The open questions as a person meets them: a badge, a small window without focus, and the view of one question.
local client = require('pillion.client')
local protocol = require('pillion.protocol')
local state = require('pillion.state')

local M = {}

function M.watch() end

---Raises the question for what needs permission, and shows it.
---@param connector? string
function M.review(connector)
  client.request(protocol.requests.ask_show, { connector = connector }, function(err, result)
    if err or not result.askId then
      vim.notify('Pillion: ' .. (err and err.message or 'nothing needs permission'))
      return
    end
    M.open(result.askId)
  end)
end

function M.focus()
  local ask = state.asks()[1]
  if ask then
    return M.open(ask.askId)
  end
  M.review()
end

---@param id string
function M.open(id)
  return id
end

return M
