package parts

import (
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachIsDoneOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 8*least).Draw(t, "count")
		done := make([]atomic.Int32, count)
		Each(count, func(i int) { done[i].Add(1) })
		for i := range done {
			if times := done[i].Load(); times != 1 {
				t.Fatalf("%d is done %d times", i, times)
			}
		}
	})
}
