-- Prompts of connectors: choosing one, filling in its texts, and what the connector wrote as a buffer.

local ask = require('pillion.ui.ask')
local block = require('pillion.lines.block')
local protocol = require('pillion.protocol')
local result_lines = require('pillion.lines.result')
local state = require('pillion.state')
local text = require('pillion.text')
local view = require('pillion.view')

local requests = protocol.requests

local M = {}

---@param result pillion.PromptGetResult
---@return pillion.Line[]
local function lines(result)
  if result.status ~= 'ok' then
    return result_lines.unmade(result)
  end
  local found = {}
  if result.description and result.description ~= '' then
    block.append(found, block.foreign(result.description, '', 'PillionDetail'))
    found[#found + 1] = {}
  end
  for i, message in ipairs(result.messages) do
    local body = block.foreign(message.text or '', '')
    for _, attachment in ipairs(message.attachments or {}) do
      block.append(body, result_lines.attachment(attachment))
    end
    if i > 1 then
      found[#found + 1] = {}
    end
    local whose = message.role == 'assistant' and 'Assistant' or 'User'
    block.append(found, block.section(whose, message.truncated and 'cut' or nil, body))
  end
  return found
end

---@param result pillion.PromptGetResult
---@return string
local function whole(result)
  local parts = {}
  for _, message in ipairs(result.messages) do
    parts[#parts + 1] = message.text
  end
  return table.concat(parts, '\n\n')
end

---@param prompt pillion.Prompt
---@param values table<string, string>
local function write(prompt, values)
  local params = {
    connector = prompt.connector,
    name = prompt.name,
    arguments = next(values) and values or vim.empty_dict(),
  }
  local function page(result)
    local connector = state.connector(prompt.connector)
    local name = connector and connector.name or prompt.connector
    return view.open({
      name = ('pillion://prompt/%s/%s'):format(view.part(name), view.part(prompt.name)),
      kind = 'prompt',
      title = ('Prompt %s of %s'):format(text.visible(prompt.name), text.visible(name)),
      keys = {
        {
          'r',
          'have it written again with the same texts',
          function()
            write(prompt, values)
          end,
        },
        {
          'e',
          'have it written with other texts',
          function()
            M.get(prompt)
          end,
        },
        {
          'gy',
          'copy all of it, as it was sent',
          function()
            vim.fn.setreg(vim.v.register, whole(result))
            ask.tell('copied')
          end,
        },
      },
      render = function()
        return lines(result)
      end,
    })
  end
  -- A connector may take long to write one: whoever went on finds it as a buffer.
  local function show(result)
    page(result):show()
  end
  local function leave(result)
    ask.tell('the prompt is written: :buffer ' .. page(result).options.name)
  end
  ask.request(requests.prompt_get, params, ask.unless_gone(show, leave))
end

---Asks for the texts of a prompt, has it written, and shows it.
---@param prompt pillion.Prompt
function M.get(prompt)
  local fields = vim.tbl_map(function(argument)
    return { name = argument.name, required = argument.required, doc = argument.description }
  end, prompt.arguments)
  require('pillion.ui.texts').ask(
    fields,
    { connector = prompt.connector, ref = { prompt = prompt.name } },
    function(values)
      write(prompt, values)
    end
  )
end

---Lets the user choose a prompt.
---@param connector_id? string
function M.pick(connector_id)
  local function choose(result)
    if #result.prompts == 0 then
      return ask.tell('there is no prompt; connectors that have not run yet have told of none')
    end
    vim.ui.select(result.prompts, {
      prompt = 'Prompt',
      kind = 'pillion_prompt',
      format_item = function(prompt)
        local connector = state.connector(prompt.connector)
        local name = connector and connector.name .. '  ' or ''
        local about = block.cut(prompt.description or '', 80)
        return ask.fit(('%s%s  %s'):format(text.visible(name), text.visible(prompt.name), about))
      end,
    }, function(prompt)
      if prompt then
        M.get(prompt)
      end
    end)
  end
  ask.request(requests.prompts, { connector = connector_id }, ask.unless_gone(choose))
end

return M
