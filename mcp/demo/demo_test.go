package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eras are the handshakes that every test of a session runs under.
var eras = map[string]string{"modern": "2026-07-28", "legacy": "2025-11-25"}

// connect serves the demo to a client over pipes until the test ends.
func connect(t *testing.T, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	requests, toServer := io.Pipe()
	replies, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), requests, toClient) }()
	if options == nil {
		options = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: replies, Writer: toServer},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve returned %v", err)
		}
		toClient.Close()
	})
	return session
}

func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) (*mcp.CallToolResult, string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var said []string
	for _, block := range result.Content {
		if block, ok := block.(*mcp.TextContent); ok {
			said = append(said, block.Text)
		}
	}
	return result, strings.Join(said, "\n")
}

func eachEra(t *testing.T, test func(t *testing.T, version string)) {
	for name, version := range eras {
		t.Run(name, func(t *testing.T) { test(t, version) })
	}
}

func TestServe_ListsHonestTools(t *testing.T) {
	eachEra(t, func(t *testing.T, version string) {
		session := connect(t, version, nil)
		result, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		isReadOnly := map[string]bool{"ask_name": true, "chart": true, "list_notes": true, "read_note": true, "slow_count": true, "write_note": false}
		for _, tool := range result.Tools {
			want, ok := isReadOnly[tool.Name]
			if !ok {
				t.Errorf("unexpected tool %q", tool.Name)
				continue
			}
			delete(isReadOnly, tool.Name)
			hints := tool.Annotations
			if hints.ReadOnlyHint != want || *hints.DestructiveHint == want || *hints.OpenWorldHint {
				t.Errorf("%s: annotations %+v", tool.Name, hints)
			}
			if tool.Title == "" || !strings.HasSuffix(tool.Description, ".") {
				t.Errorf("%s: title %q, description %q", tool.Name, tool.Title, tool.Description)
			}
		}
		if len(isReadOnly) > 0 {
			t.Errorf("missing tools: %v", isReadOnly)
		}
	})
}

func TestNotes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "notes")
	for name, dir := range map[string]string{"memory": "", "folder": folder} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(DirVar, dir)
			session := connect(t, eras["legacy"], nil)
			if _, said := call(t, session, "write_note", `{"name":"plan","text":"one\n"}`); said != `Wrote note "plan" (4 bytes).` {
				t.Errorf("write_note said %q", said)
			}
			call(t, session, "write_note", `{"name":"plan","text":"two\n"}`)
			if _, said := call(t, session, "read_note", `{"name":"plan"}`); said != "two\n" {
				t.Errorf("read_note said %q", said)
			}
			if _, said := call(t, session, "list_notes", `{}`); !strings.Contains(said, "plan (4 bytes)") {
				t.Errorf("list_notes said %q", said)
			}
			if result, said := call(t, session, "read_note", `{"name":"absent"}`); !result.IsError || !strings.Contains(said, "list_notes") {
				t.Errorf("read_note of an absent note: %v %q", result.IsError, said)
			}
		})
	}
	if content, err := os.ReadFile(filepath.Join(folder, "plan.md")); err != nil || string(content) != "two\n" {
		t.Errorf("the note's file: %q, %v", content, err)
	}
}

func TestC75_NoteNamesStayInTheFolder(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(outside, "notes")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret.md")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(folder, "link.md")); err != nil {
		t.Skip(err)
	}
	t.Setenv(DirVar, folder)
	session := connect(t, eras["legacy"], nil)
	for _, name := range []string{"../secret", "/etc/passwd", `a\b`, "", ".", "link", strings.Repeat("x", 65)} {
		arguments, _ := json.Marshal(map[string]string{"name": name, "text": "overwritten"})
		if result, said := call(t, session, "write_note", string(arguments)); !result.IsError {
			t.Errorf("write_note %q: %q", name, said)
		}
		arguments, _ = json.Marshal(map[string]string{"name": name})
		if result, said := call(t, session, "read_note", string(arguments)); !result.IsError {
			t.Errorf("read_note %q: %q", name, said)
		}
	}
	if content, _ := os.ReadFile(secret); string(content) != "secret" {
		t.Errorf("outside the folder: %q", content)
	}
}

func TestChart_IsAPNGAndDeterministic(t *testing.T) {
	session := connect(t, eras["modern"], nil)
	image := func(arguments string) []byte {
		result, _ := call(t, session, "chart", arguments)
		for _, block := range result.Content {
			if block, ok := block.(*mcp.ImageContent); ok && block.MIMEType == "image/png" {
				return block.Data
			}
		}
		t.Fatalf("chart %s: no image", arguments)
		return nil
	}
	first, second := image(`{"values":[1,2,3]}`), image(`{"values":[1,2,3]}`)
	if !bytes.Equal(first, second) {
		t.Error("two charts of the same values differ")
	}
	if _, err := png.Decode(bytes.NewReader(first)); err != nil {
		t.Error(err)
	}
	if bytes.Equal(first, image(`{"values":[3,2,1]}`)) {
		t.Error("charts of different values are equal")
	}
	if result, _ := call(t, session, "chart", `{"values":[-1]}`); !result.IsError {
		t.Error("a negative bar was drawn")
	}
	if result, _ := call(t, session, "chart", `{"values":[0,0]}`); result.IsError {
		t.Error("bars of no height were refused")
	}
}

func TestSlowCount_ReportsProgress(t *testing.T) {
	eachEra(t, func(t *testing.T, version string) {
		steps := make(chan float64, 10)
		session := connect(t, version, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{},
			ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
				steps <- request.Params.Progress
			},
		})
		params := &mcp.CallToolParams{Name: "slow_count", Arguments: json.RawMessage(`{"to":3,"delayMs":0}`)}
		params.SetProgressToken("token")
		if _, err := session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		for want := 1.0; want <= 3; want++ {
			if got := <-steps; got != want {
				t.Errorf("progress %v, want %v", got, want)
			}
		}
	})
}

func TestSlowCount_EndsWhenCancelled(t *testing.T) {
	eachEra(t, func(t *testing.T, version string) {
		session := connect(t, version, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "slow_count", Arguments: json.RawMessage(`{"to":1000,"delayMs":10000}`)})
		if err == nil {
			t.Error("the call ended well")
		}
		// The clean-up of connect waits for Serve, which a counter that still runs would hold up.
	})
}

func TestAskName(t *testing.T) {
	for _, test := range []struct {
		action  string
		content map[string]any
		want    string
	}{
		{"accept", map[string]any{"name": "Ada"}, "Hello, Ada."},
		{"decline", nil, "The name was kept private."},
		{"cancel", nil, "Nobody answered."},
	} {
		t.Run(test.action, func(t *testing.T) {
			eachEra(t, func(t *testing.T, version string) {
				session := connect(t, version, &mcp.ClientOptions{
					Capabilities: &mcp.ClientCapabilities{},
					ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						return &mcp.ElicitResult{Action: test.action, Content: test.content}, nil
					},
				})
				if _, said := call(t, session, "ask_name", `{}`); said != test.want {
					t.Errorf("ask_name said %q, want %q", said, test.want)
				}
			})
		})
	}
}

func TestAskName_SaysSoWhenNobodyCanBeAsked(t *testing.T) {
	eachEra(t, func(t *testing.T, version string) {
		session := connect(t, version, nil)
		if result, said := call(t, session, "ask_name", `{}`); !result.IsError || !strings.Contains(said, "elicitation") {
			t.Errorf("ask_name: %v %q", result.IsError, said)
		}
	})
}
