// Package doctor looks at everything that Pillion needs on this machine and says what to do about what is not as it should be.
// It mends nothing, starts no connector, and runs and reads nothing of a repository that was not allowed.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/rpc/message"
	"pillion/sidecar/attach"
	"pillion/sidecar/core"
)

// Look returns a row for each thing that was looked at, by section, in the order in which one would mend them; without
// sections everything is looked at. It may start well-known runners for their versions; the end of ctx cuts that short.
func Look(ctx context.Context, c *core.Core, sections []message.DoctorSection) []message.DoctorRow {
	l := &look{ctx: ctx, core: c}
	rows := []message.DoctorRow{}
	for _, one := range []struct {
		section message.DoctorSection
		look    func()
	}{
		{message.DoctorFiles, l.files}, {message.DoctorFolders, l.folders}, {message.DoctorConnectors, l.connectors}, {message.DoctorRuntimes, l.runtimes},
		{message.DoctorBrowser, l.browser},
		{message.DoctorSecrets, l.secrets}, {message.DoctorLogs, l.logs}, {message.DoctorWindows, l.windows}, {message.DoctorSystem, l.system},
	} {
		if len(sections) > 0 && !slices.Contains(sections, one.section) {
			continue
		}
		l.rows = nil
		one.look()
		for _, row := range l.rows {
			row.Section = one.section
			row.Steps = append([]string{}, row.Steps...)
			rows = append(rows, row)
		}
	}
	return rows
}

// IsBroken reports whether something does not work.
func IsBroken(rows []message.DoctorRow) bool {
	return slices.ContainsFunc(rows, func(r message.DoctorRow) bool { return r.Level != message.DoctorOK && r.Level != message.DoctorNote })
}

// look gathers the rows of one section.
type look struct {
	ctx  context.Context
	core *core.Core
	rows []message.DoctorRow
}

func (l *look) add(row message.DoctorRow) { l.rows = append(l.rows, row) }

func (l *look) files() {
	paths := map[string]bool{}
	for _, document := range l.core.Documents() {
		paths[document.File.Path] = true
		l.add(fileRow(document))
	}
	if own := l.core.Folders.UserFile; !paths[own] {
		l.add(message.DoctorRow{Level: message.DoctorOK, Subject: own, Path: own, Text: "is not there: you have no connectors of your own"})
	}
	if text, err := config.ReadFile(config.File{Path: l.core.Folders.Settings, Source: config.SourceUser}); err == nil {
		document := core.SettingsDocument(l.core.Folders.Settings, text)
		row := fileRow(document)
		if row.Level == message.DoctorOK {
			row.Text = "your settings"
		}
		l.add(row)
	} else if !errors.Is(err, fs.ErrNotExist) {
		l.add(message.DoctorRow{Level: message.DoctorBroken, Subject: l.core.Folders.Settings, Path: l.core.Folders.Settings, Text: "your settings cannot be used: " + err.Error(),
			Steps: []string{"See that the file is yours and that nobody else may write to it."}})
	}
	for _, problem := range l.core.StoreProblems() {
		steps := []string{"Answer the question about it in the editor, or in a terminal: pillion answer. Until then every call asks."}
		if problem.SetAside != "" {
			steps = append([]string{"What it held is in " + problem.SetAside + "."}, steps...)
		}
		l.add(message.DoctorRow{Level: message.DoctorBroken, Subject: problem.File, Path: problem.File, Text: "what you decided cannot be read: " + problem.Reason, Steps: steps})
	}
}

// browser says what drives a session's browser, and what is missing for it: that is worth a look and no more, for nobody need
// have one.
func (l *look) browser() {
	now := l.core.Browser(l.ctx, "")
	row := message.DoctorRow{Level: message.DoctorOK, Subject: now.Provider, Text: "drives the browser of a session: " + now.Because}
	if p := now.Problem; p != nil {
		row.Level, row.Text, row.Steps = message.DoctorNote, "would drive the browser of a session, and cannot: "+p.Reason, p.Steps
	}
	if now.IsAuto {
		row.Text += "; a session has one without a question"
	}
	l.add(row)
}

// fileRow is a configuration file with its counts and faults.
func fileRow(d *config.Document) message.DoctorRow {
	row := message.DoctorRow{Level: message.DoctorOK, Subject: d.File.Path, Path: d.File.Path}
	off := 0
	for _, entry := range d.Entries {
		if entry.Disabled {
			off++
		}
	}
	row.Text = counted(len(d.Entries), "connector", "connectors")
	if off > 0 {
		row.Text += fmt.Sprintf(", %d of them off", off)
	}
	lines := config.NewLines(d.Text)
	for _, f := range d.Findings {
		if f.Severity > config.Warning {
			continue
		}
		if f.Severity == config.Error {
			row.Level = message.DoctorBroken
		} else if row.Level == message.DoctorOK {
			row.Level = message.DoctorNote
		}
		line, character := lines.Position(f.Span.Start, false)
		row.Steps = append(row.Steps, fmt.Sprintf("%d:%d: %s", line+1, character+1, f.Text()))
	}
	switch {
	case !d.Parsed && len(d.Text) > 0:
		row.Level, row.Text = message.DoctorBroken, "cannot be read as it is, so what was read last counts"
	case d.Refused:
		row.Level, row.Text = message.DoctorBroken, "is refused, so none of it counts"
	case len(row.Steps) > 0:
		row.Text += ", " + counted(len(row.Steps), "fault", "faults")
	}
	return row
}

