package config

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A text that is broken everywhere must not hold an editor up: nothing takes
// longer the more there is before it.
func TestDraft_ReadsWhatIsBrokenEverywhereInOneGo(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, piece := range []string{"[", "}", `"a" `, "'", `"a":`, "a ", ",", "{]", `"\q`, "\"\n", `{"a":[1 2}`, "/*", "x\n", `{"mcpServers":{"a":{`} {
		text := []byte(strings.Repeat(piece, size/len(piece)))
		start := time.Now()
		draft := ParseDraft(project(), text)
		draft.Outline()
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q takes %s", piece, took)
		} else {
			t.Log(fmt.Sprintf("%q", piece), took)
		}
	}
}
