package host

import "testing"

func TestS17_ALineToPasteHoldsNoForeignCommand(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"demo": "pillion mcp approve demo", "@scope/x-1.2_y": "pillion mcp approve @scope/x-1.2_y",
		"": "pillion mcp approve", "my server": `pillion mcp approve "my server"`, " x": `pillion mcp approve " x"`, "a/b c": `pillion mcp approve "a/b c"`,
		"my $x": "pillion mcp approve", "-x y": "pillion mcp approve", "$(rm -rf ~)": "pillion mcp approve", "`id`": "pillion mcp approve",
		"x;id": "pillion mcp approve", "x'y": "pillion mcp approve", `x"y`: "pillion mcp approve", "-help": "pillion mcp approve", "é": "pillion mcp approve",
	} {
		if got := ApproveCommand(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
