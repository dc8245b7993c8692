// Package devtools starts a Chrome, Chromium or Edge of this machine without a window, and speaks the DevTools protocol to it
// over two pipes. It opens no port for debugging, knows no tool and no page, and decides nothing about what may be reached.
package devtools
