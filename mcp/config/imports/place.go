package imports

import (
	"path/filepath"
	"slices"
	"strings"

	"pillion/mcp/config"
)

// Format is the program whose files are written so.
type Format string

// The formats that can be brought in.
const (
	VSCode        Format = "vscode"
	Cursor        Format = "cursor"
	Zed           Format = "zed"
	ClaudeDesktop Format = "claude-desktop"
	ClaudeCode    Format = "claude-code"
	Codex         Format = "codex"
	OpenCode      Format = "opencode"
	Windsurf      Format = "windsurf"
	Gemini        Format = "gemini"
	MCPHub        Format = "mcphub"
)

// Formats lists every format.
func Formats() []Format {
	return []Format{VSCode, Cursor, Zed, ClaudeDesktop, ClaudeCode, Codex, OpenCode, Windsurf, Gemini, MCPHub}
}

// Title is the program's own name.
func (f Format) Title() string {
	switch f {
	case VSCode:
		return "VS Code"
	case Cursor:
		return "Cursor"
	case Zed:
		return "Zed"
	case ClaudeDesktop:
		return "Claude Desktop"
	case ClaudeCode:
		return "Claude Code"
	case Codex:
		return "Codex"
	case OpenCode:
		return "opencode"
	case Windsurf:
		return "Windsurf"
	case Gemini:
		return "Gemini CLI"
	case MCPHub:
		return "mcphub.nvim"
	}
	return string(f)
}

// Place is a file that a program keeps connectors in; it need not be there.
type Place struct {
	Format Format
	Path   string
	// Root is the workspace folder that the file lies in. With one the file is
	// a project's in every respect: what it names goes into that project's file
	// alone.
	Root string
}

// Machine is what says where files lie. Nothing is taken from anywhere else.
type Machine struct {
	// System is as in runtime.GOOS.
	System string
	// Lookup is the environment.
	Lookup func(name string) (string, bool)
	// Home is the user's home folder.
	Home string
	// Folders are the workspace folders; the home folder and the root of a file
	// system are none (U33).
	Folders []string
}

// Places lists where the programs keep their files on a machine, the user's
// own before those of the folders. It looks at nothing on the disk.
func Places(m Machine) []Place {
	roots := m.roots()
	var list []Place
	add := func(format Format, path, root string) {
		if !filepath.IsAbs(path) || slices.ContainsFunc(list, func(p Place) bool { return p.Path == path }) {
			return
		}
		if root == "" {
			root = rootAround(path, roots)
		}
		list = append(list, Place{format, path, root})
	}
	for _, p := range m.own() {
		add(p.Format, p.Path, "")
	}
	for _, root := range roots {
		for _, p := range ofFolder() {
			add(p.Format, filepath.Join(root, filepath.FromSlash(p.Path)), root)
		}
	}
	return list
}

func (m Machine) roots() []string {
	var roots []string
	for _, f := range config.ProjectFiles(m.Folders, m.Home) {
		roots = append(roots, f.Root)
	}
	return roots
}

// rootAround is the innermost of the folders that a path lies in, or empty.
func rootAround(path string, roots []string) string {
	around := ""
	for _, root := range roots {
		relative, err := filepath.Rel(root, path)
		if err == nil && filepath.IsLocal(relative) && len(root) > len(around) {
			around = root
		}
	}
	return around
}

