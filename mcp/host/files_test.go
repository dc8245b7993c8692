package host

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pillion/mcp/config"
)

func TestA8_LastGood(t *testing.T) {
	t.Parallel()
	good, better := &config.Document{Parsed: true}, &config.Document{Parsed: true}
	broken, refused := &config.Document{}, &config.Document{Refused: true}
	for name, test := range map[string]struct{ before, read, want *config.Document }{
		"first":                      {read: good, want: good},
		"changed":                    {before: good, read: better, want: better},
		"broken from the beginning":  {read: broken},
		"stops parsing (C03)":        {before: good, read: broken, want: good},
		"removed":                    {before: good},
		"refused (S3, S24)":          {before: good, read: refused},
		"refused from the beginning": {read: refused},
		"none":                       {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := func(d *config.Document) map[string]*config.Document {
				if d == nil {
					return nil
				}
				return map[string]*config.Document{"p": d}
			}
			if got := lastGood(documents(test.before), documents(test.read)); !maps.Equal(got, documents(test.want)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestU33_CleanRoots(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"home", "a", "b"} {
		if err := os.Mkdir(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(in("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", in("link")); err != nil {
		t.Skip(err)
	}
	roots := []string{"relative", "/", in("home"), in("a"), in("link"), in("b/../b"), in("file"), in("gone"), in("b"), in("gone")}
	if got, want := cleanRoots(roots, in("home")), []string{in("a"), in("b"), in("gone")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := cleanRoots([]string{in("no home")}, in("no home")); len(got) != 0 {
		t.Errorf("a home that is not there is served: %q", got)
	}
}