func (l *look) connectors() {
	for _, c := range l.core.Connectors() {
		row := message.DoctorRow{Level: message.DoctorOK, Subject: c.Name, Connector: message.ConnectorID(c.ID), Path: c.File}
		switch c.State {
		case host.StateFailed, host.StateLogin:
			row.Level, row.Text = message.DoctorBroken, "does not run"
			if c.Problem != nil {
				row.Text += ": " + c.Problem.Reason
				row.Steps = c.Problem.Steps
			}
		case host.StateWaiting:
			row.Level, row.Text = message.DoctorNote, "needs permission"
			row.Steps = []string{"Review and allow it in the editor, or in a terminal: " + host.ApproveCommand(c.Name)}
			if c.Permission == host.MissingTrust {
				row.Text, row.Steps = "waits until this workspace is trusted", []string{"Trust the workspace in the editor."}
			}
		case host.StateDenied:
			row.Text = "is blocked by you"
		case host.StateDisabled:
			row.Text = "is off"
			if c.ShadowedBy != "" {
				row.Text = "is not used: another of its name is"
			}
		case host.StateReady:
			row.Text = "runs, " + counted(c.Tools, "tool", "tools")
		case host.StateIdle:
			row.Text = "starts on use"
		default:
			row.Text = "is " + string(c.State)
		}
		for _, process := range c.Processes {
			row.PID = process.PID
			row.Bytes = int(residentBytes(process.PID))
		}
		l.add(row)
		for _, warning := range c.Warnings {
			l.add(message.DoctorRow{Level: message.DoctorNote, Subject: c.Name, Connector: message.ConnectorID(c.ID), Text: warning})
		}
	}
}

func (l *look) runtimes() {
	for _, r := range l.core.Runtimes(l.ctx) {
		row := message.DoctorRow{Level: message.DoctorOK, Subject: r.Command, Path: r.Path, Version: r.Version}
		forWhom := " (for " + strings.Join(r.Connectors, ", ") + ")"
		switch {
		case r.Path == "":
			row.Level, row.Text = message.DoctorBroken, r.Reason+forWhom
			row.Steps = []string{r.Install, "It was looked for in " + strings.Join(r.Folders, ", ") + ".", "If it works in your terminal, start the editor from there, or check that your login shell sets PATH."}
		case r.IsOfShell:
			row.Text = "found by your login shell's PATH, not by the editor's: " + r.Path + forWhom
		default:
			row.Text = "found by the editor's PATH: " + r.Path + forWhom
		}
		l.add(row)
	}
}

func (l *look) secrets() {
	found := l.core.SecretStore()
	row := message.DoctorRow{Level: message.DoctorOK, Subject: "values of inputs", Text: counted(found.Count, "value is", "values are") + " kept"}
	switch found.Place {
	case "keyring":
		row.Text += " in the operating system's keyring"
	case "file":
		row.Text += " in a sealed file, for no keyring could be used"
	default:
		row.Text = "none was stored yet"
	}
	if found.Fault != nil {
		row.Level, row.Text = message.DoctorBroken, "what is stored cannot be used: "+found.Fault.Error()
		row.Steps = []string{"See what there is: pillion secret list", "Values that are lost are asked for again when a connector needs them."}
	}
	l.add(row)
}

func (l *look) logs() {
	folder := l.core.LogFolder()
	count, bytes := sizeOf(folder)
	row := message.DoctorRow{Level: message.DoctorOK, Subject: folder, Path: folder, Bytes: int(bytes), Text: "no connector has written a log yet"}
	if count > 0 {
		row.Text = counted(count, "log", "logs") + " of connectors, " + megabytes(bytes)
	}
	l.add(row)
	for _, name := range []string{"audit.jsonl", "pillion.log"} {
		path := filepath.Join(l.core.Folders.State, name)
		if info, err := os.Lstat(path); err == nil {
			l.add(message.DoctorRow{Level: message.DoctorOK, Subject: path, Path: path, Bytes: int(info.Size()), Text: megabytes(info.Size())})
		}
	}
}

// maxFiles bounds how many files of a folder are counted.
const maxFiles = 10_000

func sizeOf(folder string) (count int, bytes int64) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries[:min(len(entries), maxFiles)] {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			count++
			bytes += info.Size()
		}
	}
	return count, bytes
}

func (l *look) windows() {
	windows, err := attach.Windows(l.core.Folders.Runtime)
	if err != nil {
		l.add(message.DoctorRow{Level: message.DoctorNote, Subject: l.core.Folders.Runtime, Path: l.core.Folders.Runtime, Text: err.Error(),
			Steps: []string{"No terminal finds an editor's window while this is so; everything else goes on."}})
		return
	}
	for _, window := range windows {
		roots := make([]string, len(window.Roots))
		for i, root := range window.Roots {
			roots[i] = root.FsPath()
		}
		row := message.DoctorRow{Level: message.DoctorOK, Subject: window.Editor, PID: window.PID, Bytes: int(residentBytes(window.PID))}
		if row.Subject == "" {
			row.Subject = "an editor"
		}
		row.Text = fmt.Sprintf("process %d", window.PID)
		if row.Bytes > 0 {
			row.Text += ", " + megabytes(int64(row.Bytes)) + " of memory"
		}
		if len(roots) > 0 {
			row.Text += ", on " + strings.Join(roots, ", ")
		}
		l.add(row)
	}
	if len(windows) == 0 {
		l.add(message.DoctorRow{Level: message.DoctorOK, Subject: "windows", Text: "no editor has one open"})
	}
}

func (l *look) system() {
	row := message.DoctorRow{Level: message.DoctorOK, Subject: "guard", Text: "starts with the first connector, and ends what is left should Pillion be killed"}
	if l.core.HasGuard() {
		row.Text = "runs, and ends what is left should Pillion be killed"
	}
	l.add(row)
	l.rows = append(l.rows, limits()...)
}

func residentBytes(pid int) int64 { return process.ResidentBytes(pid) }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func megabytes(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
