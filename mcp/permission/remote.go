package permission

import (
	"bytes"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// HasRemoteURL reports whether an argument holds a URL that leads off this machine: what a tool is told to read could
// leave by it (S14). It reads URLs as generously as browsers do, and takes what it can't read for one.
func HasRemoteURL(arguments []byte) bool {
	return (!isObject(arguments) || mayHoldURL(arguments)) && anyString(arguments, holdsRemoteURL)
}

// endsSpecialScheme reports whether one of the schemes that browsers know may end somewhere: "http:", "wss:", "FTP:".
func endsSpecialScheme(text []byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, ':')
		if i < 0 {
			return false
		}
		if i > 0 && (rest[i-1]|0x20 == 'p' || rest[i-1]|0x20 == 's') {
			return true
		}
		rest = rest[i+1:]
	}
}

func holdsRemoteURL(text string) bool {
	if strings.ContainsAny(text, "\t\n\r") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text) // as URL parsers do
	}
	if remoteURLIn(text) {
		return true
	}
	if strings.IndexByte(text, '%') < 0 {
		return false
	}
	plain, err := url.PathUnescape(text) // a URL as a parameter of another
	return err == nil && remoteURLIn(plain)
}

func remoteURLIn(text string) bool {
	start := strings.TrimLeft(text, " ")
	if (strings.HasPrefix(start, "//") || strings.HasPrefix(start, `\\`)) && remoteAuthority(start[2:], true) {
		return true // relative to some scheme, or a Windows share
	}
	for i := 0; ; {
		colon := strings.IndexByte(text[i:], ':')
		if colon < 0 {
			return false
		}
		colon += i
		if leadsAway(schemeBefore(text[:colon]), text[colon+1:]) {
			return true
		}
		i = colon + 1
	}
}

// schemeBefore returns the scheme at the end of text, in lower case.
func schemeBefore(text string) string {
	start := len(text)
	for start > 0 && isSchemeByte(text[start-1]) {
		start--
	}
	return strings.ToLower(strings.TrimLeft(text[start:], "0123456789+-."))
}

func isSchemeByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '+' || b == '-' || b == '.'
}

// leadsAway reports whether what follows "scheme:" makes it a URL to another machine.
func leadsAway(scheme, rest string) bool {
	switch scheme {
	case "":
		return false
	case "http", "https", "ws", "wss", "ftp": // any number of slashes will do, of either kind
		return remoteAuthority(strings.TrimLeft(rest, `/\`), true)
	}
	return strings.HasPrefix(rest, "//") && remoteAuthority(rest[2:], false)
}

// remoteAuthority reports whether text begins with the host of another machine. In special schemes a backslash is a
// slash.
func remoteAuthority(text string, special bool) bool {
	end := strings.IndexAny(text, "/?# \"'<>`")
	if end < 0 {
		end = len(text)
	}
	if backslash := strings.IndexByte(text[:end], '\\'); special && backslash >= 0 {
		end = backslash
	}
	authority := text[:end]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	authority = strings.TrimRight(authority, ".,;!)}")
	return authority != "" && !isLoopback(authority)
}

// isLoopback reports whether an authority without credentials is this machine, without any doubt.
func isLoopback(authority string) bool {
	host := authority
	if colon := strings.LastIndexByte(authority, ':'); colon >= 0 && strings.Trim(authority[colon+1:], "0123456789") == "" {
		host = authority[:colon]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	} else if strings.Contains(host, ":") {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// Folders are some folders, in the spellings that arguments may name them by.
type Folders struct{ names []string }

// NewFolders returns the folders at these paths; those in the user's home folder are also known by their place in it.
func NewFolders(paths ...string) Folders {
	var f Folders
	home, _ := os.UserHomeDir()
	for _, folder := range paths {
		f.names = append(f.names, spelling(filepath.Clean(folder)))
		if rel, err := filepath.Rel(home, folder); home != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
			f.names = append(f.names, "/"+spelling(rel)) // ~/…, $HOME/…
		}
	}
	return f
}

// AreNamedIn reports whether an argument names a path in one of the folders, or one of them, however it is spelt: calls
// that touch Pillion's own folders have no standing yes (S20).
func (f Folders) AreNamedIn(arguments []byte) bool {
	if isObject(arguments) && !slices.ContainsFunc(f.names, func(name string) bool { return mayHold(arguments, path.Base(name)) }) {
		return false
	}
	return anyString(arguments, func(text string) bool {
		if mentionsAny(text, f.names) && namesAny(text, f.names) {
			return true
		}
		if strings.IndexByte(text, '%') < 0 {
			return false
		}
		plain, err := url.PathUnescape(text) // of a file: URL
		return err == nil && plain != text && namesAny(plain, f.names)
	})
}

// mentionsAny reports whether the last element of a name stands anywhere: most texts hold none, and are not looked at closer.
func mentionsAny(text string, names []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, path.Base(name)) })
}

func namesAny(text string, names []string) bool {
	text = spelling(text)
	clean := path.Clean(text) // a/../b
	for _, name := range names {
		if namesPath(text, name) || namesPath(clean, name) {
			return true
		}
	}
	return false
}

// spelling makes the spellings of a path alike.
func spelling(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
	for strings.Contains(text, "/./") || strings.Contains(text, "//") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "/./", "/"), "//", "/")
	}
	return text
}

// namesPath reports whether name stands in text and ends where a path element may end.
func namesPath(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		if text == "" || strings.IndexByte("/ \n\t\"'`;:,)&|>", text[0]) >= 0 {
			return true
		}
	}
}
