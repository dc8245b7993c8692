// Package agents knows the configuration files of programs that drive a model: how one is told of Pillion, how its questions about
// Pillion's tools and its own copies of connectors are switched off, and how all of that is taken back (K8).
//
// It reads and writes no file: texts go in and come out, and nothing is changed in them but what is said.
package agents

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"pillion/mcp/config/imports"
)

// EntryName is what Pillion is called in every agent's file.
const EntryName = "pillion"

// CallTimeout is how long an agent is told to wait for a call: a person may be asked for it (U8).
const CallTimeout = 10 * time.Minute

// Machine says where files lie, and which of them are there.
type Machine struct {
	imports.Machine
	Exists func(path string) bool
}

// Agent is one such program.
type Agent struct {
	Name  string // as it is written on a command line
	Title string

	// entry is where it is told of Pillion.
	entry func(m Machine) place
	// value is what stands there.
	value func(program string) any
	// allow is what keeps it from asking about Pillion's tools itself; nil where no file says that.
	allow func(m Machine) place
	// allowed stands there, or is added where that is a list.
	allowed any
	// off are the copies of connectors that it has itself: the place of what switches off the one of a name.
	off func(m Machine, name string) place
	// offValue stands there; a string of "" stands for the name, which is added to a list.
	offValue any
	// isOfProject says that its copies are those of a project's .mcp.json, not entries of its own file.
	isOfProject bool

	// byHand is what is to be written by hand, where the file is a program.
	byHand string
	// Notes are what a user is to know beside.
	Notes []string
}

// place is a value in a file.
type place struct {
	file string
	path []string
}

func at(file string, path ...string) place { return place{file, path} }

// All are the agents that Pillion knows, in the order of a listing.
func All() []Agent {
	ms := CallTimeout.Milliseconds()
	return []Agent{
		{
			Name: "claude-code", Title: "Claude Code",
			entry: func(m Machine) place {
				return at(filepath.Join(m.Variable("CLAUDE_CONFIG_DIR", m.Home), ".claude.json"), "mcpServers", EntryName)
			},
			value: func(program string) any {
				return stdio{Type: "stdio", Command: program, Args: attach(), TimeoutMS: ms}
			},
			allow:   func(m Machine) place { return at(claudeSettings(m), "permissions", "allow") },
			allowed: "mcp__" + EntryName,
			off:     func(m Machine, _ string) place { return at(claudeSettings(m), "disabledMcpjsonServers") }, offValue: "", isOfProject: true,
			Notes: []string{"Sessions of Claude Code that are open learn of it when they are started again."},
		},
		{
			Name: "codex", Title: "Codex",
			entry: func(m Machine) place { return at(codexFile(m), "mcp_servers", EntryName) },
			value: func(program string) any {
				return map[string]any{"command": program, "args": attach(), "startup_timeout_sec": 30, "tool_timeout_sec": int(CallTimeout.Seconds())}
			},
			allow: func(m Machine) place {
				return at(codexFile(m), "mcp_servers", EntryName, "default_tools_approval_mode")
			}, allowed: "approve",
			off: func(m Machine, name string) place { return at(codexFile(m), "mcp_servers", name, "enabled") }, offValue: false,
		},
		{
			Name: "opencode", Title: "opencode",
			entry: func(m Machine) place { return at(openCodeFile(m), "mcp", EntryName) },
			value: func(program string) any {
				return openCodeEntry{Type: "local", Command: append([]string{program}, attach()...), Enabled: true, TimeoutMS: ms}
			},
			allow: func(m Machine) place { return at(openCodeFile(m), "permission", EntryName+"_*") }, allowed: "allow",
			off: func(m Machine, name string) place { return at(openCodeFile(m), "mcp", name, "enabled") }, offValue: false,
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			entry:   func(m Machine) place { return at(geminiFile(m), "mcpServers", EntryName) },
			value:   func(program string) any { return stdio{Command: program, Args: attach(), TimeoutMS: ms} },
			allow:   func(m Machine) place { return at(geminiFile(m), "mcpServers", EntryName, "trust") },
			allowed: true,
			Notes:   []string{"Gemini CLI runs servers of yours in folders that it was told to trust alone."},
			off:     func(m Machine, _ string) place { return at(geminiFile(m), "mcp", "excluded") }, offValue: "",
		},
		{
			Name: "copilot", Title: "Copilot CLI",
			entry: func(m Machine) place {
				return at(filepath.Join(m.Variable("COPILOT_HOME", m.InHome(".copilot")), "mcp-config.json"), "mcpServers", EntryName)
			},
			value: func(program string) any {
				return stdio{Type: "local", Command: program, Args: attach(), Tools: []string{"*"}, TimeoutMS: ms}
			},
			Notes: []string{
				"Copilot CLI asks about Pillion's tools itself unless it is started with --allow-tool 'pillion'.",
				"It reads a project's .mcp.json itself; /mcp disable <name> switches its own copy of a connector off.",
			},
		},
		{
			Name: "cursor", Title: "Cursor",
			entry: func(m Machine) place { return at(m.InHome(".cursor", "mcp.json"), "mcpServers", EntryName) },
			value: func(program string) any { return stdio{Command: program, Args: attach()} },
			Notes: []string{
				"No file of Cursor says how long it waits for a call, nor that it need not ask: both are in its settings, under Tools & MCP.",
			},
		},
		{
			Name: "vscode", Title: "VS Code",
			entry: func(m Machine) place {
				return at(filepath.Join(m.Applications(), "Code", "User", "mcp.json"), "servers", EntryName)
			},
			value: func(program string) any { return stdio{Type: "stdio", Command: program, Args: attach()} },
			Notes: []string{
				"Pillion's extension offers the same to VS Code's chat by itself; this is for a VS Code without it.",
				"VS Code reads a project's .mcp.json itself; MCP: List Servers switches its own copy of a connector off.",
			},
		},
		{
			Name: "codecompanion", Title: "codecompanion.nvim",
			byHand: `require("codecompanion").setup({ extensions = { pillion = { enabled = true } } })
`,
			Notes: []string{"It stands in your own Lua, which Pillion does not edit; its plugin for Neovim is needed. @{pillion} in a chat then has the tools."},
		},
		{
			Name: "avante", Title: "avante.nvim",
			byHand: `require("avante").setup({
  custom_tools = function() return require("pillion.avante").tools() end,
})
`,
			Notes: []string{"It stands in your own Lua, which Pillion does not edit; its plugin for Neovim is needed."},
		},
	}
}

