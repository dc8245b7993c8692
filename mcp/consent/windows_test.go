package consent

import "testing"

// S2: "not now", said in another window to a question that was open there, takes no refusal back.
func TestS2_NotNowTakesNoRefusalBack(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{"h1", "h2"} {
		dir := t.TempDir()
		first, second := window(t, dir), window(t, dir)
		k := key("/w", "c")
		decide(t, first, k, "h1", Never)
		for range 2 * maxPerConnector {
			decide(t, second, k, hash, Later)
		}
		expect(t, first, k, "h1", Never)
		expect(t, second, k, "h2", Never)
		decide(t, second, k, "h2", Allow)
		expect(t, first, k, "h2", Allow)
	}
}
