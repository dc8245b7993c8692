-- When something may take the focus (U3): after the person's own action, in normal mode, and once no key was pressed
-- for a while. It opens nothing.
local M = {}

-- How long no key may have been pressed.
local quiet_ms = 1000
-- For so long what the person did may be what a question comes of.
local act_ms = 30000

local now = {
  is_watching = false,
  last_key = 0,
  act = nil, ---@type integer? when the person did what may lead to a question
}

---Begins to notice keys; does nothing where that was done.
---@param pressed fun() called at every key
function M.watch(pressed)
  if now.is_watching then
    return
  end
  now.is_watching = true
  vim.on_key(function()
    now.last_key = vim.uv.now()
    pressed()
  end, vim.api.nvim_create_namespace('pillion.keys'))
end

---When the last key was pressed: whoever asks for something keeps it, to know whether the person went on since.
---@return integer
function M.last_key()
  return now.last_key
end

---Whether what was asked for may still be shown: nothing was pressed since, and nobody types.
---@param key integer? when the last key was pressed before
---@return boolean
function M.is_unmoved(key)
  return (not key or now.last_key == key) and vim.api.nvim_get_mode().mode == 'n'
end

---The person did something that may lead to a question, such as a call.
function M.expect()
  local since = vim.uv.now()
  now.act = since
  vim.defer_fn(function()
    if now.act == since then
      now.act = nil
    end
  end, act_ms)
end

---What was expected has come, or is of no interest any more.
function M.forget()
  now.act = nil
end

---Whether the first question that the person's action led to may be shown: whoever typed on sees the badge alone.
---@return "now"|"soon"|"no" soon: once the person has been quiet
function M.expected()
  if not now.act then
    return 'no'
  elseif now.last_key > now.act + 50 then
    now.act = nil -- the person went on
    return 'no'
  end
  local is_quiet = vim.api.nvim_get_mode().mode == 'n'
    and vim.fn.getcmdwintype() == ''
    and vim.uv.now() - now.last_key >= quiet_ms
  return is_quiet and 'now' or 'soon'
end

return M
