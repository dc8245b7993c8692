package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// prefixBytes of a long secret are a secret too: tools like to print a key's beginning (C63).
const prefixBytes = 20

// forms returns every spelling of a secret that is looked for, none shorter than MinBytes.
func forms(secret string) []string {
	var all []string
	for _, v := range values(secret) {
		if len(v) < MinBytes {
			continue
		}
		all = append(all, v)
		all = append(all, urlForms(v)...)
		all = append(all, jsonForms(v)...)
		all = append(all, hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
		all = append(all, base64Forms(v)...)
	}
	if len(secret) >= prefixBytes+MinBytes && !strings.ContainsAny(secret, " \t\r\n{") && !strings.Contains(secret, "://") {
		all = append(all, secret[:prefixBytes])
	}
	return all
}

// values returns the secret and the parts of it that are as secret: what follows an authentication scheme, the two
// sides of basic credentials, the lines of a key file.
func values(secret string) []string {
	all := []string{secret}
	trimmed := strings.TrimSpace(secret)
	all = append(all, trimmed)
	if scheme, rest, ok := strings.Cut(trimmed, " "); ok && isAuthScheme(scheme) {
		rest = strings.TrimSpace(rest)
		all = append(all, rest)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			all = append(all, string(plain), password)
		}
	}
	if strings.Contains(trimmed, "\n") {
		for line := range strings.Lines(trimmed) {
			if line = strings.TrimSpace(line); len(line) >= 2*MinBytes && !strings.HasPrefix(line, "-----") {
				all = append(all, line)
			}
		}
	}
	return all
}

func isAuthScheme(word string) bool {
	switch strings.ToLower(word) {
	case "bearer", "basic", "token", "apikey", "api-key", "key", "digest":
		return true
	}
	return false
}

// urlForms returns v as form values, path segments and encodeURIComponent write it, with hexadecimal digits in both cases.
func urlForms(v string) []string {
	component := strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").
		Replace(url.QueryEscape(v))
	var all []string
	for _, form := range []string{url.QueryEscape(v), url.PathEscape(v), component} {
		all = append(all, form, lowerHex(form))
	}
	return all
}

// lowerHex lowers the digits of every %XX.
func lowerHex(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(escaped[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// jsonForms returns v as the encoders in use escape it inside a JSON string: as little as possible, with HTML
// characters, with slashes, with everything outside ASCII.
func jsonForms(v string) []string {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(v, "\uFFFD"))
	if err != nil {
		return nil
	}
	minimal := string(quoted[1 : len(quoted)-1])
	html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
	slash := strings.NewReplacer("/", `\/`)
	var all []string
	for _, form := range []string{minimal, asciiOnly(minimal, false), asciiOnly(minimal, true)} {
		all = append(all, form, html.Replace(form), slash.Replace(form))
	}
	return all
}

// asciiOnly writes what is outside ASCII as \uXXXX.
func asciiOnly(escaped string, upper bool) string {
	digits := "0123456789abcdef"
	if upper {
		digits = "0123456789ABCDEF"
	}
	var b strings.Builder
	for _, r := range escaped {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte(digits[unit>>shift&15])
			}
		}
	}
	return b.String()
}

// base64Forms returns the characters that v alone decides when it stands in base64 at each of the three offsets:
// base64 of "user:secret" does not contain base64 of "secret".
func base64Forms(v string) []string {
	var all []string
	for offset := range 3 {
		plain := append(make([]byte, offset), v...)
		from, to := (offset*8+5)/6, len(plain)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString(plain)[from:to])
		}
	}
	return all
}
