package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pillion/rpc/message"
)

// folders looks at the modes and owners of Pillion's own folders, and of the files in them that hold what a person decided.
func (l *look) folders() {
	f := l.core.Folders
	l.private("configuration", f.Config, false)
	l.private("state", f.State, true)
	l.private("sockets of windows", f.Runtime, true)
	for _, path := range append([]string{f.UserFile, f.Settings}, l.core.StoreFiles()...) {
		if row, isWrong := privateFile(path); isWrong {
			l.add(row)
		}
	}
	if notice := l.core.Notice; notice != "" {
		l.add(message.DoctorRow{Level: message.DoctorBroken, Subject: f.State, Path: f.State, Text: notice, Steps: []string{"Make the folder one that you may write to, and start the editor again."}})
	}
}

func (l *look) private(what, path string, isSecret bool) {
	row := message.DoctorRow{Level: message.DoctorOK, Subject: path, Path: path, Text: what}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		row.Text += ", not there yet"
	case err != nil:
		row.Level, row.Text = message.DoctorBroken, what+", cannot be looked at: "+err.Error()
		row.Steps = []string{"See that you may read the folder."}
	default:
		level, fault, step := judge(path, info, isSecret)
		if row.Level = level; fault != "" {
			row.Text += ", " + fault
			row.Steps = []string{step}
		}
	}
	l.add(row)
}

func privateFile(path string) (message.DoctorRow, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return message.DoctorRow{}, false // what is not there has no mode
	}
	level, fault, step := judge(path, info, true)
	return message.DoctorRow{Level: level, Subject: path, Path: path, Text: fault, Steps: []string{step}}, fault != ""
}

// judge says what is wrong with the mode or the owner of a file or folder of the user's, or nothing.
func judge(path string, info fs.FileInfo, isSecret bool) (level message.DoctorLevel, fault, step string) {
	mode := "600"
	if info.IsDir() {
		mode = "700"
	}
	step = fmt.Sprintf("In a terminal: chmod %s %s", mode, shellWord(path))
	if owner := foreignOwner(info); owner != "" {
		return message.DoctorBroken, "belongs to " + owner + ", so that it is not used", "Make it yours, or name another place with a PILLION_… variable."
	}
	switch others := permissionsOfOthers(info); {
	case others&0o022 != 0:
		return message.DoctorBroken, fmt.Sprintf("may be written to by others (mode %o)", info.Mode().Perm()), step
	case isSecret && others != 0:
		return message.DoctorNote, fmt.Sprintf("may be read by others (mode %o)", info.Mode().Perm()), step
	}
	return message.DoctorOK, "", ""
}

// shellWord is a path as a shell takes it for one word; a path that no quotes make safe to paste is only named.
func shellWord(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == "" {
		return path
	}
	return "… (the path " + filepath.Clean(path) + ", in quotes)"
}
