package imports

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"pillion/mcp/config"
)

var isUpdating = flag.Bool("update", false, "write what the conversions give into testdata")

var (
	userTarget    = Target{File: config.File{Path: "/home/u/.config/pillion/mcp.json", Source: config.SourceUser}, Origin: "/from/here"}
	projectTarget = Target{File: config.File{Path: "/ws/.mcp.json", Source: config.SourceProject, Root: "/ws"}}
)

// TestA5_Conversions holds each format's examples to what they become, in the
// user's own file and in a project's.
func TestA5_Conversions(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < len(Formats()) {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) string {
				for _, f := range archive.Files {
					if f.Name == name {
						return string(f.Data)
					}
				}
				return ""
			}
			place := Place{Format: Format(strings.TrimSpace(part("format"))), Path: "/from/here", Root: strings.TrimSpace(part("root"))}
			d, err := Parse(place, strings.Fields(part("folders")), []byte(part("source")))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"user": converted(d, userTarget), "project": converted(d, projectTarget)}
			if *isUpdating {
				kept := archive.Files[:0]
				for _, f := range archive.Files {
					if want[f.Name] == "" {
						kept = append(kept, f)
					}
				}
				archive.Files = append(kept, txtar.File{Name: "user", Data: []byte(want["user"])}, txtar.File{Name: "project", Data: []byte(want["project"])})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for name, text := range want {
				if part(name) != text {
					t.Errorf("%s: got\n%swant\n%s", name, text, part(name))
				}
			}
		})
	}
}

// converted writes down what becomes of a document.
func converted(d *Document, target Target) string {
	var b bytes.Buffer
	if err := d.Allowed(target); err != nil {
		return err.Error() + "\n"
	}
	say := func(list []Remark) {
		for _, r := range list {
			fmt.Fprintf(&b, "- %s: %s\n", r.Key, r.Message)
		}
	}
	say(d.Notes)
	for _, name := range d.Names() {
		c, _ := d.Convert(name, target)
		fmt.Fprintf(&b, "%s %s\n", name, c.Definition)
		for _, input := range c.Inputs {
			fmt.Fprintf(&b, "+ %s\n", input.Definition)
		}
		say(c.Report)
	}
	return b.String()
}
