-- The subcommands of :Pillion: which there are, how they are completed and run. What each does is in the files beside.
local M = {}

---@class (exact) pillion.Subcommand
---one or several words
---@field name string
---the arguments as the documentation writes them
---@field args? string
---what it does, as a sentence; the documentation is generated from it
---@field doc string
---what can stand in the place of the word that is being typed
---@field complete? fun(lead: string, words: string[]): string[]
---@field run fun(words: string[], command: pillion.CommandFacts)

---@class (exact) pillion.CommandFacts
---@field rest string what follows the name, as it was typed
---@field bang boolean
---@field mods table where to open, as the user said it before the command

-- In the order of the documentation.
local families = {
  'pillion.commands.window',
  'pillion.commands.tools',
  'pillion.commands.connectors',
  'pillion.commands.resources',
  'pillion.commands.browser',
  'pillion.commands.activity',
  'pillion.commands.questions',
  'pillion.commands.session',
}

---Every subcommand, in the order of the documentation.
---@return pillion.Subcommand[]
function M.all()
  local all = {}
  for _, family in ipairs(families) do
    vim.list_extend(all, require(family))
  end
  return all
end

---The subcommand that the words name, and the words after its name. The longest name counts.
---@param words string[]
---@return pillion.Subcommand?
---@return string[] rest
function M.find(words)
  local found, length = nil, -1
  for _, subcommand in ipairs(M.all()) do
    local name = vim.split(subcommand.name, ' ', { plain = true, trimempty = true })
    local fits = #name <= #words
    for i, word in ipairs(name) do
      fits = fits and words[i] == word
    end
    if fits and #name > length and (#name > 0 or #words == 0) then
      found, length = subcommand, #name
    end
  end
  return found, vim.list_slice(words, length + 1)
end

---Runs a command line.
---@param command { args: string, fargs: string[], bang: boolean, smods: table }
function M.run(command)
  local found, words = M.find(command.fargs)
  if not found then
    local name = require('pillion.text').quoted(command.fargs[1])
    require('pillion.ui.ask').refuse(('there is no subcommand %s; :Pillion <Tab> lists them'):format(name))
    return
  end
  local rest = command.args:gsub('^%s+', '')
  for _ in found.name:gmatch('%S+') do
    rest = rest:gsub('^%S+%s*', '')
  end
  require('pillion.fault').guard(found.run)(words, { rest = rest, bang = command.bang, mods = command.smods })
end

---What can stand where the cursor is.
---@param lead string
---@param line string
---@param at integer
---@return string[]
function M.complete(lead, line, at)
  local words = vim.split(line:sub(1, at), '%s+', { trimempty = true })
  table.remove(words, 1)
  if lead ~= '' then
    table.remove(words)
  end
  local found = {}
  local before = table.concat(words, ' ')
  for _, subcommand in ipairs(M.all()) do
    local name = subcommand.name
    local after = before == '' and name or vim.startswith(name, before .. ' ') and name:sub(#before + 2) or ''
    local word = after:match('^%S+')
    if word and not vim.list_contains(found, word) then
      found[#found + 1] = word
    end
  end
  local subcommand, rest = M.find(words)
  if subcommand and subcommand.complete and #words > 0 then
    vim.list_extend(found, require('pillion.fault').guard(subcommand.complete)(lead, rest) or {})
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, found)
end

return M
