// Package docs holds no code: its tests hold the documents to the tree that they describe.
package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// directions says what each package may import of ours; what is not listed here is forbidden.
// A package that is not named at all fails the test: it must be given its place first.
var directions = map[string][]string{
	"mcp/process": {}, "mcp/redact": {}, "mcp/state": {}, "mcp/place": {}, "mcp/settings": {}, "mcp/parts": {},
	"mcp/auth":   {"mcp/state"},
	"mcp/config": {"mcp/place", "mcp/redact", "mcp/settings"}, "mcp/config/imports": {"mcp/config", "mcp/redact", "mcp/place"}, "mcp/config/agents": {"mcp/config", "mcp/config/imports"},
	"mcp/consent":    {"mcp/state"},
	"mcp/repository": {},
	"mcp/policy":     {},
	"mcp/permission": {"mcp/state"},
	"mcp/personal":   {"mcp/state"},
	"mcp/admission":  {"mcp/state"},
	"mcp/why":        {"mcp/config"},
	"mcp/audit":      {"mcp/state", "mcp/redact"},
	"mcp/activity":   {"mcp/audit"},
	"mcp/result":     {"mcp/redact", "mcp/state"},
	"mcp/catalog":    {"mcp/state"},
	"mcp/connector":  {"mcp/catalog", "mcp/process", "mcp/redact", "mcp/state", "mcp/parts"},
	"mcp/demo":       {},
	"mcp/agenthost":  {"mcp/catalog"},
	"mcp/mcptest":    {"mcp/process"}, "mcp/mcptest/fakestdio": {"mcp/mcptest"},
	"mcp/host": {
		"mcp/auth", "mcp/config", "mcp/consent", "mcp/permission", "mcp/personal", "mcp/connector", "mcp/catalog", "mcp/result", "mcp/audit", "mcp/policy", "mcp/repository", "mcp/why", "mcp/process", "mcp/redact", "mcp/state", "mcp/place", "mcp/settings", "mcp/parts",
	},
	"mcp/serve": {"mcp/host", "mcp/connector"},
	"rpc":       {}, "rpc/rpctest": {"rpc"},
	"rpc/message":           {"rpc"},
	"rpc/internal/generate": {"mcp/settings"},
	"editors":               {"rpc", "rpc/message"},
	"editors/editortest":    {"rpc", "rpc/message"},
	"editors/e2e":           nil, // drives the program from outside
	"editors/e2e/leg":       {},
	"docs":                  {},
	"sidecar/core":          {"mcp/host", "mcp/config", "mcp/settings", "mcp/state", "mcp/process", "mcp/place", "mcp/policy", "mcp/auth", "mcp/catalog", "sidecar/watch", "mcp/config/imports", "mcp/admission", "mcp/permission", "browser", "browser/native", "browser/node", "browser/install", "browser/policy", "mcp/audit", "mcp/activity"},
	"browser":               {},
	"browser/policy":        {},
	"browser/relay":         {"browser/policy"},
	"browser/devtools":      {},
	"browser/native":        {"browser", "browser/devtools", "browser/policy", "browser/relay"},
	"browser/install":       {"mcp/place", "mcp/process", "mcp/state"},
	"browser/node":          {"browser", "browser/native", "browser/install", "mcp/process"},
	"browser/browsertest":   {"browser/relay"},
	"browser/hint":          {},
	"sidecar/watch":         {},
	"sidecar/stream":        {"rpc/message"},
	"sidecar/doctor":        {"sidecar/core", "sidecar/attach", "mcp/host", "mcp/config", "mcp/process", "rpc/message"},
	"sidecar/attach/bridge": {},
	"sidecar/attach":        {"rpc", "rpc/message", "mcp/process", "mcp/state"},
	"sidecar/configdoc":     {"editors", "mcp/config", "mcp/host", "mcp/settings", "rpc/message"},
	"sidecar": {
		"sidecar/core", "sidecar/attach", "sidecar/attach/bridge", "sidecar/configdoc", "sidecar/stream", "sidecar/doctor", "editors", "rpc", "rpc/message",
		"mcp/host", "mcp/catalog", "mcp/config", "mcp/config/imports", "mcp/connector", "mcp/consent", "mcp/permission", "mcp/result", "mcp/process", "mcp/settings", "mcp/state", "mcp/auth", "mcp/redact", "mcp/personal", "mcp/why",
		"mcp/agenthost", "browser/hint",
		"mcp/admission", "mcp/host", "mcp/catalog", "mcp/config", "mcp/config/imports", "mcp/connector", "mcp/consent", "mcp/permission", "mcp/result", "mcp/process", "mcp/settings", "mcp/state", "mcp/auth", "mcp/redact", "mcp/personal", "mcp/why",
		"mcp/host", "mcp/catalog", "mcp/config", "mcp/config/imports", "mcp/connector", "mcp/consent", "mcp/permission", "mcp/result", "mcp/process", "mcp/settings", "mcp/state", "mcp/auth", "mcp/redact", "mcp/personal", "mcp/why", "mcp/audit", "mcp/activity",
		"mcp/agent", "browser/hint",
		"mcp/admission", "mcp/serve", "mcp/host", "mcp/catalog", "mcp/config", "mcp/config/imports", "mcp/connector", "mcp/consent", "mcp/permission", "mcp/result", "mcp/process", "mcp/settings", "mcp/state", "mcp/auth", "mcp/redact", "mcp/personal", "mcp/why",
	},
	"docs/examples/agenthost": {"rpc", "rpc/message"},
}

