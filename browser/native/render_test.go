package native

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

var update = flag.Bool("update", false, "write what is rendered")

// recorded is a page as a browser told of it.
type recorded struct {
	Clickable []cdp.BackendNodeID `json:"clickable"`
	Document  recordedDocument    `json:"document"`
}

type recordedDocument struct {
	Tree  json.RawMessage             `json:"tree"`
	Inner map[string]recordedDocument `json:"inner"`
}

func (d recordedDocument) document(t *testing.T) *document {
	t.Helper()
	var tree axTree
	if err := jsonv2.Unmarshal([]byte(d.Tree), &tree); err != nil {
		t.Fatal(err)
	}
	made := &document{nodes: tree.Nodes, inner: map[cdp.BackendNodeID]*document{}}
	for id, inner := range d.Inner {
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		made.inner[cdp.BackendNodeID(number)] = inner.document(t)
	}
	return made
}

func recordings(t *testing.T) map[string]recorded {
	t.Helper()
	files, err := filepath.Glob("testdata/trees/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := map[string]recorded{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r recorded
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(file, ".json")] = r
	}
	return all
}

// What is shown of real pages stays as it is.
func TestRender_RecordedTrees(t *testing.T) {
	for name, r := range recordings(t) {
		shown := &refs{}
		shown.begin(1)
		made := renderer{refs: shown, clickable: map[place]bool{}}
		for _, id := range r.Clickable {
			made.clickable[place{node: id}] = true
		}
		made.document(r.Document.document(t), 0, 0, true)
		got := strings.Join(made.lines, "\n") + "\n"
		if *update {
			if err := os.WriteFile(name+".txt", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name + ".txt")
		if err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// What is read of a tree is the same as what the browser's own types read.
func TestAXTree_AgreesWithTheProtocol(t *testing.T) {
	for name, r := range recordings(t) {
		var slim axTree
		var full accessibility.GetFullAXTreeResult
		if err := jsonv2.Unmarshal([]byte(r.Document.Tree), &slim); err != nil {
			t.Fatal(err)
		}
		if err := jsonv2.Unmarshal([]byte(r.Document.Tree), &full); err != nil {
			t.Fatal(err)
		}
		if len(slim.Nodes) != len(full.Nodes) || len(slim.Nodes) == 0 {
			t.Fatalf("%s: %d nodes, %d", name, len(slim.Nodes), len(full.Nodes))
		}
		for i, node := range full.Nodes {
			got := slim.Nodes[i]
			if got.NodeID != string(node.NodeID) || got.Ignored != node.Ignored || got.BackendDOMNodeID != node.BackendDOMNodeID ||
				len(got.ChildIDs) != len(node.ChildIDs) || len(got.Properties) != len(node.Properties) ||
				text(got.Role) != plainText(node.Role) || text(got.Name) != plainText(node.Name) || text(got.Value) != plainText(node.Value) {
				t.Errorf("%s: %+v is not %+v", name, got, node)
			}
			for j, property := range node.Properties {
				if got.Properties[j].Name != property.Name || text(got.Properties[j].Value) != plainText(property.Value) {
					t.Errorf("%s: %+v is not %+v", name, got.Properties[j], property)
				}
			}
		}
	}
}

func plainText(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	var words string
	if json.Unmarshal(value.Value, &words) == nil {
		return words
	}
	return string(value.Value)
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		``: "", `null`: "", `"plain"`: "plain", `"a\"b"`: `a"b`, `"\u00e4"`: "ä", `""`: "", `true`: "true", `12`: "12", "\"\xff\"": "\uFFFD",
	} {
		if got := text(axValue{Value: jsonv2.Value(raw)}); got != want {
			t.Errorf("%q: %q", raw, got)
		}
	}
}
