vim.lsp.get_clients({ name = 'pillion' })[1]:request('workspace/executeCommand', {
  command = 'pillion.server.tool.call',
  arguments = { 'notes.write_note', { name = 'todo', text = 'milk' } },
})
