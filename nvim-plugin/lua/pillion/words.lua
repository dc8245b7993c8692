-- The words that people read for what the protocol names (U6): the sidecar's own, where it has words for it.
-- It holds no text of connectors and no highlights of lines, only their groups.

local M = {}

---@class (exact) pillion.words.State
---@field words string
---@field group string its highlight
---what <CR> does on it: an action of pillion.ui.actions
---@field action string
---@field hint string the action in words

---@type table<string, pillion.words.State>
local states = {
  waiting = { words = 'needs permission', group = 'PillionWaiting', action = 'review', hint = 'review and allow' },
  denied = { words = 'blocked by you', group = 'PillionOff', action = 'unblock', hint = 'take the block back' },
  disabled = { words = 'disabled', group = 'PillionOff', action = 'enable', hint = 'switch on' },
  starting = { words = 'starting', group = 'PillionBusy', action = 'log', hint = 'follow its log' },
  ready = { words = 'ready', group = 'PillionReady', action = 'expand', hint = 'show what it offers' },
  idle = { words = 'ready, starts on use', group = 'PillionIdle', action = 'expand', hint = 'show what it offers' },
  login = { words = 'sign in', group = 'PillionWaiting', action = 'restart', hint = 'start it again' },
  failed = { words = 'does not run', group = 'PillionFailed', action = 'restart', hint = 'start it again' },
  stopping = { words = 'stopping', group = 'PillionBusy', action = 'start', hint = 'start it again' },
}

---@type table<string, string>
local off = {
  project = 'switched off by the project',
  user = 'switched off by you',
  profile = 'not in the profile',
  file = 'switched off in its file',
}

---Where a connector is, and the one thing to do about it first.
---@param connector pillion.Connector
---@return pillion.words.State
function M.state(connector)
  local state = states[connector.state]
  if not state then
    -- A state that is not known is not running, with nothing to offer but its name.
    return { words = tostring(connector.state), group = 'PillionOff', action = 'why', hint = 'ask why' }
  end
  if connector.shadowedBy then
    return { words = 'another of this name is used', group = 'PillionOff', action = 'why', hint = 'ask why' }
  elseif connector.state == 'disabled' and connector.disabledBy and off[connector.disabledBy[1]] then
    return vim.tbl_extend('force', state, { words = off[connector.disabledBy[1]] })
  end
  return state
end

---@type table<string, { words: string, group: string }>
local statuses = {
  ok = { words = 'done', group = 'PillionReady' },
  toolError = { words = 'did not succeed', group = 'PillionFailed' },
  connectorError = { words = 'the connector answered with an error', group = 'PillionFailed' },
  declined = { words = 'declined', group = 'PillionWarning' },
  denied = { words = 'refused', group = 'PillionWarning' },
  needsConsent = { words = 'needs permission', group = 'PillionWaiting' },
  needsLogin = { words = 'needs a sign-in', group = 'PillionWaiting' },
  cancelled = { words = 'cancelled', group = 'PillionWarning' },
  ['repeat'] = { words = 'the same call was answered already', group = 'PillionReady' },
  invalidArguments = { words = 'not arguments that the tool takes', group = 'PillionFailed' },
  connectorDown = { words = 'the connector does not run', group = 'PillionFailed' },
  timeout = { words = 'no answer in time', group = 'PillionFailed' },
  task = { words = 'goes on in the background', group = 'PillionBusy' },
}

---What came of a call. A status that is not known reads as a failure that must not be repeated unasked.
---@param status string
---@return string words
---@return string group
function M.status(status)
  local known = statuses[status]
  if known then
    return known.words, known.group
  end
  return ('ended as %q, which this plugin does not know; look before you call again'):format(status), 'PillionFailed'
end

---How long the tool of a call took, where it ran.
---@param status string?
---@param ms integer?
---@return string?
function M.took(status, ms)
  local ran = status == 'ok' or status == 'toolError'
  return ms and (ran or ms > 0) and M.duration(ms) or nil
end

---Whether a call may have done something that its status does not tell, in a sentence.
---@param status string
---@param may boolean?
---@return string?
function M.may_have_run(status, may)
  if status == 'ok' or status == 'toolError' or status == 'repeat' or status == 'task' then
    return nil
  end
  return may and 'It may have run: look before you call it again.' or 'Nothing ran.'
end

local allowances = {
  readOnly = 'it only reads',
  rule = 'a standing permission',
  session = 'a permission of this session',
  answer = 'you allowed this call',
}

---What let a call run.
---@param allowed pillion.Allowance?
---@return string?
function M.allowed(allowed)
  return allowed and (allowances[allowed.by] or allowed.by)
end

local permissions = { auto = 'runs without a question', ask = 'asks', deny = 'refused' }

---What a call of a tool would meet.
---@param permission string
---@return string
function M.permission(permission)
  return permissions[permission] or permissions.ask
end

local sources = { user = 'yours', project = 'of the project', import = 'imported', builtin = 'part of Pillion' }

---Whose a connector is.
---@param source string
---@return string
function M.source(source)
  return sources[source] or sources.project
end

---A size as people read it.
---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 1024 then
    return bytes == 1 and '1 byte' or bytes .. ' bytes'
  elseif bytes < 1024 * 1024 then
    return ('%.1f KiB'):format(bytes / 1024)
  end
  return ('%.1f MiB'):format(bytes / (1024 * 1024))
end

---How long something took, as people read it.
---@param ms number
---@return string
function M.duration(ms)
  if ms < 1 then
    return '<1 ms'
  elseif ms < 1000 then
    return ('%d ms'):format(ms)
  elseif ms < 60000 then
    return ('%.1f s'):format(ms / 1000)
  end
  return ('%d min %d s'):format(math.floor(ms / 60000), math.floor(ms / 1000) % 60)
end

---A time of the wire, of today or of another day, in the clock of this machine.
---@param at string RFC 3339
---@return string
function M.time(at)
  local y, mo, d, h, mi, s, offset = at:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)[%d.]*(.*)$')
  if not y then
    return at
  end
  -- os.time reads its table as local time; the difference between the two readings of one instant takes that back.
  local seen = os.time({ year = y, month = mo, day = d, hour = h, min = mi, sec = s, isdst = false })
  local utc = os.date('!*t', seen) --[[@as osdateparam]]
  utc.isdst = false
  local instant = seen + os.difftime(seen, os.time(utc))
  local sign, oh, om = offset:match('^([+-])(%d+):(%d+)$')
  if sign then
    instant = instant - (sign == '-' and -1 or 1) * (tonumber(oh) * 3600 + tonumber(om) * 60)
  end
  local today = os.date('%Y-%m-%d') == os.date('%Y-%m-%d', instant)
  return os.date(today and '%H:%M:%S' or '%Y-%m-%d %H:%M', instant) --[[@as string]]
end

return M
