package settings

import (
	"slices"
	"strconv"
	"sync"
	"time"
)

// The names of the settings that are read in Go.
const (
	Ask           Name = "ask"
	Notifications Name = "notifications"
	Trusted       Name = "trusted"
	LogLevel      Name = "logLevel"
	Format        Name = "format"
	Trace         Name = "trace"
	ConfigFolder  Name = "configFolder"
	StateFolder   Name = "stateFolder"
	CacheFolder   Name = "cacheFolder"
	ConnectorFile Name = "connectorFile"
	PolicyFile    Name = "policyFile"
	CAFile        Name = "caFile"

	BrowserAuto     Name = "browserAuto"
	BrowserProvider Name = "browserProvider"
	BrowserProgram  Name = "browserProgram"
	BrowserSandbox  Name = "browserSandbox"
	BrowserAttach   Name = "browserAttach"

	Start         Name = "start"
	Era           Name = "era"
	StartTimeout  Name = "startTimeout"
	CallTimeout   Name = "callTimeout"
	IdleTimeout   Name = "idleTimeout"
	MaxConcurrent Name = "maxConcurrent"
	PingInterval  Name = "pingInterval"
	Tools         Name = "tools"
	ExcludeTools  Name = "excludeTools"
	Description   Name = "description"
	ImportedFrom  Name = "importedFrom"
	Profiles      Name = "profiles"
	AliasOf       Name = "aliasOf"
	InheritEnv    Name = "inheritEnv"
	TrustReadOnly Name = "trustReadOnly"
	Seat          Name = "seat"

	ToolPrefix          Name = "toolPrefix"
	ExtraIncludeTools   Name = "extraIncludeTools"
	Tags                Name = "tags"
	ToolTags            Name = "toolTags"
	OnByDefault         Name = "default"
	MaxInstructionBytes Name = "maxInstructionBytes"
	StderrLevel         Name = "stderrLevel"

	Reconnect Name = "reconnect"
	Sharing   Name = "sharing"
	Scope     Name = "scope"
	Max       Name = "max"
)

// The members of reconnect.
const (
	ReconnectAttempts Name = "attempts"
	ReconnectDelay    Name = "delay"
	ReconnectMaxDelay Name = "maxDelay"
	ReconnectStable   Name = "stableAfter"
)

// Whether callers share a process.
const (
	SharingShared    = "shared"
	SharingExclusive = "exclusive"
)

// What one process serves.
const (
	ScopeWindow        = "window"
	ScopeWorkspace     = "workspace"
	ScopeSession       = "session"
	ScopeParentSession = "parent-session"
	ScopeCall          = "call"
)

// The words of browserProvider.
const (
	ProviderAuto           = "auto"
	ProviderNative         = "native"
	ProviderPlaywright     = "playwright"
	ProviderChromeDevTools = "chrome-devtools"
)

// The words of ask.
const (
	AskOnCommand = "command"
	AskByPrompt  = "prompt"
)

// The words of notifications.
const (
	NotifyQuestions = "questions"
	NotifyAll       = "all"
	NotifyNone      = "none"
)

// When a connector is started.
const (
	StartLazy  = "lazy"
	StartEager = "eager"
)

// Which protocol era is spoken.
const (
	EraAuto   = "auto"
	EraModern = "modern"
	EraLegacy = "legacy"
)

// What an entry that says nothing gets (A6).
const (
	DefaultStartTimeout  = 30 * time.Second
	DefaultCallTimeout   = 5 * time.Minute
	DefaultIdleTimeout   = 15 * time.Minute
	DefaultMaxConcurrent = 16
	// DefaultPingInterval is how often a server that nobody calls is asked
	// whether it is there, and MinPingInterval the least that counts (C10).
	DefaultPingInterval = time.Minute
	MinPingInterval     = time.Second
	// DownloadStartTimeout stands in the place of DefaultStartTimeout for a
	// runner that may have to download first, until its first output (U10).
	DownloadStartTimeout = 180 * time.Second
	// DefaultMaxInstructionBytes is what is passed on of a server's instructions,
	// and MaxInstructionsBytes the most that can be.
	DefaultMaxInstructionBytes = 4 << 10
	MaxInstructionsBytes       = 64 << 10
	// How a connector that ended by itself comes back (C5).
	DefaultReconnectAttempts = 10
	DefaultReconnectDelay    = 500 * time.Millisecond
	DefaultReconnectMaxDelay = 30 * time.Second
	DefaultReconnectStable   = time.Minute
	// DefaultMaxProcesses bounds the processes of a connector whose sessions or
	// calls have one each.
	DefaultMaxProcesses = 8
	// MaxCallTimeout is the longest that a call takes, whatever is set.
	MaxCallTimeout = 60 * time.Minute
)

