package node

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/browser"
	"pillion/browser/install"
)

func TestH3_WhatIsNeverOffered(t *testing.T) {
	for _, kind := range install.Kinds() {
		p := Provider{Kind: kind}
		for _, tool := range []string{
			"browser_file_upload", "browser_drop", "browser_run_code_unsafe", "browser_install", "browser_pdf_save", "browser_start_tracing",
			"upload_file", "take_heapsnapshot", "lighthouse_audit", "screencast_start", "install_extension", "", "BROWSER_NAVIGATE",
		} {
			if rule := p.Rule(tool); rule != browser.Never {
				t.Errorf("%s: %q is %v", kind, tool, rule)
			}
			if offered(kind, &mcp.Tool{Name: tool, InputSchema: map[string]any{"type": "object"}}) != nil {
				t.Errorf("%s: %q is offered", kind, tool)
			}
		}
	}
	for kind, tools := range map[install.Kind][2]string{
		install.Playwright: {"browser_evaluate", "browser_click"}, install.ChromeDevTools: {"evaluate_script", "click"},
	} {
		p := Provider{Kind: kind}
		if p.Rule(tools[0]) != browser.Ask || p.Rule(tools[1]) != browser.Free {
			t.Errorf("%s: %v, %v", kind, p.Rule(tools[0]), p.Rule(tools[1]))
		}
	}
}

func TestH3_NoArgumentNamesAFile(t *testing.T) {
	tool := offered(install.ChromeDevTools, &mcp.Tool{Name: "evaluate_script", InputSchema: map[string]any{
		"type": "object", "required": []any{"function", "filePath"},
		"properties": map[string]any{"function": map[string]any{"type": "string"}, "filePath": map[string]any{}, "sourcePath": map[string]any{}, "args": map[string]any{}},
	}})
	schema := tool.InputSchema.(map[string]any)
	if properties := schema["properties"].(map[string]any); len(properties) != 2 || properties["function"] == nil || properties["args"] == nil {
		t.Errorf("%v", properties)
	}
	if required := schema["required"].([]any); !slices.Equal(required, []any{"function"}) {
		t.Errorf("%v", required)
	}
	for name, want := range map[string]bool{
		"filename": false, "filePath": false, "requestFilePath": false, "outputDirPath": false, "paths": false, "filePaths": false,
		"sourcePath": false, "initScript": false, "url": true, "target": true, "fullPage": true, "function": true,
	} {
		if isKept(name) != want {
			t.Errorf("%s is kept: %v", name, !want)
		}
	}
	if got := unkept([]byte(`{"url":"x","filename":"/etc/passwd"}`)); got != "filename" {
		t.Errorf("%q", got)
	}
}

func TestS14_Destinations(t *testing.T) {
	for _, test := range []struct {
		kind     install.Kind
		tool, in string
		want     []string
	}{
		{install.Playwright, "browser_navigate", `{"url":"http://a.test/"}`, []string{"http://a.test/"}},
		{install.Playwright, "browser_tabs", `{"action":"new","url":"http://a.test/"}`, []string{"http://a.test/"}},
		{install.Playwright, "browser_tabs", `{"action":"list"}`, nil},
		{install.Playwright, "browser_click", `{"url":"http://a.test/"}`, nil},
		{install.ChromeDevTools, "new_page", `{"url":"http://a.test/"}`, []string{"http://a.test/"}},
		{install.ChromeDevTools, "navigate_page", `{"type":"back"}`, nil},
		{install.ChromeDevTools, "navigate_page", `nonsense`, nil},
	} {
		if got := (Provider{Kind: test.kind}).Destinations(test.tool, []byte(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("%s %s: %q", test.tool, test.in, got)
		}
	}
}

// Only what is new, regular and in the session's folder is put into a result, whatever the text says.
func TestS22_WhatIsInlined(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(folder, writtenFolder, name) }
	write(filepath.Join(elsewhere, "secret.yml"), "secret")
	write(in("old.yml"), "old")
	write(in("console.log"), "before\n")
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	before := lookIn(root)
	write(in("page.yml"), "- heading")
	write(in("console.log"), "before\nafter\n")
	write(in("shot.png"), "\x89PNG\r\n\x1a\n")
	write(in("evil.sh"), "evil")
	write(filepath.Join(folder, "other", "aside.yml"), "aside")
	for _, link := range []string{"link.yml", "linked.png"} {
		if err := os.Symlink(filepath.Join(elsewhere, "secret.yml"), in(link)); err != nil {
			t.Fatal(err)
		}
	}
	now := lookIn(root)
	parts, pictures := before.since(root, now), before.picturesSince(root, now)
	want := []part{{name: "written/console.log", text: "after\n"}, {name: "written/page.yml", text: "- heading"}}
	if !slices.Equal(parts, want) {
		t.Errorf("%+v", parts)
	}
	if len(pictures) != 1 {
		t.Errorf("%d pictures", len(pictures))
	}
	text, left := inlined("### Snapshot\n- [Snapshot]("+in("page.yml")+")\n- [Old](old.yml)\n- [Secret]("+elsewhere+"/secret.yml)\nend", parts, now)
	if text != "### Snapshot\n- heading\n- [Secret]("+elsewhere+"/secret.yml)\nend" || len(left) != 1 {
		t.Errorf("%q, %+v", text, left)
	}
}

func TestS27_ResultsAreBounded(t *testing.T) {
	long := make([]byte, 3*maxTextBytes)
	for i := range long {
		long[i] = 'x'
	}
	made := rewritten(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(long)}}}, news{
		pictures: [][]byte{[]byte("no picture"), []byte("\x89PNG\r\n\x1a\n")},
	}, []string{"said"})
	if text := made.Content[0].(*mcp.TextContent).Text; len(text) > maxTextBytes+500 || text[:4] != "said" {
		t.Errorf("%d bytes: %.20q", len(text), text)
	}
	if len(made.Content) != 2 || made.Content[1].(*mcp.ImageContent).MIMEType != "image/png" {
		t.Errorf("%+v", made.Content)
	}
}
