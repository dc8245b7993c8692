vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  pattern = '.mcp.json',
  callback = function(event)
    vim.lsp.start({
      name = 'pillion',
      cmd = { 'pillion', '--stdio' },
      root_dir = vim.fs.dirname(event.match),
    }, { bufnr = event.buf })
  end,
})