// All returns every setting, in the order in which they are shown. What it
// returns is the caller's, but for the lists in it, which nobody changes.
func All() []Setting { return slices.Clone(declarations()) }

// declarations are built with their first use, so that no program pays for them
// at its start.
var declarations = sync.OnceValue(func() []Setting {
	return slices.Concat(sessionSettings(), browserSettings(), placeSettings(), entrySettings())
})

func everywhere() []Channel {
	return []Channel{UserFile, Environment, Flag, Initialize, Configuration}
}

func sessionSettings() []Setting {
	return []Setting{
		{
			Name: Ask, Owner: OfSession, Kind: Word, Default: `"command"`, From: everywhere(),
			Choices: []Choice{
				{AskOnCommand, "only in answer to your own command or action"},
				{AskByPrompt, "at once, by window/showMessageRequest"},
			},
			Line: "How an editor without a question view of its own asks you.",
			Paragraph: "With command, a question shows as a diagnostic, a code action and in pillion pending, and is put to you when you act. " +
				"With prompt it is put to you the moment it comes up, which in some editors takes the keys that you are typing. " +
				"An editor that shows questions itself is not concerned.",
		},
		{
			Name: Notifications, Owner: OfSession, Kind: Word, Default: `"questions"`, From: everywhere(),
			Choices: []Choice{
				{NotifyQuestions, "that something needs an answer"},
				{NotifyAll, "that, and what went well or wrong"},
				{NotifyNone, "nothing"},
			},
			Line: "Which messages are shown without your having asked for them.",
			Paragraph: "A question that is not announced stays open: it stands in the status, in pillion pending and as a code action. " +
				"What you asked for yourself is always answered, and what concerns trust is always said.",
		},
		{
			Name: Trusted, Owner: OfSession, Kind: Bool, Default: `true`, From: everywhere(), IsTrust: true, Narrows: ToFalse,
			Line: "Whether connectors of the project may run at all, once you have allowed them.",
			Paragraph: "Where it is false every connector of the project waits, whatever was allowed before. " +
				"It never stands in for your permission: true allows nothing by itself. " +
				"An editor sends what its own workspace trust says, which can only take away.",
		},
		{
			Name: Format, Owner: OfSession, Kind: Bool, Default: `false`, From: everywhere(), flag: "format-files", // --format is a verb's
			Line: "Whether the editor may have configuration files indented anew by Pillion.",
			Paragraph: "It is off because many editors ask every server of a file to format it, and have one for JSON already. " +
				"What is on a line stays as it is, and so do comments and line ends.",
		},
		{
			Name: LogLevel, Owner: OfSession, Kind: Word, Default: `"info"`, From: everywhere(), variable: "PILLION_LOG",
			Choices: []Choice{
				{"debug", "everything"},
				{"info", "what happened"},
				{"warn", "what may be wrong"},
				{"error", "what went wrong"},
			},
			Line: "How much is written to the log.",
			Paragraph: "The log is pillion.log in the state folder. " +
				"Arguments, results, headers and values of the environment are never in it.",
		},
	}
}

