local MiniTest = require('mini.test')
local eq = MiniTest.expect.equality
local view = require('pillion.view')

local shown ---@type string[] what the page of a test shows, an id each

local function render()
  return vim.tbl_map(function(id)
    return { id .. ' ', { 'name', 'PillionName' }, id = id, item = { id = id } }
  end, shown)
end

local function buffer()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function cursor()
  return vim.api.nvim_win_get_cursor(0)[1]
end

local pressed ---@type any[]

local function open(name, more)
  local options = {
    name = 'pillion://' .. name,
    kind = 'test',
    title = name,
    render = render,
    keys = {
      {
        'x',
        'press it',
        function(item)
          pressed[#pressed + 1] = item and item.id or 'nothing'
        end,
      },
    },
  }
  return view.open(vim.tbl_extend('force', options, more or {}))
end

local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      shown, pressed = { 'a', 'b', 'c' }, {}
      vim.cmd('silent! only | enew!')
    end,
    post_case = function()
      vim.cmd('silent! %bwipeout!')
    end,
  },
})

T['a page is no file and cannot be changed'] = function()
  open('one'):show()
  eq(buffer(), { 'a name', 'b name', 'c name' })
  eq(
    { vim.bo.buftype, vim.bo.modeline, vim.bo.modifiable, vim.bo.swapfile, vim.bo.buflisted, vim.bo.filetype },
    { 'nofile', false, false, false, false, 'pillion-test' }
  )
end

T['the cursor stays on what it was on'] = function()
  local page = open('one')
  page:show()
  page:seek('b')
  eq(cursor(), 2)
  shown = { 'new', 'newer', 'a', 'b', 'c' }
  page:render()
  eq({ cursor(), page:item().id }, { 4, 'b' })
  shown = { 'c', 'b' }
  page:render()
  eq(cursor(), 2)
  shown = {}
  page:render()
  eq({ cursor(), buffer() }, { 1, { '' } })
end

T['it stays in a window that is not the current one'] = function()
  local page = open('one')
  page:show()
  page:seek('c')
  local win = vim.api.nvim_get_current_win()
  vim.cmd.wincmd('p')
  shown = { 'x', 'a', 'b', 'c' }
  page:render()
  eq(vim.api.nvim_win_get_cursor(win)[1], 4)
end

