package settings

// OptionsKey is the key of an entry that its options stand under; other hosts
// ignore it.
const OptionsKey Name = "pillion"

// EntryKeys returns the keys of an entry: what every host of MCP reads, and
// [OptionsKey]. They are no settings and not among [All].
func EntryKeys() []Setting {
	key := func(name Name, kind Kind, line string) Setting {
		return Setting{Name: name, Owner: OfFormat, Kind: kind, From: anyEntry(), Line: line}
	}
	transport := key("type", Word, "How the server is reached; without it, command or url says so.")
	transport.Choices = []Choice{
		{"stdio", "a program on standard input and output"}, {"http", "streamable HTTP"},
		{"streamable-http", "the same"}, {"sse", "HTTP with server-sent events, of old servers"},
	}
	return []Setting{
		key("command", Text, "The program that is the server, without arguments."),
		key("args", Names, "The program's arguments, one string each."),
		key("env", Variables, "Variables that the program gets."),
		key("cwd", Text, "The folder that the program starts in."),
		key("envFile", Text, "A file of further variables."),
		transport,
		key("url", Text, "The address of a remote server."),
		key("headers", Variables, "HTTP headers that are sent with everything."),
		key("disabled", Bool, "Whether the connector is off."),
		key("enabled", Bool, "The same, the other way round."),
		key("timeout", Duration, "How long a call may take, in milliseconds; callTimeout of pillion goes before it."),
		key("description", Text, "What the connector is for."),
		key(OptionsKey, Object, "Options that Pillion alone reads."),
	}
}