// browserSettings say how a session comes by a browser.
func browserSettings() []Setting {
	return []Setting{
		{
			Name: BrowserAuto, Owner: OfSession, Kind: Bool, Default: `false`, From: everywhere(), IsTrust: true, Narrows: ToFalse,
			Line: "Whether a session may have a browser without your being asked.",
			Paragraph: "It stands for the answer always to the question whether the browser may start, and is set by that answer. " +
				"What a browser may reach is asked about all the same: each origin but those of this machine, and each script in a page.",
		},
		{
			Name: BrowserProvider, Owner: OfSession, Kind: Word, Default: `"auto"`, From: []Channel{UserFile}, IsTrust: true,
			Choices: []Choice{
				{ProviderAuto, "what is there"},
				{ProviderNative, "Pillion's own, which needs nothing but a Chrome, Chromium or Edge"},
				{ProviderPlaywright, "Playwright's, which needs Node.js and is installed with its first use"},
				{ProviderChromeDevTools, "Chrome DevTools', which needs Node.js and is installed with its first use"},
			},
			Line: "What drives the browser of a session.",
			Paragraph: "With auto that is Pillion's own, or Playwright's where that is installed. " +
				"It counts from the next browser on that is started.",
		},
		{
			Name: BrowserProgram, Owner: OfSession, Kind: Path, From: []Channel{UserFile}, IsTrust: true,
			Line:      "The program that is the browser.",
			Paragraph: "Without it that is the Chrome, Chromium or Edge that is found on this machine. It must not lie in a workspace.",
		},
		{
			Name: BrowserAttach, Owner: OfSession, Kind: Text, From: []Channel{UserFile}, IsTrust: true,
			Line: "The address of a browser that you started, which sessions work in instead of one of their own.",
			Paragraph: "Such as 127.0.0.1:9222, for a browser that was started with --remote-debugging-port=9222. " +
				"Every session asks before it works there, whatever browserAuto says. It has tabs of its own there, with the logins of your cookies, " +
				"and closes no others. Whoever reaches that port is the master of that browser, Pillion or not.",
		},
		{
			Name: BrowserSandbox, Owner: OfSession, Kind: Bool, Default: `true`, From: []Channel{UserFile}, IsTrust: true, Narrows: ToTrue,
			Line: "Whether the browser runs in its own sandbox.",
			Paragraph: "A browser has none as root, and in some containers, and does not start there unless this is false. " +
				"A page that breaks out of the browser is then held by nothing.",
		},
	}
}

// placeSettings say where things lie: they must be known before any file is read.
func placeSettings() []Setting {
	return []Setting{
		{
			Name: CAFile, Owner: OfSession, Kind: Path, From: []Channel{UserFile}, IsTrust: true,
			Line: "A file of certificates that remote connectors are trusted by, besides those of the system.",
			Paragraph: "It is in PEM form, and may hold several: what a company's proxy or server signs with. " +
				"SSL_CERT_FILE in the environment is read too. " +
				"There is no way to switch the check off.",
		},
		{
			Name: Trace, Owner: OfSession, Kind: File, From: []Channel{Flag},
			Line: "The file that every frame of the session is written to.",
			Paragraph: "It goes with --stdio alone, and replaces what the file held. " +
				"Secrets that are known are replaced, and a test can play the file again.",
		},
		{
			Name: ConfigFolder, Owner: OfSession, Kind: Path, From: []Channel{Environment}, variable: "PILLION_CONFIG_DIR",
			Line: "The folder of your own settings.json and mcp.json.",
			Paragraph: "Without it that is pillion in the platform's configuration folder: XDG_CONFIG_HOME or .config on Linux, Library/Application Support on a Mac, AppData/Roaming on Windows. " +
				"A folder that lies in a workspace, is not yours, or can be written by others is refused.",
		},
		{
			Name: StateFolder, Owner: OfSession, Kind: Path, From: []Channel{Environment}, variable: "PILLION_STATE_DIR",
			Line: "The folder of what Pillion remembers: permissions, consents, the log, the audit log.",
			Paragraph: "Without it that is pillion in the platform's folder for state. " +
				"A folder that lies in a workspace, is not yours, or can be written by others is refused.",
		},
		{
			Name: CacheFolder, Owner: OfSession, Kind: Path, From: []Channel{Environment}, variable: "PILLION_CACHE_DIR",
			Line: "The folder of what can be found out again: what connectors listed last.",
			Paragraph: "Without it that is pillion in the platform's folder for caches: XDG_CACHE_HOME or .cache on Linux, Library/Caches on a Mac, AppData/Local on Windows. " +
				"It may be removed at any time. Nothing is kept in one that lies in a workspace, is not yours, or can be written by others.",
		},
		{
			Name: ConnectorFile, Owner: OfSession, Kind: Path, From: []Channel{Environment}, variable: "PILLION_MCP_CONFIG",
			Line: "The file of your own connectors.",
			Paragraph: "Without it that is mcp.json in configFolder. " +
				"A file that lies in a workspace, is not yours, or can be written by others is refused.",
		},
		{
			Name: PolicyFile, Owner: OfSession, Kind: Path, From: []Channel{Environment}, variable: "PILLION_POLICY",
			Line:      "A file of rules about which connectors may run, beside the administrator's own.",
			Paragraph: "It can only take away, as the administrator's can, which it never replaces.",
		},
		{
			Name: "serverPath", Owner: OfPlugin, Kind: Path, From: []Channel{Configuration},
			Line: "The program that an editor's plugin starts in place of the one it brings.",
			Paragraph: "It is the full path of a pillion. " +
				"The plugin reads it alone, from the settings of the machine and never from those of a workspace.",
		},
		{
			Name: "chatServer", Owner: OfPlugin, Kind: Bool, Default: `false`, From: []Channel{Configuration},
			Line: "Whether VS Code's chat is offered Pillion as an MCP server of its own, in place of the two tools pillionSearch and pillionCall.",
			Paragraph: "It brings pictures, resources and progress into the chat. " +
				"It is off because VS Code asks before a tool of an MCP server is called, whatever Pillion asks afterwards: most calls are then asked about twice.",
		},
	}
}

