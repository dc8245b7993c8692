package rpc

import "context"

// Router maps methods to handlers. It is filled before a connection is served and
// only read from then on; it may be shared by connections.
type Router struct{}

// NewRouter returns an empty router.
func NewRouter() *Router { return &Router{} }

// Methods lists the registered methods, sorted.
func (r *Router) Methods() []string { panic("rpc: not written yet") }

// Handle registers h for the requests m. Registering a method twice panics.
//
// The parameters are decoded in wire order on the reader; missing, null and empty
// positional parameters decode as an empty object, and what cannot be decoded is
// answered -32602 without h being called. h then runs on a goroutine of its own
// with a context that ends when the request is cancelled or the connection ends.
// An error that is no [*Error] is logged and answered -32603.
func Handle[P, R any](r *Router, m Request[P, R], h func(ctx context.Context, params P) (R, error)) {
	panic("rpc: not written yet")
}

// HandleNotification registers h for the notifications m. Registering a method
// twice panics. h runs on the reader, in wire order, so it must not block and must
// not wait for an answer of the peer. Parameters that cannot be decoded are logged
// and the notification is dropped.
func HandleNotification[P any](r *Router, m Notification[P], h func(ctx context.Context, params P)) {
	panic("rpc: not written yet")
}
