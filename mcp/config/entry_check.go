package config

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"strings"

	"pillion/mcp/settings"
)

// transportOf reads a transport's name: the canonical one, or "" when it is
// none that Pillion speaks, and whether other hosts spell it so.
func transportOf(written string) (canonical string, usual bool) {
	switch written {
	case "stdio", "sse":
		return written, true
	case "http", "streamable-http":
		return TransportHTTP, true
	}
	switch settings.Plain(written) {
	case "stdio":
		return TransportStdio, false
	case "sse":
		return TransportSSE, false
	case "http", "streamablehttp", "httpstream", "httpstreaming", "httpstreamable":
		return TransportHTTP, false
	}
	return "", false
}

// transport reads type, or one of the keys that stand for it in the wild.
func (r *entryReader) transport(m member) {
	at := m.span()
	fix := `write "stdio", "http" or "sse"`
	if m.value.Value.Kind() != '"' {
		r.typed = &m
		r.refuse(CodeType, at, m.key+" is "+kindName(m.value), fix)
		return
	}
	written := decodeString(m.value.Value)
	canonical, usual := transportOf(written)
	if m.key != "type" {
		f := Finding{Code: CodeSpelling, Severity: Hint, Span: m.keySpan,
			Message: "other hosts do not read " + quoted(m.key), Fix: `write "type"`, Edit: &Edit{m.keySpan, `"type"`}}
		if r.hasAny("type") {
			f.Fix, f.Edit = `remove it: "type" is there already`, nil
		}
		r.add(f)
	}
	switch {
	case canonical == "" && (settings.Plain(written) == "ws" || settings.Plain(written) == "websocket"):
		r.refuse(CodeTransport, at, "Pillion does not speak WebSocket", `use the server's "http" endpoint if it has one`)
	case canonical == "":
		f := Finding{Code: CodeTransport, Severity: Error, Span: at, Message: "the transport " + quoted(written) + " is not known", Fix: fix}
		if near, ok := nearest(written, []string{"stdio", "http", "streamable-http", "sse"}, nil); ok {
			f.Fix, f.Edit = "write "+quoted(near), &Edit{at, quoteJSON(near)}
		}
		r.add(f)
	case r.typed != nil && canonical != r.entry.Transport:
		r.refuse(CodeConflict, at, "the entry names two transports", "keep one of the two")
	case !usual:
		r.add(Finding{Code: CodeSpelling, Severity: Hint, Span: at, Message: "other hosts do not read " + quoted(written),
			Fix: "write " + quoted(canonical), Edit: &Edit{at, `"` + canonical + `"`}})
	}
	if r.typed == nil {
		r.typed, r.entry.Transport = &m, canonical
	}
}

// disabled reads the off switch in both its spellings.
func (r *entryReader) disabled(m member) {
	var off bool
	switch string(r.text[m.value.StartOffset:m.value.EndOffset]) {
	case "true":
		off = m.key == "disabled"
	case "false":
		off = m.key == "enabled"
	default:
		// Unclear: it does not run, and what it narrows is off.
		r.entry.off = true
		r.refuse(CodeType, m.span(), m.key+" is "+kindName(m.value), "write true or false")
		return
	}
	r.entry.Disabled = r.entry.Disabled || off
	r.entry.off = r.entry.Disabled || r.entry.off
}

// check judges the entry as a whole, once all of its keys are read.
func (r *entryReader) check() {
	e := r.entry
	r.settleTransport()
	r.unused()
	if m, ok := r.has["url"]; ok && e.Transport != TransportStdio && m.value.Value.Kind() == '"' {
		r.url()
	}
	if e.Transport == TransportStdio && RunsPillion(e.Command, e.Args) {
		e.Pillion = true
		f := Finding{Code: CodeSelf, Severity: Information, Span: e.KeySpan, Entry: e.Name,
			Message: "this is Pillion, for other agents", Fix: "it is never started from here"}
		r.add(f)
		e.Fault = &f
	}
}

