package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Key says which value is meant, and where it may go (S11, S12). Two keys are the same only if every member is.
type Key struct {
	ID          string `json:"id"`                  // as the file calls it
	Source      string `json:"source"`              // whose file that is
	Root        string `json:"root,omitzero"`       // workspace folder that it is for; empty where none matters
	Destination string `json:"destination"`         // program or host that is given it
	Issuer      string `json:"issuer,omitzero"`     // who issued it
	Resource    string `json:"resource,omitzero"`   // what it opens
	Definition  string `json:"definition,omitzero"` // hash of the only definition that is given it
}

// Place is where a value lies.
type Place string

// The places. The zero value says that none was chosen yet.
const (
	PlaceKeyring Place = "keyring" // of the operating system
	PlaceFile    Place = "file"    // sealed, beside Pillion's other state
)

// Secret is what may be said of a value.
type Secret struct {
	Key
	At    time.Time // when it was stored
	Place Place
}

// maxKeyBytes bounds one member of a key, MaxValueBytes a value.
const (
	maxKeyBytes   = 16 << 10
	MaxValueBytes = 64 << 10
)

func (k Key) members() []string {
	return []string{k.ID, k.Source, k.Root, k.Destination, k.Issuer, k.Resource, k.Definition}
}

func (k Key) check() error {
	if k.ID == "" || k.Source == "" || k.Destination == "" {
		return errors.New("its id, source or destination is empty")
	}
	for _, member := range k.members() {
		if len(member) > maxKeyBytes {
			return fmt.Errorf("a member of its key has more than %d bytes", maxKeyBytes)
		}
		if !utf8.ValidString(member) {
			return errors.New("a member of its key is not UTF-8")
		}
	}
	return nil
}

// identity is the key in a form that no other key has.
func (k Key) identity() []byte {
	var b strings.Builder
	b.WriteString("pillion secret 1")
	for _, member := range k.members() {
		fmt.Fprintf(&b, "\x00%d:%s", len(member), member)
	}
	return []byte(b.String())
}

// account names the key in a keyring, which shows and limits what it is given.
func (k Key) account() string {
	sum := sha256.Sum256(k.identity())
	return hex.EncodeToString(sum[:])
}
