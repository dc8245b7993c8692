package config

import "pillion/mcp/settings"

// nearest returns the known key that a misspelt one most likely stands for.
func nearest(key string, known []string, elsewhere map[string]string) (string, bool) {
	if right, ok := elsewhere[key]; ok {
		return right, true
	}
	return settings.Nearest(key, known)
}
