//go:build e2e && linux

package native

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser/browsertest"
)

// process is the connector as its own process, with a folder for all that it leaves anywhere.
type process struct {
	t       *testing.T
	command *exec.Cmd
	session *mcp.ClientSession
	folder  string
}

func start(t *testing.T, folder string) *process {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = []string{serveVar + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder}
	if os.Getuid() == 0 {
		command.Env = append(command.Env, WithoutSandboxVar+"=1")
	}
	command.Stderr = os.Stderr
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
	p := &process{t: t, command: command, folder: folder}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	p.session, err = client.Connect(t.Context(), &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) call(tool string, arguments map[string]any) (string, bool) {
	p.t.Helper()
	encoded, _ := json.Marshal(arguments)
	result, err := p.session.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(encoded)})
	if err != nil {
		p.t.Fatal(err)
	}
	said := ""
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			said += text.Text
		}
	}
	return said, result.IsError
}

func (p *process) open(url string) string {
	p.t.Helper()
	said, isError := p.call("browser_navigate", map[string]any{"url": url})
	if isError {
		p.t.Fatal(said)
	}
	return said
}

// browsers are the ids of all processes that name the folder, each with how it was started.
func (p *process) browsers() map[int]string {
	found := map[int]string{}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		text, err := os.ReadFile(line)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err == nil && strings.Contains(string(text), p.folder) {
			found[pid] = strings.ReplaceAll(string(text), "\x00", " ")
		}
	}
	return found
}

// leavesNothing wants every process and every file to be gone, now or soon.
func (p *process) leavesNothing() {
	p.t.Helper()
	left := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		files, err := os.ReadDir(p.folder)
		left = fmt.Sprint(p.browsers(), files, err)
		if len(p.browsers()) == 0 && len(files) == 0 {
			return
		}
	}
	p.t.Fatalf("left: %s", left)
}

func TestC21_NothingIsLeftAfterTwentyStarts(t *testing.T) {
	site, folder := browsertest.NewSite(t), t.TempDir()
	for i := range 20 {
		p := start(t, folder)
		p.open(site.URL + "/form")
		if len(p.browsers()) < 2 {
			t.Fatalf("start %d: %v", i, p.browsers())
		}
		if err := p.session.Close(); err != nil {
			t.Errorf("start %d: %v", i, err)
		}
		if err := p.command.Wait(); err != nil {
			t.Errorf("start %d: %v", i, err)
		}
		p.leavesNothing()
	}
}

func TestC21_NothingIsLeftOfAKilledConnector(t *testing.T) {
	site := browsertest.NewSite(t)
	p := start(t, t.TempDir())
	p.open(site.URL + "/form")
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.command.Wait()
	p.leavesNothing()
}

// kill ends, or only stops, the process of the browser that all others come from.
func (p *process) kill(signal syscall.Signal) {
	p.t.Helper()
	for pid, line := range p.browsers() {
		if strings.Contains(line, "--remote-debugging-pipe") && !strings.Contains(line, "--type=") && !strings.HasPrefix(line, "/bin/sh") {
			if err := syscall.Kill(pid, signal); err != nil {
				p.t.Fatal(err)
			}
			return
		}
	}
	p.t.Fatalf("no browser in %v", p.browsers())
}

func TestC21_AKilledBrowserIsStartedAnew(t *testing.T) {
	site := browsertest.NewSite(t)
	p := start(t, t.TempDir())
	p.open(site.URL + "/form")
	p.kill(syscall.SIGKILL)
	if said := p.open(site.URL + "/other"); !strings.Contains(said, "started anew") || !strings.Contains(said, "The other page") {
		t.Error(said)
	}
	if folders, _ := filepath.Glob(filepath.Join(p.folder, folderPrefix+"*")); len(folders) != 1 {
		t.Errorf("folders: %v", folders)
	}
	p.session.Close()
	_ = p.command.Wait()
	p.leavesNothing()
}

func TestH5_AWedgedBrowserIsStartedAnew(t *testing.T) {
	site := browsertest.NewSite(t)
	p := start(t, t.TempDir())
	p.open(site.URL + "/form")
	p.kill(syscall.SIGSTOP)
	if said := p.open(site.URL + "/other"); !strings.Contains(said, "started anew") {
		t.Error(said)
	}
	p.kill(syscall.SIGSTOP)
	p.session.Close()
	_ = p.command.Wait()
	p.leavesNothing()
}

func TestC22_TwoConnectorsAtOnce(t *testing.T) {
	site, folder := browsertest.NewSite(t), t.TempDir()
	one, other := start(t, folder), start(t, folder)
	one.open(site.URL + "/form")
	other.open(site.URL + "/other")
	if said, _ := one.call("browser_tabs", map[string]any{"action": "list"}); strings.Contains(said, "/other") {
		t.Error(said)
	}
	one.session.Close()
	_ = one.command.Wait()
	other.open(site.URL + "/form")
	other.session.Close()
	_ = other.command.Wait()
	other.leavesNothing()
}

func TestS22_NoPortButTheRelay(t *testing.T) {
	p := start(t, t.TempDir())
	p.open("about:blank")
	listening := 0
	for pid := range p.browsers() {
		listening += listeners(t, pid)
	}
	if listening != 0 {
		t.Errorf("the browser listens on %d ports", listening)
	}
	if n := listeners(t, p.command.Process.Pid); n != 1 {
		t.Errorf("the connector listens on %d ports", n)
	}
}

// listeners counts the TCP sockets that a process listens on.
func listeners(t *testing.T, pid int) int {
	t.Helper()
	inodes := map[string]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for _, line := range strings.Split(string(text), "\n") {
			if fields := strings.Fields(line); len(fields) > 9 && fields[3] == "0A" {
				inodes["socket:["+fields[9]+"]"] = true
			}
		}
	}
	count := 0
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, descriptor := range open {
		if target, err := os.Readlink(descriptor); err == nil && inodes[target] {
			count++
		}
	}
	return count
}
