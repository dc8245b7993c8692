package core

import (
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"pillion/mcp/config"
)

// maxCached bounds how many folders of npm's cache are looked at.
const maxCached = 200

// InstalledVersion is the version of a package that npx has fetched for this user last, or empty where that is not known. It
// reads the user's own cache of npm and nothing else.
func (c *Core) InstalledVersion(p config.Package) string {
	if p.Runner != "npx" || !filepath.IsLocal(filepath.FromSlash(p.Name)) {
		return ""
	}
	look := lookup(c.environ)
	cache := firstSet(look, "npm_config_cache")
	if home := firstSet(look, "HOME", "USERPROFILE"); cache == "" && home != "" {
		cache = filepath.Join(home, ".npm")
		if local := firstSet(look, "LOCALAPPDATA"); local != "" {
			cache = filepath.Join(local, "npm-cache")
		}
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	folders, err := os.ReadDir(filepath.Join(cache, "_npx"))
	if err != nil {
		return ""
	}
	version, newest := "", time.Time{}
	for _, folder := range folders[:min(len(folders), maxCached)] {
		path := filepath.Join(cache, "_npx", folder.Name(), "node_modules", filepath.FromSlash(p.Name), "package.json")
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 || !info.ModTime().After(newest) {
			continue
		}
		text, err := os.ReadFile(path)
		var described struct {
			Version string `json:"version"`
		}
		if err == nil && json.Unmarshal(text, &described) == nil && described.Version != "" {
			version, newest = described.Version, info.ModTime()
		}
	}
	return version
}
