package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// LooksSecret reports whether value is a secret by the name of its key ("GITHUB_TOKEN", "X-Api-Key") or by its own
// shape (sk-…, ghp_…, a JWT, a URL with a password). Length does not matter here.
func LooksSecret(key, value string) bool {
	if value == "" {
		return false
	}
	return hasSecretShape(value) || NamesSecret(key) && !isPlain(value)
}

// AddressLooksSecret reports whether an address holds a secret: before its host, or as a value of its query.
func AddressLooksSecret(address string) bool {
	if LooksSecret("url", address) {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	for name, values := range u.Query() {
		if slices.ContainsFunc(values, func(text string) bool { return LooksSecret(name, text) }) {
			return true
		}
	}
	return false
}

// hasSecretShape knows the prefixes and forms that providers give to their keys.
func hasSecretShape(value string) bool {
	value = strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(value, " "); ok && isAuthScheme(scheme) {
		value = strings.TrimSpace(rest)
		if len(value) >= MinBytes && !strings.Contains(value, " ") {
			return true
		}
	}
	return mayHaveShape(value) && shapes().MatchString(value)
}

// mayHaveShape leaves out at once what none of the shapes can be: they have no blanks, but for a key in PEM, and eight bytes.
func mayHaveShape(value string) bool {
	return len(value) >= 8 && (!strings.ContainsAny(value, " \t\n") || strings.HasPrefix(value, "-----BEGIN"))
}

// shapes is compiled on first use: programs that never look at an environment start without it.
var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`sk-[A-Za-z0-9_-]{12,}`, `[srp]k_(?:live|test)_[A-Za-z0-9]{8,}`, `whsec_[A-Za-z0-9+/=]{8,}`,
		`gh[pousr]_[A-Za-z0-9]{16,}`, `github_pat_[A-Za-z0-9_]{16,}`, `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_.-]{12,}`,
		`xox[abeoprs]-[A-Za-z0-9-]{8,}`, `xapp-[A-Za-z0-9-]{8,}`,
		`(?:AKIA|ASIA)[A-Z0-9]{16}`, `AIza[A-Za-z0-9_-]{30,}`, `ya29\.[A-Za-z0-9_-]{16,}`, `GOCSPX-[A-Za-z0-9_-]{16,}`,
		`eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`,
		`npm_[A-Za-z0-9]{20,}`, `pypi-[A-Za-z0-9_-]{16,}`, `hf_[A-Za-z0-9]{16,}`, `dop_v1_[a-f0-9]{16,}`, `dapi[a-f0-9]{32}`,
		`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}`, `sq0[a-z]{3}-[A-Za-z0-9_-]{16,}`,
		`lin_(?:api|oauth)_[A-Za-z0-9]{16,}`, `ntn_[A-Za-z0-9]{16,}`, `secret_[A-Za-z0-9]{30,}`, `figd_[A-Za-z0-9_-]{16,}`,
		`tvly-[A-Za-z0-9_-]{12,}`, `fc-[a-f0-9]{24,}`, `BSA[A-Za-z0-9_-]{20,}`, `pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}`, `key-[a-f0-9]{32}`,
		`hv[sb]\.[A-Za-z0-9_-]{16,}`, `AGE-SECRET-KEY-1[A-Z0-9]{20,}`, `sntry[su]_[A-Za-z0-9_+/=-]{16,}`, `ATATT[A-Za-z0-9_=-]{20,}`,
		`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*`,
		`[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:[^/?#\s@]+@\S*`,
	}, "|") + `)$`)
})

// NamesSecret reports whether the words of a key say that its value is secret.
func NamesSecret(key string) bool {
	words := keyWords(key)
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "file", "path", "dir", "folder", "url", "uri", "endpoint", "host", "name", "type", "limit", "limits", "ttl", "expiry",
		"timeout", "max", "count", "enabled", "mode", "method", "scheme", "prefix", "length", "size", "version", "issuer":
		return false
	}
	for i, w := range words {
		last := i == len(words)-1
		if strings.HasSuffix(w, "password") || strings.HasSuffix(w, "token") || strings.HasSuffix(w, "secret") {
			return true // PGPASSWORD
		}
		switch w {
		case "secrets", "passwd", "passphrase", "pwd", "apikey", "accesskey", "secretkey",
			"privatekey", "credential", "credentials", "creds", "authorization", "bearer",
			"cookie", "jwt", "dsn":
			return true
		case "pass", "pat", "auth", "sid", "session":
			if last {
				return true
			}
		case "key":
			if last && i > 0 && words[i-1] != "public" {
				return true
			}
			if !last && (words[i+1] == "id" || words[i+1] == "secret") {
				return true
			}
		}
	}
	return false
}

// keyWords splits a key at everything that is no letter or digit and at the humps of camelCase.
func keyWords(key string) []string {
	var b strings.Builder
	runes := []rune(key)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
			continue
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// isPlain reports whether a value says nothing worth hiding whatever its key is called.
func isPlain(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "yes", "no", "on", "off", "none", "null", "undefined", "disabled", "enabled", "required", "optional":
		return true
	}
	return len(value) < MinBytes && strings.Trim(value, "0123456789.-") == ""
}