// settleTransport decides what the entry is, and whether its parts agree.
func (r *entryReader) settleTransport() {
	e := r.entry
	command, url := r.hasAny("command"), r.hasAny("url")
	refused := r.typed != nil && e.Transport == ""
	switch {
	case e.alias != "":
		r.refuseOwn()
	case command && url:
		r.add(Finding{Code: CodeConflict, Severity: Error, Span: r.has["url"].keySpan, Related: []Span{r.has["command"].keySpan},
			Message: "the entry has both command and url", Fix: "keep one of the two"})
	case refused:
		// Said already; guessing further would only add noise.
	case command && r.typed != nil && e.Transport != TransportStdio:
		r.refuse(CodeConflict, r.typed.span(), "the entry has a command, but its type is "+quoted(e.Transport), "remove the type, or write a url instead of the command")
	case url && e.Transport == TransportStdio:
		at := r.typed.span()
		r.add(Finding{Code: CodeConflict, Severity: Error, Span: at, Message: `the entry has a url, but its type is "stdio"`,
			Fix: `write "http"`, Edit: &Edit{at, `"http"`}})
	case command:
		e.Transport = TransportStdio
	case url && r.typed == nil:
		e.Transport = TransportHTTP
		r.missingType()
	case url:
	case r.narrows():
		e.Narrows = true
		e.Fault = &Finding{Code: CodeNarrowsOnly, Severity: Hint, Span: e.KeySpan, Entry: e.Name,
			Message: "the entry has no command or url and only narrows your own connector of that name"}
	case r.vouches():
		e.Vouches = true
		e.Fault = &Finding{Code: CodeNarrowsOnly, Severity: Hint, Span: e.KeySpan, Entry: e.Name,
			Message: "the entry has no command or url and only says that a project's connector of that name is believed"}
	case e.Transport == TransportStdio:
		r.refuse(CodeIncomplete, e.KeySpan, "the entry has no command", `write "command" with the program to run`)
	case e.Transport != "":
		r.refuse(CodeIncomplete, e.KeySpan, "the entry has no url", `write "url" with the server's address`)
	default:
		r.refuse(CodeIncomplete, e.KeySpan, "the entry has neither command nor url", `write "command" with the program to run, or "url" with the server's address`)
	}
}

// narrows reports whether the entry only takes away from the user's connector
// of its name (S4).
func (r *entryReader) narrows() bool {
	if r.entry.File.Source != SourceProject {
		return false
	}
	for key := range r.has {
		switch key {
		case "disabled", "enabled", "description", "pillion":
		default:
			return false
		}
	}
	return r.entry.off || r.hasAny("enabled", "disabled") || len(r.entry.Options.ExcludeTools) > 0
}

// vouches reports whether the entry only says that what a project's connector of
// its name claims to only read is believed (E2, S4).
func (r *entryReader) vouches() bool {
	if r.entry.File.Source != SourceUser || !r.entry.Options.TrustReadOnly {
		return false
	}
	for key := range r.has {
		if key != "description" && key != "pillion" {
			return false
		}
	}
	return true
}

func (r *entryReader) missingType() {
	if !r.shared() {
		return
	}
	at := r.has["url"].keySpan
	r.add(Finding{Code: CodeOtherHosts, Severity: Hint, Span: at, Message: "Claude Code does not start a url without a type",
		Fix: `add "type": "http"`, Edit: &Edit{Span{at.Start, at.Start}, `"type": "http",` + r.gapBefore(at.Start)}})
}

// gapBefore is what stands between a member and the one before it: a line end
// with the indentation where it is the first on its line, and else a blank.
func (r *entryReader) gapBefore(offset int) string {
	const longest = 1 << 10 // no indentation is longer, and a file may be one line
	before := max(0, offset-longest)
	start := before + bytes.LastIndexByte(r.text[before:offset], '\n')
	if start < before || len(bytes.TrimLeft(r.text[start:offset], " \t\n")) > 0 {
		return " "
	}
	if start > 0 && r.text[start-1] == '\r' {
		start--
	}
	return string(r.text[start:offset])
}

// unused points at keys that the transport has no use for.
func (r *entryReader) unused() {
	keys := []string{"headers"}
	if r.entry.Transport != TransportStdio {
		keys = []string{"args", "env", "cwd", "envFile"}
	}
	if r.entry.Transport == "" {
		return
	}
	for _, key := range keys {
		if m, ok := r.has[key]; ok {
			r.hint(CodeUnusedKey, m.keySpan, fmt.Sprintf("%s has no effect on a %s connector", key, r.entry.Transport), "remove it")
		}
	}
}

func (r *entryReader) url() {
	at, _ := r.entry.Field("url")
	value := r.entry.URL
	if before, _, found := strings.Cut(value, "${"); found {
		scheme, _, ok := strings.Cut(before, ":")
		if !ok || isWebScheme(scheme) {
			return // judged again once it is expanded
		}
		value = scheme + ":"
	}
	if f := judgeURL(value); f != nil {
		f.Span = at
		r.add(*f)
	}
}

