-- Lua here runs inside Neovim.
std = "luajit"
globals = { "vim" }
max_line_length = 120
