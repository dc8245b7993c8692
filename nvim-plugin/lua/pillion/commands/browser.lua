-- The browser of this session.

---@param name string
---@return fun(words: string[])
local function browser(name)
  return function(words)
    require('pillion.start').now()
    require('pillion.ui.browser')[name](words[1])
  end
end

---@type pillion.Subcommand[]
return {
  {
    name = 'browser',
    doc = 'Says what the browser of this session does.',
    run = browser('tell'),
  },
  {
    name = 'browser start',
    doc = 'Starts it, asking first where that was not allowed.',
    run = function()
      browser('start')({})
    end,
  },
  {
    name = 'browser open',
    args = '{url}',
    doc = 'Has it open an address, and shows what is there.',
    run = browser('open'),
  },
  {
    name = 'browser picture',
    doc = 'Takes a picture of what it shows, and opens that.',
    run = browser('picture'),
  },
  {
    name = 'browser stop',
    doc = 'Ends it, with all its tabs; the next use asks again.',
    run = browser('stop'),
  },
  {
    name = 'browser ask',
    doc = 'Takes back that every session has one: the first use in a session asks again.',
    run = browser('ask'),
  },
}