func durationDefault(d time.Duration) string { return string(quote(shortDuration(d))) }

// anyEntry are the channels of options that a project may set for its own entries.
func anyEntry() []Channel { return []Channel{UserEntry, ProjectEntry} }

func entrySettings() []Setting {
	return slices.Concat(usedOptions(), listingOptions(), trustOptions(), processOptions())
}

func usedOptions() []Setting {
	return []Setting{
		{
			Name: Start, Owner: OfEntry, Weight: OfDefinition, Kind: Word, Default: `"lazy"`, From: anyEntry(),
			Choices:   []Choice{{StartLazy, "when something needs it"}, {StartEager, "with the session"}},
			Line:      "When the connector is started.",
			Paragraph: "An eager one is started as soon as it may run, and never stopped for being idle.",
		},
		{
			Name: StartTimeout, Owner: OfEntry, Kind: Duration, Default: durationDefault(DefaultStartTimeout), Min: 1, From: anyEntry(),
			Line: "How long a start may take, until the tools are listed.",
			Paragraph: "Where nothing is set, a runner that may have to download first, such as npx, uvx or docker, has 180 seconds until its first output. " +
				"Zero is no timeout that can be.",
		},
		{
			Name: CallTimeout, Owner: OfEntry, Weight: OfDefinition, Kind: Duration, Default: durationDefault(DefaultCallTimeout), Min: 1, From: anyEntry(),
			Line: "How long a call may go without progress.",
			Paragraph: "Progress starts it anew, and it stands still while a question of the call is open. " +
				"No call takes longer than 60 minutes, whatever is set. " +
				"It goes before the key timeout of the entry itself.",
		},
		{
			Name: IdleTimeout, Owner: OfEntry, Weight: OfDefinition, Kind: Duration, Default: durationDefault(DefaultIdleTimeout), From: anyEntry(),
			Line:      "How long a connector stays up that nobody uses.",
			Paragraph: "It starts again with the next use. With 0 it stays up, and so does one that is given a single call at a time, unless this is set for it.",
		},
		{
			Name: MaxConcurrent, Owner: OfEntry, Kind: Count, Default: strconv.Itoa(DefaultMaxConcurrent), Min: 1, Max: 1000, From: anyEntry(),
			Line:      "How many calls the connector is given at once.",
			Paragraph: "Further ones wait for their turn.",
		},
		{
			Name: Era, Owner: OfEntry, Kind: Word, Default: `"auto"`, From: anyEntry(),
			Choices: []Choice{
				{EraAuto, "what the server answers to"},
				{EraModern, "server/discover, of revisions since 2026-07-28"},
				{EraLegacy, "initialize, of the revisions before"},
			},
			Line:      "Which era of the protocol is spoken with the server.",
			Paragraph: "It is found out by asking, and remembered. Set it for a server that takes the question badly.",
		},
		{
			Name: Tools, Owner: OfEntry, Weight: OfDefinition, Kind: Patterns, From: anyEntry(),
			Line: "The only tools that are offered.",
			Paragraph: "Exact names, globs, and regular expressions between slashes. " +
				"Without it all are offered; an empty list offers none. " +
				"A pattern that cannot be read stops the entry, because without it more would be offered than was meant.",
		},
		{
			Name: ExcludeTools, Owner: OfEntry, Weight: OfDefinition, Kind: Patterns, From: anyEntry(),
			Line: "Tools that are never offered.",
			Paragraph: "Written as in tools, and stronger than that. " +
				"It is the one option by which a project's file reaches a connector of your own mcp.json: what the project excludes is not offered there.",
		},
		{
			Name: Description, Owner: OfEntry, Weight: OfNothing, IsOfOne: true, Kind: Text, From: anyEntry(),
			Line:      "What the connector is for, in your words.",
			Paragraph: "It describes and nothing else: a change of it asks for no new permission.",
		},
		{
			Name: ImportedFrom, Owner: OfEntry, Weight: OfNothing, IsOfOne: true, Kind: Text, From: anyEntry(),
			Line:      "The file of another program that the entry was imported from.",
			Paragraph: "Importing writes it into your own mcp.json, and listings say so. It describes and nothing else.",
		},
		{
			Name: Profiles, Owner: OfEntry, Weight: OfNothing, Kind: Names, From: anyEntry(),
			Line: "The profiles that the connector belongs to.",
			Paragraph: "With \"*\" it belongs to all of its file. " +
				"One that belongs to none is there whichever is chosen.",
		},
		{
			Name: AliasOf, Owner: OfEntry, Weight: OfNothing, IsOfOne: true, Kind: Text, From: anyEntry(),
			Line: "The entry of this file that this one is a second name of.",
			Paragraph: "What runs is that entry's; the alias has tools, options and a description of its own, and no program or address. " +
				"An alias of an alias is refused.",
		},
	}
}