// Named finds an agent.
func Named(name string) (Agent, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

// Names are how agents are written on a command line.
func Names() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return names
}

// attach are the arguments that make Pillion a server of the window that is open on the agent's folder (L2).
func attach() []string { return []string{"serve", "--attach"} }

// stdio is an entry of the common form.
type stdio struct {
	Type      string   `json:"type,omitempty"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Tools     []string `json:"tools,omitempty"`
	TimeoutMS int64    `json:"timeout,omitempty"`
}

type openCodeEntry struct {
	Type      string   `json:"type"`
	Command   []string `json:"command"`
	Enabled   bool     `json:"enabled"`
	TimeoutMS int64    `json:"timeout"`
}

func claudeSettings(m Machine) string {
	return filepath.Join(m.Variable("CLAUDE_CONFIG_DIR", m.InHome(".claude")), "settings.json")
}

func codexFile(m Machine) string {
	return filepath.Join(m.Variable("CODEX_HOME", m.InHome(".codex")), "config.toml")
}

func geminiFile(m Machine) string { return m.InHome(".gemini", "settings.json") }

// openCodeFile is the one of its two names that is there.
func openCodeFile(m Machine) string {
	if own := m.Variable("OPENCODE_CONFIG", ""); own != "" {
		return own
	}
	folder := filepath.Join(m.Variable("XDG_CONFIG_HOME", m.InHome(".config")), "opencode")
	if path := filepath.Join(folder, "opencode.jsonc"); m.Exists(path) {
		return path
	}
	return filepath.Join(folder, "opencode.json")
}

// ByHand is what is to be written by hand; empty for an agent whose file Pillion edits.
func (a Agent) ByHand() string { return a.byHand }

// Entry is the change that tells an agent of Pillion.
func (a Agent) Entry(m Machine, program string) Change {
	p := a.entry(m)
	return Change{File: p.file, Kind: Set, Path: p.path, Value: encoded(a.value(program))}
}

// CanAllow reports whether a file can keep the agent from asking about Pillion's tools.
func (a Agent) CanAllow() bool { return a.allow != nil }

// Allow is the change that keeps an agent from asking about Pillion's tools itself, so that Pillion alone asks.
func (a Agent) Allow(m Machine) Change { return a.allow(m).change(a.allowed) }

// Off are the changes that switch an agent's own copies of connectors off: those of a project's file, or those that its own file,
// whose text is given, has under the same names.
func (a Agent) Off(m Machine, projectNames, allNames []string, text []byte) []Change {
	if a.off == nil {
		return nil
	}
	names := projectNames
	if !a.isOfProject {
		entries := a.entry(m)
		has := func(name string) bool {
			return len(valueIn(entries.file, text, append(slices.Clone(entries.path[:len(entries.path)-1]), name))) > 0
		}
		names = slices.DeleteFunc(slices.Clone(allNames), func(name string) bool { return name == EntryName || !has(name) })
	}
	var changes []Change
	for _, name := range names {
		value := a.offValue
		if value == "" {
			value = name
		}
		changes = append(changes, a.off(m, name).change(value))
	}
	return changes
}

// change is what puts a value at a place; a name or permission is added to the list there, unless the place is within an entry.
func (p place) change(value any) Change {
	kind := Set
	if last := p.path[len(p.path)-1]; slices.Contains([]string{"allow", "disabledMcpjsonServers", "excluded"}, last) {
		kind = Add
	}
	return Change{File: p.file, Kind: kind, Path: p.path, Value: encoded(value)}
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of the table above
	}
	return text
}
