package rpc

import (
	"context"
	"maps"
	"slices"
)

// Router maps methods to handlers. It is filled before a connection is served and
// only read from then on; it may be shared by connections.
type Router struct {
	routes map[string]route
}

// route is how one method is served; one of its fields is set.
type route struct {
	// request decodes the parameters and returns what is left to do.
	request func(params) (work, error)
	// notify decodes the parameters and runs the handler. The error is the
	// decoding's.
	notify func(context.Context, params) error
}

// work runs a handler and returns a pointer to its result, and what is to be done after the answer or nil.
type work func(context.Context) (result any, then func(), err error)

// NewRouter returns an empty router.
func NewRouter() *Router {
	return &Router{routes: make(map[string]route)}
}

// Methods lists the registered methods, sorted.
func (r *Router) Methods() []string {
	return slices.Sorted(maps.Keys(r.routes))
}

// Handle registers h for the requests m. Registering a method twice panics.
//
// The parameters are decoded in wire order on the reader; missing, null and empty
// positional parameters decode as an empty object, and what cannot be decoded is
// answered -32602 without h being called. h then runs on a goroutine of its own
// with a context that ends when the request is cancelled or the connection ends.
// An error that is no [*Error] is logged and answered -32603. A raw result is sent
// byte by byte, unchecked, and may not be changed after h has returned it.
func Handle[P, R any](r *Router, m Request[P, R], h func(ctx context.Context, params P) (R, error)) {
	HandleThen(r, m, func(ctx context.Context, params P) (R, func(), error) {
		result, err := h(ctx, params)
		return result, nil, err
	})
}

// HandleThen is [Handle] for a handler that also returns what is to be done after its answer, which may be an error, or nil.
// That is called once, on the same goroutine, when the answer has been written, or cannot be any more; until it returns, the
// request runs. It must not panic.
func HandleThen[P, R any](r *Router, m Request[P, R], h func(ctx context.Context, params P) (R, func(), error)) {
	r.add(m.Method, route{request: func(p params) (work, error) {
		decoded, err := decodeParams[P](p)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, func(), error) {
			result, then, err := h(ctx, decoded)
			return &result, then, err
		}, nil
	}})
}

// HandleNotification registers h for the notifications m. Registering a method
// twice panics. h runs on the reader, in wire order, so it must not block and must
// not wait for an answer of the peer. Parameters that cannot be decoded are logged
// and the notification is dropped.
func HandleNotification[P any](r *Router, m Notification[P], h func(ctx context.Context, params P)) {
	r.add(m.Method, route{notify: func(ctx context.Context, p params) error {
		decoded, err := decodeParams[P](p)
		if err == nil {
			h(ctx, decoded)
		}
		return err
	}})
}

func (r *Router) add(method string, served route) {
	if _, known := r.routes[method]; known {
		panic("rpc: method registered twice: " + method)
	}
	r.routes[method] = served
}
