package attach

import (
	"sync"

	"pillion/rpc"
	"pillion/rpc/message"
)

// Handshake is the window's side of the proof on one connection. Its methods may be called at once.
// Their errors are ready to be answered; one of the code [rpc.CodeRequestFailed] ends the connection.
type Handshake struct {
	token string

	mu          sync.Mutex
	callerNonce string
	windowNonce string
	hasFailed   bool
	hasJoined   bool
}

// Handshake begins the proof of one connection.
func (l *Listener) Handshake() *Handshake { return &Handshake{token: l.token} }

// Challenge proves to the caller that this is the window, once.
func (h *Handshake) Challenge(params message.AttachChallengeParams) (message.AttachChallengeResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.callerNonce != "" || h.hasFailed {
		return message.AttachChallengeResult{}, h.fail("this connection was challenged already")
	}
	if err := message.CheckAttachNonce(params.Nonce); err != nil {
		return message.AttachChallengeResult{}, h.fail(err.Error())
	}
	h.callerNonce, h.windowNonce = params.Nonce, message.NewAttachNonce()
	return message.AttachChallengeResult{
		Proof: message.WindowProof(h.token, h.callerNonce, h.windowNonce), Nonce: h.windowNonce,
	}, nil
}

// Join checks the caller's proof, once.
func (h *Handshake) Join(params message.AttachParams) error {
	if err := params.Check(); err != nil {
		return rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.hasJoined:
		return rpc.Errorf(rpc.CodeInvalidRequest, "this connection is attached already")
	case h.hasFailed:
		return h.fail("this connection has failed to prove itself")
	case h.callerNonce == "":
		return h.fail(message.AttachChallenge.Method + " comes first")
	}
	want := message.CallerProof(h.token, h.callerNonce, h.windowNonce, params.Role, params.Name)
	if !message.ProofMatches(params.Proof, want) {
		return h.fail("the proof is wrong")
	}
	h.hasJoined = true
	return nil
}

// fail is called with h.mu held: a connection that failed once never joins.
func (h *Handshake) fail(reason string) *rpc.Error {
	h.hasFailed = true
	return rpc.Errorf(rpc.CodeRequestFailed, "%s", reason)
}
