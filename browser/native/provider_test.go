package native_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser"
	"pillion/browser/native"
)

// TestH3_EveryToolHasARule: what is listed without one would never be offered.
func TestH3_EveryToolHasARule(t *testing.T) {
	t.Parallel()
	toServer, fromServer := io.Pipe()
	toClient, fromClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- native.Serve(t.Context(), toClient, fromServer, native.Options{}) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toServer, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	asking := 0
	for _, tool := range listed.Tools {
		switch (native.Provider{}).Rule(tool.Name) {
		case browser.Never:
			t.Errorf("%s has no rule", tool.Name)
		case browser.Ask:
			asking++
		}
	}
	if asking != 1 {
		t.Errorf("%d tools ask each time", asking)
	}
	_ = session.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if (native.Provider{}).Rule("browser_run_code_unsafe") != browser.Never {
		t.Error("a tool that is not known is offered")
	}
}

func TestH2_AMissingBrowserSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "chrome")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	var p native.Provider
	if problem := p.Check(t.Context(), browser.Machine{Program: filepath.Join(dir, "gone")}); problem == nil || len(problem.Steps) == 0 {
		t.Errorf("a browser that is not there: %+v", problem)
	}
	if problem := p.Check(t.Context(), browser.Machine{Program: program, Outside: []string{dir}}); problem == nil || !strings.Contains(problem.Reason, "workspace") {
		t.Errorf("a browser of the workspace: %+v", problem)
	}
	if problem := p.Check(t.Context(), browser.Machine{Program: program}); problem != nil {
		t.Errorf("a browser that is there: %+v", problem)
	}
}

func TestH4_TheSessionsFolderIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	made, err := native.Provider{Argument: "serve"}.Definition(browser.Machine{Executable: "/bin/pillion", Outside: []string{"/a", "/b"}, IsWithoutSandbox: true}, "/out")
	if err != nil || made.Program != "/bin/pillion" || made.Args[0] != "serve" || made.Env[native.OutputVar] != "/out" || made.Env[native.WithoutSandboxVar] != "1" ||
		made.Env[native.OutsideVar] != "/a"+string(filepath.ListSeparator)+"/b" {
		t.Errorf("%+v, %v", made, err)
	}
	if _, isNamed := made.Env[native.ProgramVar]; isNamed {
		t.Error("a browser is named that nobody named")
	}
}
