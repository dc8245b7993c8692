package rpc

// Tracer is told of every frame. Frame is called from several goroutines; '>'
// marks what the editor sent and '<' what Pillion sent. The body may not be kept
// or changed.
type Tracer interface {
	Frame(direction byte, body []byte)
}
