package message

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// attachSecretBytes is the size of tokens and nonces.
const attachSecretBytes = 32

// The sides that prove: their names are part of the proof, so that one side's
// is never accepted as the other's.
const (
	attachWindow = "window"
	attachCaller = "caller"
)

// NewAttachToken returns a window's token, in hexadecimal.
func NewAttachToken() string { return randomHex() }

// NewAttachNonce returns a nonce for one connection, in hexadecimal.
func NewAttachNonce() string { return randomHex() }

func randomHex() string {
	b := make([]byte, attachSecretBytes)
	rand.Read(b) // never returns an error: crypto/rand, since Go 1.24
	return hex.EncodeToString(b)
}

// CheckAttachNonce returns why a nonce of the other side is refused: a short
// one may have been used before.
func CheckAttachNonce(nonce string) error {
	b, err := hex.DecodeString(nonce)
	if err != nil || len(b) != attachSecretBytes {
		return fmt.Errorf("nonce is not %d bytes in hexadecimal", attachSecretBytes)
	}
	return nil
}

// WindowProof returns the proof that the window sends.
func WindowProof(token, callerNonce, windowNonce string) string {
	return attachProof(token, attachWindow, callerNonce, windowNonce)
}

// CallerProof returns the proof that the caller sends.
func CallerProof(token, callerNonce, windowNonce string, role AttachRole, name string) string {
	return attachProof(token, attachCaller, callerNonce, windowNonce, string(role), name)
}

// ProofMatches reports whether a proof that came from the other side is the
// expected one, in constant time.
func ProofMatches(got, want string) bool { return hmac.Equal([]byte(got), []byte(want)) }

// attachProof needs no lengths in what it signs: nonces are hexadecimal and the
// role is one of two words, so only the last part, the name, may hold a zero
// byte.
func attachProof(token string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(token))
	io.WriteString(mac, "pillion/attach/1")
	for _, part := range parts {
		io.WriteString(mac, "\x00"+part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}
