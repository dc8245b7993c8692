package config

// RefusedError says why a file is not read or written although it is there.
type RefusedError struct{ Path, Reason string }

func (e *RefusedError) Error() string { return "configuration file " + e.Path + ": " + e.Reason }

// ReadFile reads a file, at most MaxFileBytes of it. An absent file is
// fs.ErrNotExist. A project file that resolves outside its root, a device, and
// a user file that others can write to are a *RefusedError (S3, S24).
func ReadFile(f File) ([]byte, error) { panic("unfinished") }

// WritePath returns the path to write a file to. A project file that is a link
// is a *RefusedError (S24); a user file's link is followed to its target.
func WritePath(f File) (string, error) { panic("unfinished") }

// UserFile is the path of the user's own file: PILLION_MCP_CONFIG, else
// mcp.json in PILLION_CONFIG_DIR, else in the platform's configuration folder.
// home is the user's home folder. A relative path in a variable is an error:
// it would depend on the folder that Pillion was started in.
func UserFile(lookup func(name string) (string, bool), home string) (string, error) {
	panic("unfinished")
}

// CheckUserFile refuses a user file that lies in one of the workspace folders
// (S3), by its name or by where its links lead.
func CheckUserFile(path string, folders []string) error { panic("unfinished") }
