package process

import "context"

// awaitEnd waits until the process has gone and reports whether it has; false when ctx ended first.
func awaitEnd(ctx context.Context, who identity) bool { return pollEnd(ctx, who) }