// listingOptions say how the connector and its tools are listed, found and logged.
func listingOptions() []Setting {
	return []Setting{
		{
			Name: ExtraIncludeTools, Owner: OfEntry, Weight: OfDefinition, Kind: Patterns, From: anyEntry(),
			Line: "Tools that are offered beside those of tools.",
			Paragraph: "Written as in tools. It adds to a list of tools that comes from defaults or from the entry that this one is an alias of. " +
				"Without any list of tools all are offered already, and what excludeTools names is not offered all the same.",
		},
		{
			Name: ToolPrefix, Owner: OfEntry, Weight: OfDefinition, IsOfOne: true, Kind: Text, From: anyEntry(),
			Line: "What stands before the names of the connector's tools where programs are given them.",
			Paragraph: "It takes the place of the connector's name there: with gh a tool is gh__create_issue. " +
				"People see the connector's own name, and permissions go by it.",
		},
		{
			Name: Tags, Owner: OfEntry, Weight: OfNothing, Kind: Names, From: anyEntry(),
			Line:      "Words by which the connector's tools are found.",
			Paragraph: "A search looks at them as well, and a list can be limited to one.",
		},
		{
			Name: ToolTags, Owner: OfEntry, Weight: OfNothing, IsOfOne: true, Kind: NameLists, From: anyEntry(),
			Line:      "Words by which single tools are found, by the tool's name.",
			Paragraph: "An object of lists; a name may be a glob or a regular expression between slashes. They are had beside tags.",
		},
		{
			Name: OnByDefault, Owner: OfEntry, Weight: OfNothing, Kind: Bool, Default: `true`, From: anyEntry(),
			Line:      "Whether the connector is on where no profile is chosen.",
			Paragraph: "With false it is there only while a profile that it belongs to is chosen, or once you switch it on for yourself.",
		},
		{
			Name: MaxInstructionBytes, Owner: OfEntry, Weight: OfDefinition, Kind: Bytes, Default: strconv.Itoa(DefaultMaxInstructionBytes), Max: MaxInstructionsBytes, From: anyEntry(),
			Line:      "How much of the server's own instructions is passed on.",
			Paragraph: "They are cut at a character and marked as cut. With 0 nothing of them is passed on.",
		},
		{
			Name: StderrLevel, Owner: OfEntry, Kind: Word, From: anyEntry(),
			Choices: []Choice{{"debug", "debug"}, {"info", "info"}, {"warn", "warn"}, {"error", "error"}},
			Line:    "The level at which the connector's standard error is written to Pillion's own log as well.",
			Paragraph: "Without it that output goes to the connector's log file alone. " +
				"Secrets that are known are replaced in both.",
		},
	}
}

