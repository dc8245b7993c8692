package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"pillion/mcp/state"
)

// keyBytes are those of AES-256.
const keyBytes = 32

// sealKey is the key of the sealed file. It is a file of its own, so that a copy of the one is worth nothing without the other.
type sealKey struct{ path string }

// errUnsealed says that a value cannot be read with the key that is there.
var errUnsealed = errors.New("the sealed value does not open with the key that is there")

// seal returns nonce and sealed text of a value that opens for this key alone.
func (s sealKey) seal(k Key, value string) ([]byte, error) {
	aead, err := s.aead(true)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, []byte(value), k.identity()), nil
}

func (s sealKey) open(k Key, sealed []byte) (string, error) {
	aead, err := s.aead(false)
	if err != nil {
		return "", err
	}
	if len(sealed) < aead.NonceSize() {
		return "", errUnsealed
	}
	value, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], k.identity())
	if err != nil {
		return "", errUnsealed
	}
	return string(value), nil
}

// aead reads the key; the caller holds the lock of the store where it may be made.
func (s sealKey) aead(mayMake bool) (cipher.AEAD, error) {
	key, err := s.read()
	if errors.Is(err, fs.ErrNotExist) && mayMake {
		key, err = s.make()
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the sealed secrets: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// maxKeyFileBytes bounds what is read of the key's file.
const maxKeyFileBytes = 256

func (s sealKey) read() ([]byte, error) {
	info, err := os.Lstat(s.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKeyFileBytes {
		return nil, fmt.Errorf("%s is no file with a key", s.path)
	}
	if err := checkPrivate(s.path, info); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	return parseKey(s.path, text)
}

func parseKey(path string, text []byte) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("%s is no file with a key", path) // its text is never said
	}
	return key, nil
}

func (s sealKey) make() ([]byte, error) {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, state.WriteFile(s.path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
}
