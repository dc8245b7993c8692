package message

import "pillion/rpc"

//pillion:section 22 Import
//
// Other programs keep connectors in files of their own. Pillion lists those
// that are there, and brings entries into the user's or a project's file.

// ImportFormat is the program whose file it is. One that is not known is shown
// as it is.
type ImportFormat string

const (
	ImportVSCode        ImportFormat = "vscode"         // VS Code's mcp.json
	ImportCursor        ImportFormat = "cursor"         // Cursor's mcp.json
	ImportZed           ImportFormat = "zed"            // Zed's settings.json
	ImportClaudeDesktop ImportFormat = "claude-desktop" // Claude Desktop's claude_desktop_config.json
	ImportClaudeCode    ImportFormat = "claude-code"    // Claude Code's .claude.json, what it keeps for single folders included
	ImportCodex         ImportFormat = "codex"          // Codex's config.toml
	ImportOpenCode      ImportFormat = "opencode"       // opencode's opencode.json
	ImportWindsurf      ImportFormat = "windsurf"       // Windsurf's mcp_config.json
	ImportGemini        ImportFormat = "gemini"         // Gemini CLI's settings.json
	ImportMCPHub        ImportFormat = "mcphub"         // servers.json of mcphub.nvim
)

// FoundImport is a file that is there and names connectors, or cannot be read.
type FoundImport struct {
	URI     URI          `json:"uri"`
	Format  ImportFormat `json:"format"`
	Root    URI          `json:"root,omitzero"`    // workspace folder that the file lies in: its entries go into that folder's file alone
	Names   []string     `json:"names"`            // connectors that it names, in its order
	Problem string       `json:"problem,omitzero"` // why nothing can be imported from it
}

// ImportsResult lists what was found.
type ImportsResult struct {
	Found []FoundImport `json:"found"`
}

// ImportParams says what to import, and where to.
type ImportParams struct {
	URI   URI       `json:"uri"`            // one of the files that pillion/imports lists
	Names []string  `json:"names,omitzero"` // which of its connectors; all of them where there are none
	Scope FileScope `json:"scope"`
	Root  URI       `json:"root,omitzero"` // workspace folder of project entries; needed where there are several
}

// ImportRemark is one sentence about what was not, or not simply, carried over.
// It holds no value of the file.
type ImportRemark struct {
	Name    string `json:"name"`    // connector concerned; empty for the file as a whole
	Key     string `json:"key"`     // place in the source, such as env.TOKEN; empty for the whole entry
	Message string `json:"message"` // the sentence, without a full stop
}

// ImportResult says what was written.
type ImportResult struct {
	Added  []ConnectorID  `json:"added"`
	Report []ImportRemark `json:"report"`
}

// Imports lists the files of other programs that are there. It runs nothing and
// expands nothing.
//
//pillion:people
var Imports = rpc.Request[Empty, ImportsResult]{Method: "pillion/imports"}

// Import writes entries of another program's file into the user's or a
// project's file. None of them runs for it: one of the user's own is written
// switched off, one of a project's waits. An entry whose name is taken is left
// out, and the report says so.
//
//pillion:people
var Import = rpc.Request[ImportParams, ImportResult]{Method: "pillion/import"}
