// Package parts does something for each of many things on all processors at once.
// It is for work that waits for nothing but the disk, such as reading thousands of entries of a list; what waits for others has
// goroutines of its own.
package parts

import (
	"runtime"
	"sync"
)

// least is how many things are worth a goroutine.
const least = 500

// Each calls do with each index below count, and returns when all calls have: several at the same time where there are many, and
// otherwise one after the other on the caller's goroutine.
func Each(count int, do func(i int)) { EachOf(count, least, do) }

// EachOf is [Each] for things of which so many are worth a goroutine.
func EachOf(count, worth int, do func(i int)) {
	parts := max(1, min(runtime.GOMAXPROCS(0), count/worth))
	run := func(part int) {
		for i := part * count / parts; i < (part+1)*count/parts; i++ {
			do(i)
		}
	}
	var others sync.WaitGroup
	for part := 1; part < parts; part++ {
		others.Go(func() { run(part) })
	}
	run(0)
	others.Wait()
}