T['only what differs is written'] = function()
  local page = open('one')
  page:show()
  local changed = {}
  vim.api.nvim_buf_attach(page.buf, false, {
    on_lines = function(_, _, _, first, last, now)
      changed[#changed + 1] = { first, last, now }
    end,
  })
  page:render()
  shown = { 'a', 'B', 'c' }
  page:render()
  shown = { 'a', 'B' }
  page:render()
  eq(changed, { { 1, 2, 2 }, { 2, 3, 2 } })
end

T['keys get what the line is about, and are told by g?'] = function()
  open('one'):show()
  vim.cmd.normal('jx')
  eq(pressed, { 'b' })
  vim.cmd.normal('g?')
  eq(vim.bo.filetype, 'pillion-keys')
  eq(buffer(), { ' x   press it ', ' g?  these keys ', ' q   back, or close the window ' })
  vim.cmd.normal('q')
  eq(vim.bo.filetype, 'pillion-test')
end

T['pages share one window, and q goes back'] = function()
  open('one'):show()
  local windows = #vim.api.nvim_list_wins()
  eq(windows, 2)
  open('two'):show()
  open('three'):show()
  eq(#vim.api.nvim_list_wins(), windows)
  vim.cmd.normal('q')
  eq(vim.api.nvim_buf_get_name(0), 'pillion://two')
  vim.cmd.normal('q')
  eq(vim.api.nvim_buf_get_name(0), 'pillion://one')
  vim.cmd.normal('q')
  eq({ #vim.api.nvim_list_wins(), vim.bo.filetype }, { 1, '' })
end

T['the last window is left, not lost'] = function()
  open('one'):show()
  vim.cmd.only()
  vim.cmd.normal('q')
  eq({ #vim.api.nvim_list_wins(), vim.api.nvim_buf_get_name(0) }, { 1, '' })
end

T['a page of the same name is made anew, not twice'] = function()
  local first = open('one')
  first:show()
  shown = { 'z' }
  eq(open('one').buf, first.buf)
  eq(buffer(), { 'z name' })
end

T['a command says where'] = function()
  open('one'):show({ vertical = true, split = 'topleft' })
  eq(vim.fn.winlayout()[1], 'row')
  vim.cmd('silent! only')
  open('two'):show({ tab = vim.fn.tabpagenr() })
  eq(vim.fn.tabpagenr('$'), 2)
  vim.cmd('silent! tabonly')
end

T['the window gets its own options back'] = function()
  vim.wo.number = true
  open('one'):show()
  eq({ vim.wo.number, vim.wo.cursorline, vim.wo.winbar ~= '' }, { false, true, true })
  vim.api.nvim_win_set_buf(0, vim.api.nvim_create_buf(true, false))
  eq({ vim.wo.number, vim.wo.cursorline, vim.wo.winbar }, { true, false, '' })
  vim.wo.number = false
end

T['S17 foreign text that is too long for its line goes on behind its mark'] = function()
  local long = ('word '):rep(40)
  open('one', {
    render = function()
      return { { '│ ', long }, { '1. ', long }, { long } }
    end,
  }):show()
  vim.cmd.redraw()
  local win = vim.api.nvim_get_current_win()
  ---The column at which the second line of a row begins on the screen.
  local function continued_at(row)
    local first = vim.fn.screenpos(win, row, 1).row
    for column = 1, #vim.fn.getline(row) do
      local at = vim.fn.screenpos(win, row, column)
      if at.row == first + 1 then
        return at.col
      end
    end
  end
  -- Older versions count the bytes of the mark, newer ones its cells.
  eq({ continued_at(1) >= 3, continued_at(2), continued_at(3) }, { true, 4, 1 })
end

T['S23 no title of a page is read as a command'] = function()
  open('one', { title = '%{%execute("let g:ran = 1")%}' }):show()
  vim.cmd.redraw()
  eq(vim.api.nvim_eval_statusline(vim.wo.winbar, {}).str:match('^ (.-)  '), '%{%execute("let g:ran = 1")%}')
  eq(vim.g.ran, nil)
end

T['S23 no name of a page means anything to a shell or a status line'] = function()
  eq(view.part('a/$(touch x)`%{%1%}#|"\'*\u{202e}é'), 'a/__touch_x_____1________u_202e_é')
end

T['a page is read anew by :edit'] = function()
  open('one'):show()
  vim.cmd.edit()
  eq(buffer(), { 'a name', 'b name', 'c name' })
  eq({ vim.bo.modifiable, vim.bo.buftype }, { false, 'nofile' })
end

T['sections fold'] = function()
  local page = open('one', {
    foldlevel = 0,
    render = function()
      return {
        { 'head' },
        { 'section', fold = 1, folds = true },
        { 'in it', fold = 1 },
        { 'next', fold = 1, folds = true },
        { 'in that', fold = 1 },
      }
    end,
  })
  page:show()
  eq({ vim.fn.foldclosedend(1), vim.fn.foldclosedend(2), vim.fn.foldclosedend(4) }, { -1, 3, 5 })
end

T['what changes often makes a page once, and what nobody sees when it is looked at'] = function()
  local made = 0
  local page = open('often', {
    render = function()
      made = made + 1
      return render()
    end,
  })
  page:show()
  local before = made
  local function change()
    for _ = 1, 100 do
      page:refresh()
    end
    vim.wait(5000, function()
      return not page.is_due
    end)
  end
  change()
  eq(made - before, 1)
  vim.cmd.enew()
  shown = { 'd' }
  change()
  eq(made - before, 1)
  vim.api.nvim_win_set_buf(0, page.buf)
  eq(buffer(), { 'd name' })
  eq(made - before, 2)
end

return T
