-- The highlight groups of the plugin, and what each is linked to unless the user or a colour scheme says otherwise.
local M = {}

---@type table<string, string>
M.groups = {
  PillionTitle = 'Title',
  PillionHeading = 'Title',
  PillionName = 'Identifier',
  PillionDetail = 'Comment',
  PillionHint = 'NonText',
  PillionReady = 'DiagnosticOk',
  PillionIdle = 'DiagnosticOk',
  PillionWaiting = 'DiagnosticWarn',
  PillionBusy = 'DiagnosticInfo',
  PillionFailed = 'DiagnosticError',
  PillionOff = 'Comment',
  PillionProblem = 'DiagnosticError',
  PillionWarning = 'DiagnosticWarn',
  PillionStep = 'Normal',
  PillionKey = 'Special',
  PillionType = 'Type',
  PillionRequired = 'DiagnosticWarn',
  PillionValue = 'String',
  PillionPath = 'Directory',
  PillionHidden = 'DiagnosticVirtualTextError',
  PillionForeign = 'NonText',
  PillionAdded = 'Added',
  PillionRemoved = 'Removed',
  PillionBadge = 'NormalFloat',
  PillionBadgeBorder = 'DiagnosticWarn',
}

---Links those that nobody has defined; done again it changes nothing.
function M.define()
  for name, link in pairs(M.groups) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

return M
