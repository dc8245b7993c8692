package connector

import (
	"strings"
	"testing"
)

// Why a program ended is rarely in its last line (D1).
func TestD1_TheLineThatTells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ printed, want string }{
		"one line":   {"missing libfoo\n", "missing libfoo"},
		"unfinished": {"starting\nmissing libfoo", "missing libfoo"},
		"Node": {
			"node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module './x'\nRequire stack:\n- /srv/index.js\n" +
				"    at Module._load (node:internal/modules/cjs/loader:1091:12) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
			"Error: Cannot find module './x'",
		},
		"Node, long": {
			"Error: Could not locate the bindings file. Tried:\n" + strings.Repeat(" → /srv/build/node_sqlite3.node\n", 40) + "}\n\nNode.js v20.20.2\n",
			"Error: Could not locate the bindings file. Tried:",
		},
		"Python":            {"Traceback (most recent call last):\n  File \"x.py\", line 1\nModuleNotFoundError: No module named 'mcp'\n", "ModuleNotFoundError: No module named 'mcp'"},
		"Go":                {"panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:9 +0x1\nexit status 2\n", "panic: no key"},
		"two errors":        {"Error: first\nError: second\nbye\n", "Error: second"},
		"an error long ago": {"Error: first\n" + strings.Repeat("working\n", 2*maxAlarmAge) + "bye\n", "bye"},
		"no error":          {"waiting for a license\n}\n    at main\n", "waiting for a license"},
		"no words":          {"{\n}\n", "}"},
		"a code in it":      {"TypeError [ERR_INVALID_URL]: Invalid URL\n}\n", "TypeError [ERR_INVALID_URL]: Invalid URL"},
		"nothing":           {"", ""},
	} {
		var kept tail
		kept.add([]byte(c.printed))
		if got := kept.telling(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
