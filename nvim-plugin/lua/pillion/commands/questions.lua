-- What is asked.

---@type pillion.Subcommand[]
return {
  {
    name = 'questions',
    doc = 'Shows what is asked, the oldest question first; where nothing is, what needs permission.',
    run = function()
      require('pillion.ui.questions').focus()
    end,
  },
  {
    name = 'review',
    args = '[connector]',
    doc = 'Asks about the connectors that need permission, or about one.',
    complete = function()
      local names = {}
      for _, connector in ipairs(require('pillion.state').connectors()) do
        if connector.state == 'waiting' then
          names[#names + 1] = connector.name
        end
      end
      return names
    end,
    run = function(_, command)
      require('pillion.ui.questions').review(command.rest ~= '' and command.rest or nil)
    end,
  },
}
