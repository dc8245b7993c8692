-- What connectors offer, asked for as a whole: lists come in pages. Keeps nothing and shows nothing.
local client = require('pillion.client')
local requests = require('pillion.protocol').requests

local M = {}

---What one connector offers.
---@class (exact) pillion.Offer
---@field tools? pillion.Tool[]
---@field resources? pillion.Resource[]
---@field templates? pillion.ResourceTemplate[]
---@field prompts? pillion.Prompt[]
---@field problem? string why it could not be fetched

---Every tool that the parameters are about.
---@param params pillion.ToolsParams
---@param done fun(err: pillion.RequestError?, tools: pillion.Tool[], last: pillion.ToolsResult?)
function M.tools(params, done)
  local tools = {}
  local function page(cursor)
    local wanted = vim.tbl_extend('force', params, { cursor = cursor })
    client.request(requests.tools, wanted, function(err, result)
      if err then
        return done(err, tools)
      end
      vim.list_extend(tools, result.tools)
      if result.nextCursor then
        return page(result.nextCursor)
      end
      done(nil, tools, result)
    end)
  end
  page()
end

---All that a connector offers, what is off included.
---@param connector string its id
---@param done fun(offer: pillion.Offer)
function M.offer(connector, done)
  local offer, waits = {}, 3 ---@type pillion.Offer, integer
  local function came()
    waits = waits - 1
    if waits == 0 then
      done(offer)
    end
  end
  M.tools({ connector = connector, detail = 'full', all = true }, function(err, tools)
    offer.tools, offer.problem = tools, err and err.message
    came()
  end)
  client.request(requests.resources, { connector = connector }, function(_, result)
    offer.resources, offer.templates = result and result.resources, result and result.templates
    came()
  end)
  client.request(requests.prompts, { connector = connector }, function(_, result)
    offer.prompts = result and result.prompts
    came()
  end)
end

return M
