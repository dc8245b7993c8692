//go:build unix

package cases

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// doctor runs the command line's and returns its exit code and what it printed as JSON.
func (w *world) doctor(sections ...string) (code int, window string, rows findings) {
	w.t.Helper()
	code, out, said := w.inShell(append([]string{"doctor", "--json"}, sections...)...)
	var shape struct {
		Window string              `json:"window"`
		Broken bool                `json:"broken"`
		Rows   []message.DoctorRow `json:"rows"`
	}
	if err := rpc.Unmarshal([]byte(out), &shape); err != nil || shape.Broken != (code == 1) {
		w.t.Fatalf("code %d, %v: %s%s", code, err, out, said)
	}
	return code, shape.Window, shape.Rows
}

// D3: what there is, where it was found, what is wrong with it and what to do; the exit code is for programs.
func TestD3_Doctor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tools := w.file("tools")
	w.write(filepath.Join(tools, "deno"), "#!/bin/sh\necho v9.9.9\necho \"$PWD\" > '"+w.file("where")+"'\n")
	w.write(filepath.Join(tools, "bun"), "#!/bin/sh\nexec sleep 1000\n")
	for _, name := range []string{"deno", "bun"} {
		if err := os.Chmod(filepath.Join(tools, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shell := w.script("shell", `PATH="`+tools+`:$PATH"; export PATH; while [ $# -gt 1 ]; do shift; done; exec /bin/sh -c "$1"`+"\n")
	w.fromTheDesktop(shell)
	user := w.user(servers(map[string]entry{
		"mine": fake(""), "js": {"command": "deno"}, "slow": {"command": "bun"}, "tools": {"command": "pipx-that-is-not-there"}, "off": {"command": "uvx-off", "disabled": true},
	}))
	project := w.project(servers(map[string]entry{"theirs": fake("touch=" + w.file("mark"))}))

	code, window, rows := w.doctor()
	if code != 1 || window != "" {
		t.Errorf("code %d, window %q", code, window)
	}
	for _, want := range []struct {
		section       message.DoctorSection
		subject       string
		level         message.DoctorLevel
		text, version string
	}{
		{message.DoctorFiles, user, message.DoctorOK, "5 connectors, 1 of them off", ""},
		{message.DoctorFiles, project, message.DoctorOK, "1 connector", ""},
		{message.DoctorConnectors, "mine", message.DoctorOK, "starts on use", ""},
		{message.DoctorConnectors, "off", message.DoctorOK, "is off", ""},
		{message.DoctorConnectors, "theirs", message.DoctorNote, "needs permission", ""},
		{message.DoctorRuntimes, "deno", message.DoctorOK, "found by your login shell's PATH, not by the editor's: " + filepath.Join(tools, "deno") + " (for js)", "v9.9.9"},
		{message.DoctorRuntimes, "bun", message.DoctorOK, "found by your login shell's PATH", ""},
		{message.DoctorRuntimes, "pipx-that-is-not-there", message.DoctorBroken, "not found", ""},
		{message.DoctorSecrets, "values of inputs", message.DoctorOK, "none was stored yet", ""},
		{message.DoctorFolders, w.file("state"), message.DoctorOK, "state", ""},
		{message.DoctorWindows, "windows", message.DoctorOK, "no editor", ""},
	} {
		row := rows.about(t, want.section, want.subject)
		if row.Level != want.level || !strings.Contains(row.Text, want.text) || row.Version != want.version || row.Steps == nil || (row.Level != message.DoctorOK) != (len(row.Steps) > 0) {
			t.Errorf("want %+v, got %+v", want, row)
		}
	}
	if where := string(read(t, w.file("where"))); strings.HasPrefix(where, w.repository) {
		t.Errorf("the runner ran in %s", where)
	}
	if exists(w.file("mark")) {
		t.Error("the project's connector ran")
	}

	// Put right, nothing is broken; what others may read is worth a look, what they may write is not taken.
	w.user(servers(map[string]entry{"mine": fake("")}))
	if err := os.Chmod(user, 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, rows = w.doctor("files", "folders", "connectors")
	if row := rows.about(t, message.DoctorFolders, user); code != 0 || row.Level != message.DoctorNote || !strings.Contains(row.Steps[0], "chmod 600 ") {
		t.Errorf("code %d, %+v", code, row)
	}
	if slices.ContainsFunc(rows, func(r message.DoctorRow) bool { return r.Section == message.DoctorRuntimes }) {
		t.Errorf("sections that were not asked for: %+v", rows)
	}
	if err := os.Chmod(user, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, rows = w.doctor("folders"); code != 1 || rows.about(t, message.DoctorFolders, user).Level != message.DoctorBroken {
		t.Errorf("code %d, %+v", code, rows)
	}
	if code, _, said := w.inShell("doctor", "nonsense"); code != 2 || !strings.Contains(said, `no section "nonsense"`) {
		t.Errorf("code %d, %s", code, said)
	}
}

// With a window open on the folder it is the window's view that counts: what runs there, with its process, and why what does
// not run does not. The editor's command shows the same as a document.
func TestD3_DoctorOfAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake(""), "dead": fake("stderr=missing libfoo,exit=127")}))
	e := w.edit()
	pid := pidOf(t, e, "mine")
	e.Connector("dead", message.ConnectorFailed)
	code, window, rows := w.doctor()
	if code != 1 || window == "" {
		t.Errorf("code %d, window %q", code, window)
	}
	if row := rows.about(t, message.DoctorConnectors, "mine"); row.PID != pid || !strings.Contains(row.Text, "runs, 1 tool") {
		t.Errorf("%+v", row)
	}
	if row := rows.about(t, message.DoctorConnectors, "dead"); row.Level != message.DoctorBroken || !strings.Contains(row.Text, "exited (127): missing libfoo") || len(row.Steps) < 3 {
		t.Errorf("%+v", row)
	}
	if row := rows.about(t, message.DoctorWindows, "editortest"); row.PID != e.PID() || !strings.Contains(row.Text, w.repository) {
		t.Errorf("%+v", row)
	}
	if row := rows.about(t, message.DoctorSystem, "guard"); !strings.HasPrefix(row.Text, "runs") {
		t.Errorf("%+v", row)
	}
	if code, out, said := w.inShell("mcp", "log", "dead"); code != 0 || !strings.Contains(out, "missing libfoo") || !strings.Contains(out, "started, process ") {
		t.Errorf("code %d: %s%s", code, out, said)
	}
	if code, out, _ := w.inShell("mcp", "log", "dead", "-n", "1", "--json"); code != 0 || !strings.Contains(out, `"lines":["`) || strings.Contains(out, "started, process") && strings.Contains(out, "missing libfoo") {
		t.Errorf("code %d: %s", code, out)
	}
	if code, _, said := w.inShell("mcp", "log", "nobody"); code != 2 || !strings.Contains(said, "nobody") {
		t.Errorf("code %d: %s", code, said)
	}
	execute(e, message.CommandDoctor.Name)
	if shown := e.Shown("missing libfoo"); !strings.HasPrefix(shown, "Pillion: One thing is broken") || !strings.Contains(shown, "Windows on this machine") {
		t.Error(shown)
	}
	if all := editortest.Request(e, message.Doctor, message.DoctorParams{Sections: []message.DoctorSection{message.DoctorSecrets}}).Rows; len(all) != 1 {
		t.Errorf("%+v", all)
	}
}
