package core

import (
	"path/filepath"
	"slices"

	"pillion/mcp/catalog"
	"pillion/mcp/place"
	"pillion/mcp/state"
)

// keptLists is where what connectors listed is kept; nil where that cannot be, which costs a start of each in every session. A
// folder that a repository could hold is refused, as others are (S3).
func keptLists(folders Folders, o Options) *catalog.Store {
	if folders.Cache == "" || slices.ContainsFunc(o.Roots, func(root string) bool {
		return root != filepath.Dir(root) && place.LiesIn(folders.Cache, root)
	}) {
		return nil
	}
	// The folder of all caches may be anybody's of the user: each kind has a private one in it.
	folder, err := state.Open(filepath.Join(folders.Cache, "catalog"))
	if err != nil {
		o.Logger.Debug("lists are not kept", "error", err)
		return nil
	}
	return catalog.NewStore(folder)
}
