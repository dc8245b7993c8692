package main

import (
	"bytes"
	"strings"
	"testing"
)

// A benchmark that nobody runs every day must not fall apart with the program.
func TestEveryMeasurementRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts real programs")
	}
	t.Parallel()
	var out bytes.Buffer
	err := run(t.Context(), &report{out: &out}, plan{rounds: 1, portions: 1, starts: 1}, "", "", []string{"call", "attach", "rules", "configured", "stuck", "starting", "swap", "big", "typing", "start", "cold", "memory"})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	for _, want := range []string{
		"a call of 32 B, 1 at a time", "a call of 16 KiB, 32 at a time", "Pillion/relay", "Pillion/bare SDK",
		"serve --attach/SDK proxy", "process start to initialize answered", "Pillion/floor", "[ls]/[version]", "with/without", "among/alone", "beside/alone", "thirty/one", "swapped/decoded", "Pillion/bare SDK", "keystroke/parse", "elsewhere", "Pillion/bare jsonrpc2",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, out.Bytes())
		}
	}
}

func TestUnknownMeasurement(t *testing.T) {
	err := run(t.Context(), &report{}, plan{rounds: 1, portions: 1, starts: 1}, "", "", []string{"call", "speed"})
	if err == nil || !strings.Contains(err.Error(), `"speed"`) {
		t.Errorf("error %v does not name what is unknown", err)
	}
}

func TestInternalPackagesAreNotImported(t *testing.T) {
	for path, want := range map[string]bool{
		"go.lsp.dev/protocol": false, "example.org/internals/x": false,
		"example.org/x/internal": true, "example.org/internal/json": true, "internal/abi": true,
	} {
		if got := isInternal(path); got != want {
			t.Errorf("isInternal(%q) = %v", path, got)
		}
	}
}
