package serve

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// errState is the answer to a request state that is not one of ours, was changed, belongs to another request or is over.
var errState = errors.New("this requestState is not one that was given for this request, or its time is over")

// seal closes what a client carries for the server between two rounds of a request, so that nobody can read, make or change it (MCP
// 2026-07-28 patterns/mrtr). Its key lives and ends with the server.
type seal struct{ aead cipher.AEAD }

// ticket is what is carried.
type ticket struct {
	Flight string    `json:"f"`
	Round  int       `json:"r"`
	Until  time.Time `json:"u"`
}

func newSeal() seal {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has a length that AES has
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return seal{aead}
}

// close is a ticket as it is carried; it opens for the same request alone.
func (s seal) close(t ticket, request []byte) (string, error) {
	plain, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, request)), nil
}

// open is the ticket that was closed for a request; the error is errState.
func (s seal) open(state string, request []byte, now time.Time) (t ticket, err error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil {
		return t, errState
	}
	plain, err := s.aead.Open(nil, nil, sealed, request)
	if err != nil || json.Unmarshal(plain, &t) != nil || now.After(t.Until) {
		return ticket{}, errState
	}
	return t, nil
}
