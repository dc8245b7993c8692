vim.lsp.config('pillion', {
  cmd = { 'pillion', '--stdio' },
  filetypes = { 'json', 'jsonc' },
  root_markers = { '.mcp.json' },
  workspace_required = true,
})
vim.lsp.enable('pillion')
