-- Whether Pillion is to run, and for which folders. Runs nothing itself.
local M = {}

---The file that makes a folder a workspace of connectors.
M.marker = '.mcp.json'

---@class (exact) pillion.StartFacts
---@field ui boolean whether somebody looks at this Neovim
---@field pager boolean whether it reads from a pipe, or was asked to be a pager
---@field diff boolean whether it compares files
---@field filetype string of the buffer
---@field buftype string of the buffer
---@field root? string folder with a .mcp.json that the buffer, or the working folder, lies in
---@field home string
---@field autostart boolean

---File types of editors that other programs open for a moment (U32).
local passing = { gitcommit = true, gitrebase = true, hgcommit = true, svn = true, jj = true, man = true }

---Whether a folder may be a workspace: the home folder and the root of the file system never are (U33).
---@param folder string?
---@param home string
---@return boolean
function M.may_be_root(folder, home)
  if not folder or folder == '' then
    return false
  end
  folder = vim.fs.normalize(folder)
  local is_top = folder == '/' or folder:match('^%a:/?$') ~= nil
  return not is_top and folder ~= vim.fs.normalize(home)
end

---Whether Pillion starts by itself, and the reason in words.
---@param facts pillion.StartFacts
---@return boolean starts
---@return string why
function M.decide(facts)
  if not facts.autostart then
    return false, 'autostart is off'
  elseif not facts.ui then
    return false, 'nobody looks at this Neovim (headless)'
  elseif facts.pager then
    return false, 'this Neovim is a pager'
  elseif facts.diff then
    return false, 'this Neovim compares files'
  elseif passing[facts.filetype] then
    return false, 'a buffer of the file type ' .. facts.filetype .. ' is no reason to start'
  elseif facts.buftype ~= '' then
    return false, 'the buffer is no file'
  elseif not facts.root then
    return false, 'no ' .. M.marker .. ' above this file or the working folder'
  elseif not M.may_be_root(facts.root, facts.home) then
    return false, 'the home folder and / are never workspaces'
  end
  return true, M.marker .. ' in ' .. facts.root
end

local function home()
  return vim.uv.os_homedir() or ''
end

---The folder that a buffer belongs to: its file's, else the working folder.
local function folder_of(buf)
  local name = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_name(buf) or ''
  if name ~= '' and vim.bo[buf].buftype == '' and not name:match('^%a[%w+.-]+://') then
    return vim.fs.dirname(name)
  end
  return vim.fn.getcwd()
end

---The nearest folder with a .mcp.json. What lies above the home folder is not looked at.
---@param folder string
---@return string?
function M.marked(folder)
  local upward = { path = folder, upward = true, type = 'file', stop = vim.fs.dirname(home()) }
  local found = vim.fs.find(M.marker, upward)[1]
  return found and vim.fs.dirname(found)
end

---What the decision about a buffer is made of.
---@param buf integer
---@return pillion.StartFacts
function M.facts(buf)
  local pager = false
  for _, arg in ipairs(vim.v.argv) do
    pager = pager or arg == '-R' or arg == '+Man!' or arg == '-'
  end
  return {
    ui = #vim.api.nvim_list_uis() > 0,
    pager = pager,
    diff = vim.wo.diff,
    filetype = vim.bo[buf].filetype,
    buftype = vim.bo[buf].buftype,
    root = M.marked(folder_of(buf)),
    home = home(),
    autostart = require('pillion.options').current().autostart,
  }
end

---The workspace for a buffer when the user asks for Pillion: with a .mcp.json, else the project, else the working
---folder. Nil where only the user's own connectors are to be had.
---@param buf integer
---@return string?
function M.root(buf)
  local folder = folder_of(buf)
  local found = M.marked(folder) or vim.fs.root(folder, '.git') or vim.fn.getcwd()
  return M.may_be_root(found, home()) and found or nil
end

---Whether a document is one that Pillion answers questions about, by its name (U13).
---@param name string
---@return boolean
function M.is_document(name)
  local tail = vim.fs.basename(name)
  if tail == M.marker or vim.endswith(tail, '.pillion') then
    return true
  end
  if tail ~= 'mcp.json' and tail ~= 'settings.json' then
    return false
  end
  local folder = vim.env.PILLION_CONFIG_DIR
    or vim.fs.joinpath(vim.env.XDG_CONFIG_HOME or vim.fs.joinpath(home(), '.config'), 'pillion')
  return vim.fs.dirname(name) == vim.fs.normalize(folder)
end

---Starts Pillion for a buffer if it is to be, and has it look after the buffer's document.
---@param buf integer
function M.consider(buf)
  if not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  local client = package.loaded['pillion.client']
  local is_wanted = client and client.wanted()
  if not is_wanted then
    if client and client.has_quit() then
      return
    end
    -- The cheap question first: most folders have no connectors.
    if not M.marked(folder_of(buf)) or not M.decide(M.facts(buf)) then
      return
    end
    client = require('pillion.client')
    require('pillion.state').watch()
    require('pillion.ui.questions').watch()
  end
  local facts = M.facts(buf)
  if M.decide(facts) then
    client.start(facts.root)
  end
  if M.is_document(vim.api.nvim_buf_get_name(buf)) then
    client.attach(buf)
  end
end

---Starts Pillion because the user asked for it.
---@param again? boolean whether it is tried again where it failed
function M.now(again)
  require('pillion.state').watch()
  require('pillion.ui.questions').watch()
  require('pillion.client').start(M.root(vim.api.nvim_get_current_buf()), again)
end

return M