// own are the files of the user.
func (m Machine) own() []Place {
	apps, dotConfig := m.Applications(), filepath.Join(m.Home, ".config")
	xdg := m.Variable("XDG_CONFIG_HOME", dotConfig)
	zed := filepath.Join(dotConfig, "zed", "settings.json")
	managed := "/etc/claude-code/managed-mcp.json"
	switch m.System {
	case "windows":
		zed = filepath.Join(apps, "Zed", "settings.json")
		managed = `C:\Program Files\ClaudeCode\managed-mcp.json`
	case "darwin":
		managed = "/Library/Application Support/ClaudeCode/managed-mcp.json"
	default:
		zed = filepath.Join(xdg, "zed", "settings.json")
	}
	list := []Place{
		{Format: VSCode, Path: filepath.Join(apps, "Code", "User", "mcp.json")},
		{Format: VSCode, Path: filepath.Join(apps, "Code - Insiders", "User", "mcp.json")},
		{Format: VSCode, Path: filepath.Join(apps, "VSCodium", "User", "mcp.json")},
		{Format: Cursor, Path: m.InHome(".cursor", "mcp.json")},
		{Format: Zed, Path: zed},
		{Format: ClaudeDesktop, Path: filepath.Join(apps, "Claude", "claude_desktop_config.json")},
		{Format: ClaudeCode, Path: filepath.Join(m.Variable("CLAUDE_CONFIG_DIR", m.Home), ".claude.json")},
		{Format: ClaudeCode, Path: managed},
		{Format: Codex, Path: filepath.Join(m.Variable("CODEX_HOME", m.InHome(".codex")), "config.toml")},
		{Format: OpenCode, Path: filepath.Join(xdg, "opencode", "opencode.json")},
		{Format: OpenCode, Path: filepath.Join(xdg, "opencode", "opencode.jsonc")},
		{Format: Windsurf, Path: m.InHome(".codeium", "windsurf", "mcp_config.json")},
		{Format: Gemini, Path: m.InHome(".gemini", "settings.json")},
		{Format: MCPHub, Path: filepath.Join(dotConfig, "mcphub", "servers.json")},
	}
	return append(list, Place{Format: OpenCode, Path: m.Variable("OPENCODE_CONFIG", "")})
}

// ofFolder are the files of a workspace folder, relative to it. Its .mcp.json
// is Pillion's own format and needs no import.
func ofFolder() []Place {
	return []Place{
		{Format: VSCode, Path: ".vscode/mcp.json"},
		{Format: Cursor, Path: ".cursor/mcp.json"},
		{Format: Zed, Path: ".zed/settings.json"},
		{Format: Codex, Path: ".codex/config.toml"},
		{Format: OpenCode, Path: "opencode.json"},
		{Format: OpenCode, Path: "opencode.jsonc"},
		{Format: OpenCode, Path: ".opencode/opencode.json"},
		{Format: OpenCode, Path: ".opencode/opencode.jsonc"},
		{Format: Gemini, Path: ".gemini/settings.json"},
		{Format: MCPHub, Path: ".mcphub/servers.json"},
	}
}

// InHome is a path in the home folder.
func (m Machine) InHome(parts ...string) string {
	return filepath.Join(append([]string{m.Home}, parts...)...)
}

// Applications is the folder of the programs' settings.
func (m Machine) Applications() string {
	switch m.System {
	case "windows":
		return m.Variable("APPDATA", m.InHome("AppData", "Roaming"))
	case "darwin":
		return m.InHome("Library", "Application Support")
	}
	return m.Variable("XDG_CONFIG_HOME", m.InHome(".config"))
}

// Variable is a folder or file that a variable names. A relative one would
// depend on the folder that Pillion was started in, and counts for nothing.
func (m Machine) Variable(name, otherwise string) string {
	if path, _ := m.Lookup(name); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return otherwise
}

// PlaceOf is the place that a path stands for: one of the places, or by its
// last names what a file of that name would be. Format is empty where neither
// tells.
func PlaceOf(path string, m Machine) Place {
	path = filepath.Clean(path)
	for _, p := range Places(m) {
		if p.Path == path {
			return p
		}
	}
	place := Place{Path: path, Root: rootAround(path, m.roots())}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	for _, known := range append(ofFolder(), endings()...) {
		if strings.HasSuffix(slashed, "/"+known.Path) {
			place.Format = known.Format
			break
		}
	}
	return place
}

func endings() []Place {
	return []Place{
		{Format: VSCode, Path: "User/mcp.json"},
		{Format: Zed, Path: "zed/settings.json"},
		{Format: Zed, Path: "Zed/settings.json"},
		{Format: ClaudeDesktop, Path: "claude_desktop_config.json"},
		{Format: ClaudeCode, Path: ".claude.json"},
		{Format: ClaudeCode, Path: "managed-mcp.json"},
		{Format: Windsurf, Path: "mcp_config.json"},
		{Format: MCPHub, Path: "mcphub/servers.json"},
	}
}