// everything lists who may import what it likes: the one place that sees everything, and what measures it.
var everything = []string{"cmd", "sidecar/bench"}

type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "pillion/...")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one goPackage
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		one.ImportPath = strings.TrimPrefix(one.ImportPath, "pillion/")
		all = append(all, one)
	}
	return all
}

func TestImportsGoOneWay(t *testing.T) {
	for _, one := range packages(t) {
		if within(one.ImportPath, everything) {
			continue
		}
		allowed, isPlaced := directions[one.ImportPath]
		if !isPlaced {
			t.Errorf("package %s has no place in the house: add it to directions and to docs/architecture.md", one.ImportPath)
			continue
		}
		for _, imported := range one.Imports {
			ours, isOurs := strings.CutPrefix(imported, "pillion/")
			if isOurs && !slices.Contains(allowed, ours) {
				t.Errorf("%s must not import %s", one.ImportPath, ours)
			}
		}
	}
}

// LSP and the framing of JSON-RPC stand at one edge.
func TestLibrariesStayAtTheirEdge(t *testing.T) {
	edges := map[string][]string{
		"go.lsp.dev/protocol":                        {"rpc", "rpc/message", "rpc/rpctest", "sidecar", "sidecar/configdoc", "editors/editortest"},
		"go.lsp.dev/jsonrpc2":                        {"rpc", "rpc/rpctest"},
		"github.com/modelcontextprotocol/go-sdk/mcp": {"mcp/connector", "mcp/demo", "mcp/mcptest", "browser/native", "browser/node", "browser/browsertest", "mcp/serve"},
		"github.com/chromedp/cdproto/cdp":            {"browser/devtools", "browser/native"},
		"github.com/coder/websocket":                 {"browser/devtools"},
		"github.com/zalando/go-keyring":              {"mcp/auth"},
		"github.com/fsnotify/fsnotify":               {"sidecar/watch"},
		"modernc.org/sqlite":                         {"mcp/activity"},
		// A child that is not started through the guard would be taken for a connector's orphan; see process.Subreaper.
		// A browser is started by a connector, whose process ends with everything below it, and needs two more pipes; so is what
		// drives it.
		"os/exec": {"browser/devtools", "mcp/process", "mcp/mcptest", "rpc/rpctest", "editors/editortest", "editors/e2e/leg", "docs/examples/agenthost", "browser/node"},
	}
	for _, one := range packages(t) {
		if within(one.ImportPath, everything) {
			continue
		}
		for library, users := range edges {
			if slices.Contains(one.Imports, library) && !slices.Contains(users, one.ImportPath) {
				t.Errorf("%s imports %s, which is for %v", one.ImportPath, library, users)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsForAndWhatNot(t *testing.T) {
	for _, one := range packages(t) {
		if len(one.GoFiles) == 0 {
			continue
		}
		if one.Doc == "" {
			t.Errorf("package %s has no documentation", one.ImportPath)
			continue
		}
		if strings.HasPrefix(one.ImportPath, "cmd/") {
			continue
		}
		doc := packageDoc(t, one.ImportPath)
		if !slices.ContainsFunc([]string{" not ", " no ", " nothing", " never ", " neither ", " nobody", " nor "}, func(word string) bool { return strings.Contains(doc, word) }) {
			t.Errorf("the documentation of package %s does not say what it does not do", one.ImportPath)
		}
	}
}

func packageDoc(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "doc", "-short=false", "pillion/"+path).Output()
	if err != nil {
		t.Fatalf("go doc %s: %v", path, err)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func TestArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range packages(t) {
		if len(one.GoFiles) > 0 && !bytes.Contains(text, []byte("`"+one.ImportPath+"`")) {
			t.Errorf("docs/architecture.md does not name %s", one.ImportPath)
		}
	}
}

func within(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") })
}
