package permission

import "bytes"

// Most arguments hold nothing of what is looked for. These looks at the bytes as they stand spare decoding every string of
// them: false is certain, true is not.

// isObject reports whether text, if it is JSON at all, can be an object. What CheckArguments let through is one.
func isObject(text []byte) bool {
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}

// mayHoldURL reports whether a string may hold a URL. Escapes hide letters (\u) and slashes (\/, \\), and white space that
// URL parsers leave out stands between what they then join.
func mayHoldURL(text []byte) bool {
	if bytes.IndexByte(text, '%') >= 0 || bytes.Contains(text, []byte("//")) || endsSpecialScheme(text) {
		return true
	}
	for at := bytes.IndexByte(text, '\\'); at >= 0 && at+1 < len(text); {
		switch text[at+1] {
		case 'u', '/', '\\':
			return true
		case 't', 'n', 'r':
			if text[at-1] == '/' || at+2 < len(text) && (text[at+2] == '/' || text[at+2] == ':') {
				return true
			}
		}
		next := bytes.IndexByte(text[at+2:], '\\')
		if next < 0 {
			return false
		}
		at += 2 + next
	}
	return false
}

// mayHold reports whether a string may hold the name, which is in lower case, in any case and escaped or not.
func mayHold(text []byte, name string) bool {
	if name == "" || bytes.IndexByte(text, '%') >= 0 || bytes.Contains(text, []byte(`\u`)) {
		return true
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '/' {
			return true
		}
	}
	// Letters beyond ASCII have lower cases within it.
	for _, c := range text {
		if c >= 0x80 {
			return true
		}
	}
	return holdsFold(text, name)
}

// holdsFold reports whether the text holds the name, both ASCII and the name in lower case.
func holdsFold(text []byte, name string) bool {
	first := [2]byte{name[0], name[0]}
	if 'a' <= name[0] && name[0] <= 'z' {
		first[1] -= 'a' - 'A'
	}
	for _, c := range first {
		for rest := text; ; {
			at := bytes.IndexByte(rest, c)
			if at < 0 || len(rest)-at < len(name) {
				break
			}
			rest = rest[at:]
			if isFold(rest[:len(name)], name) {
				return true
			}
			rest = rest[1:]
		}
	}
	return false
}

func isFold(text []byte, name string) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}
