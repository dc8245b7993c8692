package message

import "pillion/rpc"

//pillion:section 68 Diagnosis
//
// A look at everything that Pillion needs, with what to do about what is not
// as it should be. It runs nothing and reads nothing of a repository that has
// not been allowed; the only programs it starts are well-known runners, for
// their versions, outside every workspace.

// DoctorSection is what a row is about. One that is not known has no meaning
// beyond its name.
type DoctorSection string

const (
	DoctorFiles      DoctorSection = "files"      // configuration files and settings
	DoctorConnectors DoctorSection = "connectors" // each connector
	DoctorRuntimes   DoctorSection = "runtimes"   // the runners that connectors need
	DoctorBrowser    DoctorSection = "browser"    // what the browser of a session needs
	DoctorSecrets    DoctorSection = "secrets"    // where the values of inputs are kept
	DoctorFolders    DoctorSection = "folders"    // Pillion's own folders and files
	DoctorLogs       DoctorSection = "logs"       // connectors' logs and the record of calls
	DoctorWindows    DoctorSection = "windows"    // Pillion processes on this machine
	DoctorSystem     DoctorSection = "system"     // what the system allows
)

// Known reports whether the section is one of those above.
func (s DoctorSection) Known() bool {
	switch s {
	case DoctorFiles, DoctorConnectors, DoctorRuntimes, DoctorBrowser, DoctorSecrets, DoctorFolders, DoctorLogs, DoctorWindows, DoctorSystem:
		return true
	}
	return false
}

// DoctorLevel says how a row is. One that is not known reads as broken.
type DoctorLevel string

const (
	DoctorOK     DoctorLevel = "ok"     // as it should be
	DoctorNote   DoctorLevel = "note"   // worth a look; nothing is broken by it
	DoctorBroken DoctorLevel = "broken" // something does not work because of it
)

// DoctorRow is one thing that was looked at.
type DoctorRow struct {
	Section   DoctorSection `json:"section"`
	Level     DoctorLevel   `json:"level"`
	Subject   string        `json:"subject"`            // what was looked at: a file, a connector, a program
	Text      string        `json:"text"`               // what was found, a sentence without its full stop; words of a connector may be in it
	Steps     []string      `json:"steps"`              // what to do about it, in order
	Path      string        `json:"path,omitzero"`      // file or folder that it is about
	Connector ConnectorID   `json:"connector,omitzero"` // connector that it is about
	Version   string        `json:"version,omitzero"`   // of a program, as it says
	PID       int           `json:"pid,omitzero"`       // of a process
	Bytes     int           `json:"bytes,omitzero"`     // memory of a process, or size on disk
}

// DoctorParams says what to look at; without sections at everything.
type DoctorParams struct {
	Sections []DoctorSection `json:"sections,omitzero"`
}

// DoctorResult holds the rows, by section.
type DoctorResult struct {
	Rows []DoctorRow `json:"rows"`
}

// Doctor looks at everything that Pillion needs and says what to do about what
// is not as it should be. It starts no connector.
var Doctor = rpc.Request[DoctorParams, DoctorResult]{Method: "pillion/doctor"}
