package sidecar

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/mcp/settings"
)

// configNames are the last names of the files that may be Pillion's own or another program's: of every other nothing is done
// as it is typed.
func configNames() []string {
	return []string{
		config.ProjectFileName, "mcp.json", settings.FileName, "claude_desktop_config.json", ".claude.json", "managed-mcp.json",
		"mcp_config.json", "servers.json", "opencode.json", "opencode.jsonc",
	}
}

// isConfigName recognises a configuration file by its name, never by its language (U13).
func (s *Session) isConfigName(u uri.URI) bool {
	path := pathOf(u)
	return path != "" && (slices.Contains(configNames(), filepath.Base(path)) || s.hasStarted() && path == s.core.Folders.UserFile)
}

// fileOf tells which of the session's configuration files a path is.
func (s *Session) fileOf(path string) (config.File, bool) {
	if path == s.core.Folders.UserFile {
		return config.File{Path: path, Source: config.SourceUser}, true
	}
	for _, file := range config.ProjectFiles(s.core.Roots(), "") {
		if file.Path == path {
			return file, true
		}
	}
	return config.File{}, false
}
