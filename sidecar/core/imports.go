package core

import (
	"runtime"

	"pillion/mcp/config/imports"
)

// Machine says where the files of other programs lie, for the environment and the workspace folders of this host.
func (c *Core) Machine() imports.Machine {
	look := lookup(c.environ)
	return imports.Machine{System: runtime.GOOS, Lookup: look, Home: firstSet(look, "HOME", "USERPROFILE"), Folders: c.Roots()}
}
