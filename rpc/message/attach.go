package message

import (
	"errors"
	"fmt"
	"time"

	"pillion/rpc"
)

//pillion:section 70 Attach
//
// Agents and terminals join a window through its socket (on Windows, its named
// pipe), in the folder pillion of the runtime folder, 0700. Beside the socket
// lies a descriptor of the window and, in a file of its own with mode 0600, the
// window's token: 32 random bytes in hexadecimal, new for each window. The
// token never crosses the socket.
//
// The frames are those of LSP. Before anything else both sides prove that they
// know the token:
//
//  1. The caller sends pillion/attach/challenge with a nonce of its own.
//  2. The window answers with a nonce of its own and its proof. The caller checks the proof and hangs up where it is wrong.
//  3. The caller sends pillion/attach with its role, its name and its proof. The window checks the proof.
//
// A nonce is 32 random bytes in hexadecimal, new for each connection. A proof
// is the HMAC-SHA-256 under the token, in hexadecimal, over these, a zero byte
// between each two: the text pillion/attach/1, the side that proves (window or
// caller), the caller's nonce, the window's nonce, and for the caller its role
// and its name. A proof is good for one connection.
//
// Until then every other method is answered -32002; a wrong proof, a second
// challenge and a nonce that is too short are answered -32803 and end the
// connection. After it a terminal (cli) speaks the pillion/… methods.
//
// An agent is asked about in the editor before pillion/attach is answered, by a
// question of the kind join, unless that was decided before; that may take as
// long as a person takes. A refusal is answered -32803 and ends the connection.
// After the answer the connection carries no frames any more but MCP, a message
// a line, as on standard input and output. Of the pillion/… methods agents reach
// none.

// AttachRole is what a caller joins as. One that is not known is refused.
type AttachRole string

const (
	AttachAgent AttachRole = "agent" // speaks MCP from then on
	AttachCLI   AttachRole = "cli"   // speaks these methods from then on
)

// WindowDescriptor is what the descriptor file of a window holds.
type WindowDescriptor struct {
	Window    string    `json:"window"`             // names the window; also the file's name
	Roots     []URI     `json:"roots"`              // its workspace folders
	PID       int       `json:"pid"`                // process id of its Pillion
	Editor    string    `json:"editor"`             // what the editor calls itself
	FocusedAt time.Time `json:"focusedAt,omitzero"` // when it last had the focus, as far as is known
	Socket    string    `json:"socket"`             // path of its socket, or name of its pipe
}

// AttachChallengeParams begins the proof.
type AttachChallengeParams struct {
	Nonce string `json:"nonce"` // the caller's nonce
}

// AttachChallengeResult is the window's proof, and its challenge.
type AttachChallengeResult struct {
	Proof string `json:"proof"` // the window's proof over both nonces
	Nonce string `json:"nonce"` // the window's nonce
}

// AttachParams ends the proof and says who joins.
type AttachParams struct {
	Role  AttachRole `json:"role"`
	Name  string     `json:"name"`  // what the caller calls itself: a claim, shown in quotes
	Proof string     `json:"proof"` // the caller's proof over both nonces, role and name
	// How an agent is served tools: by three that find, describe and call all
	// others, or each by its own name.
	Expose     AttachExpose `json:"expose,omitzero"`
	Unprefixed bool         `json:"unprefixed,omitzero"` // whether names that only one connector has stand as they are
}

// AttachExpose is how an agent is served tools. One that is not known is meta.
type AttachExpose string

const (
	AttachMeta AttachExpose = "meta" // three tools by which all others are found, described and called
	AttachAll  AttachExpose = "all"  // every tool by its served name
)

// maxAttachNameBytes bounds a claimed name, which is shown.
const maxAttachNameBytes = 128

// Check returns what is wrong with the params, as a sentence for -32602.
func (p AttachParams) Check() error {
	switch {
	case p.Role != AttachAgent && p.Role != AttachCLI:
		return fmt.Errorf("role %q is unknown: use agent or cli", p.Role)
	case p.Name == "":
		return errors.New("name is missing")
	case len(p.Name) > maxAttachNameBytes:
		return fmt.Errorf("name has %d bytes, more than %d", len(p.Name), maxAttachNameBytes)
	}
	return nil
}

// AttachResult says which window was joined.
type AttachResult struct {
	Protocol int    `json:"protocol"` // version of this protocol that is spoken
	Version  string `json:"version"`  // version of the window's Pillion
	Window   string `json:"window"`   // names the window
	Roots    []URI  `json:"roots"`    // its workspace folders
}

// AttachChallenge is the first message on the socket: it asks the window to
// prove that it knows the token.
var AttachChallenge = rpc.Request[AttachChallengeParams, AttachChallengeResult]{Method: "pillion/attach/challenge"}

// Attach proves that the caller knows the token, and joins.
var Attach = rpc.Request[AttachParams, AttachResult]{Method: "pillion/attach"}
