package host

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxServedBytes is the length of the longest served name.
// Agent hosts put a prefix of their own before it and stop at 64 (E1, C39).
const maxServedBytes = 48

// ToolID is the opaque, stable identity of one tool: the connector's id and the tool's raw name.
func ToolID(connectorID, tool string) string {
	return digest(connectorID+"\x00"+tool, 16)
}

func digest(text string, hexDigits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hexDigits]
}

// identity is what a served name must tell apart.
type identity struct {
	connectorID string
	connector   string
	tool        string
}

// servedNames gives every identity the name under which programs with narrow rules for names may call it.
// A name is `connector__tool` in [A-Za-z0-9_-], at most 48 bytes; one that had to be cleaned or cut, and every one of
// several that would be equal, ends in a digest of the identity. The order of the identities plays no part (C40).
// They stand as the identities do, each of which is there once.
func servedNames(all []identity) []string {
	users := make(map[string]int, len(all))
	names, folded := make([]string, len(all)), make([]string, len(all)) // the latter of those that stand without a loss
	for i, id := range all {
		name, exact := cleanServedName(id)
		if names[i] = name; exact {
			folded[i] = strings.ToLower(name)
			users[folded[i]]++
		}
	}
	for i, id := range all {
		if folded[i] == "" || users[folded[i]] > 1 {
			names[i] = withDigest(names[i], id)
		}
	}
	return names
}

// servedNameAlone is the name of an identity that no other one's is equal to.
func servedNameAlone(id identity) string { return servedNames([]identity{id})[0] }

// cleanServedName reports whether the name stands for the identity without a loss.
func cleanServedName(id identity) (name string, exact bool) {
	connector, connectorExact := cleanName(id.connector)
	tool, toolExact := cleanName(id.tool)
	name = connector + "__" + tool
	// A double underscore inside either part would make the border between the two ambiguous.
	exact = connectorExact && toolExact && len(name) <= maxServedBytes &&
		!strings.Contains(connector, "__") && !strings.HasSuffix(connector, "_") && !strings.HasPrefix(tool, "_")
	return name, exact
}

func cleanName(name string) (clean string, exact bool) {
	exact = name != ""
	clean = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		exact = false
		return '_'
	}, name)
	return clean, exact
}

func withDigest(name string, id identity) string {
	const digits = 8
	if longest := maxServedBytes - digits - 1; len(name) > longest {
		name = name[:longest]
	}
	return name + "-" + digest(id.connectorID+"\x00"+id.tool, digits)
}

// Label is the name people read: the connector as the file writes it, a dot, the tool as the connector lists it.
func Label(connector, tool string) string { return connector + "." + tool }

// CleanName is a connector's name as served names begin with it.
func CleanName(name string) string {
	clean, _ := cleanName(name)
	return clean
}