// trustOptions are the user's own file's alone (S4).
func trustOptions() []Setting {
	own := []Channel{UserEntry}
	return []Setting{
		{
			Name: InheritEnv, Owner: OfEntry, Kind: Names, Default: `[]`, From: own, IsTrust: true, Narrows: ToFewer,
			Line: "Further variables that the connector gets from Pillion's own environment.",
			Paragraph: "A connector gets a short list of variables that name no secret, and those of its env. " +
				"Name here what else it may see.",
		},
		{
			Name: TrustReadOnly, Owner: OfEntry, Weight: OfDefinition, Kind: Bool, Default: `false`, From: own, IsTrust: true, Narrows: ToFalse,
			Line: "Whether the connector is believed when it says that a tool only reads.",
			Paragraph: "Such a tool runs without a question, unless it says that it reaches the open world or its arguments name a URL elsewhere. " +
				"Connectors of your own mcp.json are believed without it, and with false they are not. " +
				"An entry of your own file that has this option and neither command nor url says it of the project's connectors of that name.",
		},
		{
			Name: Seat, Owner: OfEntry, Kind: Text, From: own, IsTrust: true,
			Line: "What the connector is the one provider of in a session: browser, computer, or a word of your own.",
			Paragraph: "Each session has a process of it to itself, which does one thing at a time and which no other session can join. " +
				"The first provider of a seat that a session calls has it: another one is refused there until the first was stopped and all that it was doing has ended. " +
				"Pillion's own browser has the seat browser.",
		},
	}
}

// processOptions say how many processes there are, and how one comes back.
func processOptions() []Setting {
	return []Setting{
		{
			Name: PingInterval, Owner: OfEntry, Kind: Duration, Default: durationDefault(DefaultPingInterval), From: anyEntry(),
			Line: "How often a connector that nobody calls is asked whether it is there.",
			Paragraph: "An answer is awaited for as long, and for 20 seconds at most; after three in a row that do not come, and a list that does not come either, the connector is lost. " +
				"One that does not know pings, or answers everything else, is not asked any more and stays. " +
				"Less than a second counts as one, and with 0 nothing is asked. " +
				"Set it for a server behind a proxy that ends quiet connections. " +
				"MCP has no pings since 2026-07-28.",
		},
		{
			Name: Reconnect, Owner: OfEntry, Kind: Object, From: anyEntry(),
			Members: []Setting{
				{Name: ReconnectAttempts, Kind: Count, Default: strconv.Itoa(DefaultReconnectAttempts), Max: 100, Line: "How often in a row; 0 for never."},
				{Name: ReconnectDelay, Kind: Duration, Default: durationDefault(DefaultReconnectDelay), Min: 1, Line: "The pause before the first attempt; each further one is twice as long."},
				{Name: ReconnectMaxDelay, Kind: Duration, Default: durationDefault(DefaultReconnectMaxDelay), Min: 1, Line: "The longest pause."},
				{Name: ReconnectStable, Kind: Duration, Default: durationDefault(DefaultReconnectStable), Min: 1, Line: "How long it must have run for the attempts to be counted anew."},
			},
			Line: "How a connector comes back that ended by itself.",
			Paragraph: "That is one that was called, that somebody follows a resource of, or that is eager; any other starts with the next use. " +
				"An object of attempts (10), delay (500ms), maxDelay (30s) and stableAfter (1m). " +
				"When the attempts are spent it stays down until it is called or restarted, or its definition changes.",
		},
		{
			Name: Sharing, Owner: OfEntry, Kind: Word, Default: `"shared"`, From: anyEntry(),
			Choices:   []Choice{{SharingShared, "calls run side by side, as many as maxConcurrent says"}, {SharingExclusive, "one call at a time has it to itself"}},
			Line:      "Whether several callers share one process of the connector.",
			Paragraph: "Calls wait for their turn in the order in which they came. With max an exclusive connector has several processes that calls are spread over.",
		},
		{
			Name: Scope, Owner: OfEntry, Kind: Word, From: anyEntry(),
			Choices: []Choice{
				{ScopeWindow, "the window"}, {ScopeWorkspace, "a workspace folder"}, {ScopeSession, "a session"},
				{ScopeParentSession, "a session and those it started"}, {ScopeCall, "a single call"},
			},
			Line: "What one process of the connector serves.",
			Paragraph: "Without it that is the window for a remote connector, and the workspace folder for a program. " +
				"A caller who does not say which session started its own has a process for that session alone. " +
				"Tools are listed, and resources and prompts read, from the window's own process.",
		},
		{
			Name: Max, Owner: OfEntry, Kind: Count, Min: 1, Max: 1000, From: anyEntry(),
			Line: "How many processes of the connector serve calls at once.",
			Paragraph: "Without it that is 1 where scope is window or workspace, and " + strconv.Itoa(DefaultMaxProcesses) + " otherwise. " +
				"Further calls wait for their turn, in order. One that only lists the tools does not count.",
		},
	}
}
