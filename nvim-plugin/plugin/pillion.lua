-- What is there before Pillion is wanted. Everything else is loaded when it is used.
if vim.g.loaded_pillion then
  return
end
vim.g.loaded_pillion = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_create_user_command('Pillion', function()
    vim.notify('Pillion needs Neovim 0.10 or newer.', vim.log.levels.ERROR)
  end, { nargs = '*' })
  return
end

vim.api.nvim_create_user_command('Pillion', function(command)
  require('pillion.commands').run(command)
end, {
  nargs = '*',
  bang = true,
  desc = 'MCP connectors: list, tools, questions',
  complete = function(lead, line, at)
    return require('pillion.commands').complete(lead, line, at)
  end,
})

local group = vim.api.nvim_create_augroup('pillion', {})
vim.api.nvim_create_autocmd({ 'VimEnter', 'UIEnter', 'DirChanged', 'BufReadPost', 'BufNewFile' }, {
  group = group,
  desc = 'start Pillion where there is a .mcp.json',
  callback = function(event)
    vim.schedule(function()
      require('pillion.start').consider(event.buf)
    end)
  end,
})

vim.api.nvim_create_autocmd('FocusGained', {
  group = group,
  desc = 'tell Pillion: agents join the window that had the focus last',
  callback = function()
    local client = package.loaded['pillion.client']
    if client then
      client.tell_focus()
    end
  end,
})

vim.keymap.set('n', '<Plug>(pillion)', '<Cmd>Pillion<CR>', { desc = 'Pillion: connectors' })
vim.keymap.set('n', '<Plug>(pillion-questions)', '<Cmd>Pillion questions<CR>', { desc = 'Pillion: what is asked' })
