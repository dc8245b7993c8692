// Package node runs a browser server that is written for Node (@playwright/mcp, chrome-devtools-mcp) as a connector of Pillion's:
// the server never starts a browser of its own, but is given one that is held to the rules of package native (S14, S22); of its
// tools those are offered that are known here, and what it writes to files of the session's folder is put into the result (H4).
// It installs nothing, and knows nothing of pages.
package node
