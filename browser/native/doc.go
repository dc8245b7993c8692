// Package native is the browser that needs nothing but a Chrome, Chromium or Edge of this machine: an MCP server whose tools
// open pages, read them and act on them, under the names that agents know from @playwright/mcp.
// It reaches no file of the user's, asks before a new origin (S14, S22), and keeps nothing when it ends.
package native