func isWebScheme(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// judgeURL says what is wrong with an expanded URL, or returns nil. It never
// repeats the URL: it may hold a secret.
func judgeURL(raw string) *Finding {
	f := &Finding{Code: CodeURL, Severity: Error, Fix: `write an address such as "https://example.com/mcp"`}
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		f.Message = "url is empty"
	case err != nil:
		f.Message = "url is not an address that can be read"
	case u.Scheme == "" || isPort(u.Opaque):
		f.Message = "url does not start with https:// or http://"
	case !isWebScheme(u.Scheme):
		f.Message = "url has the scheme " + quoted(u.Scheme) + ", which is refused"
	case u.Hostname() == "":
		f.Message = "url names no host"
	case strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()):
		return &Finding{Code: CodePlainHTTP, Severity: Warning,
			Message: "http sends everything, headers too, in the clear to another machine", Fix: "use https"}
	default:
		return nil
	}
	return f
}

// isPort recognises localhost:3000/mcp, which parses as a scheme with the port
// behind it.
func isPort(opaque string) bool { return opaque != "" && '0' <= opaque[0] && opaque[0] <= '9' }

func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address := net.ParseIP(host)
	return address != nil && address.IsLoopback()
}

// headerName judges the name, and a value's line breaks, of one header.
func (r *entryReader) headerName(m member) {
	if !isToken(m.key) {
		r.refuse(CodeHeader, m.keySpan, quoted(m.key)+" is not a header's name", "use letters, digits and dashes")
		return
	}
	lower := strings.ToLower(m.key)
	if at, ok := r.headers[lower]; ok && string(r.text[at.Start:at.End]) != string(r.text[m.keySpan.Start:m.keySpan.End]) {
		r.add(Finding{Code: CodeHeader, Severity: Error, Span: m.keySpan, Related: []Span{at},
			Message: "the header " + quoted(m.key) + " stands here twice in two spellings", Fix: "keep one of the two"})
	}
	r.headers[lower] = m.keySpan
	if m.value.Value.Kind() == '"' && hasLineBreak(decodeString(m.value.Value)) {
		r.refuse(CodeHeader, m.span(), "the value of the header "+m.key+" holds a line break", "remove it")
	}
}

func hasLineBreak(value string) bool { return strings.ContainsAny(value, "\r\n\x00") }

// isToken follows RFC 9110, 5.6.2.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return isUnusual(r) && !strings.ContainsRune("!#$%&'*+^`|~", r)
	})
}

// variableName judges the name of one variable of env.
func (r *entryReader) variableName(m member) {
	switch {
	case m.key == "" || strings.ContainsAny(m.key, "=\x00"):
		r.refuse(CodeValue, m.keySpan, quoted(m.key)+" is not a variable's name", "use letters, digits and underscores")
	case r.entry.File.Source == SourceProject && IsLoaderVariable(m.key):
		r.add(loaderWarning(m.key, m.keySpan))
	}
}

func loaderWarning(name string, at Span) Finding {
	return Finding{Code: CodeLoaderVariable, Severity: Warning, Span: at,
		Message: "the project sets " + ShownName(name) + ", which changes what code runs or where it connects",
		Fix:     "allow it only if you know why"}
}

// IsLoaderVariable reports whether a variable steers a loader, an interpreter, a
// package runner or the network, so that setting it is as good as running code
// (S11).
func IsLoaderVariable(name string) bool {
	name = strings.ToUpper(name)
	for _, prefix := range []string{"LD_", "DYLD_", "PYTHON", "GIT_", "NPM_CONFIG_", "BUN_", "DENO_", "UV_", "PIP_",
		"RUBY", "PERL5", "JAVA_", "_JAVA", "JDK_JAVA", "CORECLR_", "COR_", "SSL_CERT_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "PATH", "PATHEXT", "COMSPEC", "HOME", "USERPROFILE", "SHELL", "ENV", "BASH_ENV", "ZDOTDIR", "IFS", "PS4",
		"PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "GCONV_PATH", "CLASSPATH", "GLIBC_TUNABLES", "XDG_CONFIG_HOME",
		"NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_REPL_EXTERNAL_MODULE",
		"DOTNET_STARTUP_HOOKS", "DOCKER_HOST", "DOCKER_CONFIG", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"FTP_PROXY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "OPENSSL_CONF", "OPENSSL_MODULES":
		return true
	}
	return false
}
