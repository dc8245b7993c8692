-- Asking for a few texts one after the other, with what the connector says how each may go on.

local client = require('pillion.client')
local notify = require('pillion.notify')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

-- How long <Tab> waits for the connector: it holds up the editor.
local most_ms = 1500

---@class (exact) pillion.TextField
---@field name string
---@field required? boolean
---@field doc? string

local completing ---@type (fun(lead: string): string[])? of the input that is open

---For the completion of vim.ui.input.
---@param lead string
---@return string[]
function M.complete(lead)
  return completing and completing(lead) or {}
end

---@param params table connector and ref
---@param name string
---@param values table<string, string>
---@return fun(lead: string): string[]
local function completer(params, name, values)
  return function(lead)
    local answer
    local wanted = vim.tbl_extend('force', params, {
      argument = name,
      value = lead,
      arguments = next(values) and values or vim.empty_dict(),
    })
    local cancel = client.request(protocol.requests.complete, wanted, function(_, result)
      answer = result and result.values or {}
    end)
    vim.wait(most_ms, function()
      return answer ~= nil
    end, 10)
    if not answer then
      cancel()
    end
    -- A value over several lines, or with hidden characters, is not put into the line unseen.
    return vim.tbl_filter(function(value)
      return text.visible(value) == value
    end, answer or {})
  end
end

---Asks for each text, and gives up where the user does. One that may be left out is, where nothing is typed.
---@param fields pillion.TextField[]
---@param params { connector: string, ref: pillion.CompletionRef } of what the texts are
---@param done fun(values: table<string, string>)
function M.ask(fields, params, done)
  local values = {}
  local function next_one(i)
    local field = fields[i]
    if not field then
      return done(values)
    end
    completing = completer(params, field.name, values)
    local prompt = ('%s%s: '):format(text.visible(field.name), field.required and '' or ' (may be left out)')
    local completion = "customlist,v:lua.require'pillion.ui.texts'.complete"
    vim.ui.input({ prompt = prompt, completion = completion }, function(typed)
      if not typed then
        return
      elseif typed == '' and field.required then
        return notify.refuse(text.visible(field.name) .. ' is needed')
      elseif typed ~= '' then
        values[field.name] = typed
      end
      -- An input that answers at once would otherwise nest.
      vim.schedule(function()
        next_one(i + 1)
      end)
    end)
  end
  next_one(1)
end

return M
