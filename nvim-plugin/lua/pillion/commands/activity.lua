-- What happened, what stands, and what is not as it should be.

local function start()
  require('pillion.start').now()
end

---@type pillion.Subcommand[]
return {
  {
    name = 'activity',
    doc = 'Shows what was called by whom and what came of it, and what stands, with its undo.',
    run = function(_, command)
      start()
      require('pillion.ui.activity').open(command.mods)
    end,
  },
  {
    name = 'permissions',
    doc = 'Lists every standing yes and no, with its date; one key undoes one.',
    run = function(_, command)
      start()
      require('pillion.ui.activity').permissions(command.mods)
    end,
  },
  {
    name = 'secrets',
    doc = 'Lists the values of inputs that are stored or wanted, never the values; one key stores or forgets one.',
    run = function()
      start()
      require('pillion.ui.secrets').open()
    end,
  },
  {
    name = 'sessions',
    doc = 'Lists the sessions of callers that have processes to themselves.',
    run = function()
      start()
      require('pillion.ui.sessions').open()
    end,
  },
  {
    name = 'doctor',
    doc = 'Looks at everything that Pillion needs, and says what to do about what is not as it should be.',
    run = function()
      start()
      require('pillion.ui.doctor').open()
    end,
  },
}
