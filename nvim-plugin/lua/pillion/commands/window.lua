-- The window of the connectors.

---@type pillion.Subcommand[]
return {
  {
    name = '',
    doc = 'Starts Pillion if it does not run, and opens the window of the connectors.',
    run = function(_, command)
      require('pillion.start').now()
      require('pillion.ui.connectors').open(command.mods)
    end,
  },
}
