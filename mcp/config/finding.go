package config

// Severity says how loudly a finding is shown; the numbers are those of LSP.
type Severity int

// Error and Warning are only for faults in the text (U23).
const (
	Error Severity = iota + 1
	Warning
	Information
	Hint
)

// Span is a half-open range of byte offsets into [Document.Text].
type Span struct{ Start, End int }

// Finding is one thing to say about one place of a file.
type Finding struct {
	// Code is one of the Code constants; it stays the same across releases.
	Code     string
	Severity Severity
	Span     Span
	// Message says what is wrong, Fix what to write or do instead. Neither
	// ends in a full stop, and Fix may be empty.
	Message, Fix string
	// Entry is the name of the entry concerned, empty for the file as a whole.
	Entry string
	// Edit repairs the fault mechanically; nil when only a person can.
	Edit *Edit
	// Related are other places of the same file that belong to the fault, such
	// as the first of two equal keys.
	Related []Span
}

// Edit replaces the bytes of a span.
type Edit struct {
	Span Span
	Text string
}

// Text is the message together with the fix, as one sentence for a log or a
// listing.
func (f Finding) Text() string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + ": " + f.Fix
}

// The codes of findings.
const (
	CodeSyntax           = "syntax"             // the text is not JSON with comments
	CodeEncoding         = "encoding"           // not UTF-8
	CodeEmpty            = "empty"              // nothing in the file
	CodeTooLarge         = "too-large"          // over 4 MiB, 10,000 entries, 64 levels or 1,000 findings
	CodeRoot             = "root"               // the root is not an object
	CodeRootKey          = "root-key"           // another host's key, or a misspelt mcpServers
	CodeServers          = "servers"            // mcpServers is not an object, or absent
	CodeDuplicateKey     = "duplicate-key"      // one key twice in one object
	CodeDuplicateName    = "duplicate-name"     // one connector twice in one file
	CodeUnknownKey       = "unknown-key"        // a key that Pillion does not know
	CodeIgnoredKey       = "ignored-key"        // a key that is known and deliberately not honoured
	CodeUnusedKey        = "unused-key"         // a key that this transport does not use
	CodeSpelling         = "spelling"           // accepted, but other hosts write it otherwise
	CodeType             = "wrong-type"         // a value of the wrong JSON type
	CodeValue            = "bad-value"          // a value of the right type that cannot be
	CodeTransport        = "transport"          // a transport that Pillion does not speak
	CodeConflict         = "conflict"           // command and url, url and stdio, and the like
	CodeIncomplete       = "incomplete"         // neither command nor url
	CodeNarrowsOnly      = "narrows-only"       // only switches a connector of the user's file off or narrows it
	CodeName             = "name"               // a name that cannot be
	CodeUnusualName      = "unusual-name"       // a name that is shown escaped
	CodeReservedName     = "reserved-name"      // the built-in browser's name
	CodeURL              = "url"                // a URL that cannot be used
	CodePlainHTTP        = "plain-http"         // http beyond loopback
	CodeHeader           = "header"             // a header that cannot be sent
	CodeShellLine        = "shell-line"         // a command that looks like a line for a shell
	CodeReference        = "reference"          // a ${…} that cannot be expanded
	CodeInput            = "input"              // an ${input:…} that cannot be, or what it refers to
	CodeUnset            = "unset-variable"     // a variable without a value or default
	CodeNoFolder         = "no-folder"          // ${workspaceFolder} or a relative cwd with no folder open
	CodeLoaderVariable   = "loader-variable"    // a project sets a variable that changes what code runs (S11)
	CodeTrust            = "trust-option"       // a project sets what only the user may (S4)
	CodeUnsupported      = "unsupported-option" // an option that is not supported yet
	CodeOtherHosts       = "other-hosts"        // other readers of the shared file will not understand it (U22)
	CodeAlias            = "alias"              // an aliasOf that points at nothing that can be shared
	CodeAliasCycle       = "alias-cycle"        // aliases that point at each other
	CodeProfile          = "profile"            // a profile that names what is not there, or is not there itself
	CodeSelf             = "pillion-itself"     // the entry runs Pillion (A11)
	CodeEnvFile          = "env-file"           // an envFile that cannot be read
	CodeSecret           = "literal-secret"     // a value that looks like a secret stands there as it is
	CodeUnpinned         = "unpinned"           // a runner fetches whatever version is the newest
	CodeWorkingDirectory = "cwd"                // a cwd that cannot be used
)
