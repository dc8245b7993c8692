//go:build e2e && linux

package node

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/browsertest"
	"pillion/browser/install"
	"pillion/browser/native"
)

// startProcess runs the connector as its own process, with a folder for all that it leaves anywhere, and opens a page.
func startProcess(t *testing.T, kind install.Kind, folder, url string) (*exec.Cmd, *mcp.ClientSession) {
	t.Helper()
	node, script := programs(t, kind)
	command := exec.Command(os.Args[0])
	command.Env = []string{
		serveVar + "=1", KindVar + "=" + string(kind), NodeVar + "=" + node, ScriptVar + "=" + script,
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder,
	}
	if os.Getuid() == 0 {
		command.Env = append(command.Env, native.WithoutSandboxVar+"=1")
	}
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tool, arguments := "browser_navigate", map[string]any{"url": url}
	if kind == install.ChromeDevTools {
		tool, arguments = "navigate_page", map[string]any{"type": "url", "url": url}
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result.Content[0], err)
	}
	return command, session
}

// shortFolder is one in which sessions are made: one with a long name is passed over.
func shortFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "pb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// of are the processes that name the folder, or run in it.
func of(folder string) map[int]string {
	found := map[int]string{}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		text, err := os.ReadFile(line)
		here, _ := os.Readlink(filepath.Join(filepath.Dir(line), "cwd"))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err == nil && (strings.Contains(string(text), folder) || strings.HasPrefix(here, folder)) {
			found[pid] = strings.ReplaceAll(string(text), "\x00", " ")
		}
	}
	return found
}

func waitGone(t *testing.T, left func() string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); left() != ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left: %s", left())
		}
	}
}

func TestC21_NothingIsLeftOfNode(t *testing.T) {
	for _, kind := range install.Kinds() {
		for _, isKilled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %v", kind, isKilled), func(t *testing.T) {
				site, folder := browsertest.NewSite(t), shortFolder(t)
				command, session := startProcess(t, kind, folder, site.URL+"/form")
				if len(of(folder)) < 3 { // the server, what stands in for a browser, and that
					t.Fatalf("%v", of(folder))
				}
				if isKilled {
					_ = command.Process.Kill()
				} else {
					_ = session.Close()
				}
				_ = command.Wait()
				waitGone(t, func() string {
					if running := of(folder); len(running) > 0 {
						return fmt.Sprint(running)
					}
					return ""
				})
				if entries, err := os.ReadDir(folder); !isKilled && (err != nil || len(entries) > 0) {
					t.Errorf("left: %v, %v", entries, err)
				}
			})
		}
	}
}

func TestC22_TwoServersAtOnce(t *testing.T) {
	site, folder := browsertest.NewSite(t), shortFolder(t)
	for range 2 {
		startProcess(t, install.Playwright, folder, site.URL+"/form")
	}
}
