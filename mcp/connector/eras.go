package connector

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
)

// EraMemory remembers the handshake that worked for a definition, so that later starts begin with it.
// It must be safe for concurrent use.
type EraMemory interface {
	// Era returns EraModern, EraLegacy, or "" when nothing is known.
	Era(definition string) string
	// Remember stores it; "" forgets.
	Remember(definition, era string)
}

// ownEras is the memory of one connector.
type ownEras struct {
	mu  sync.Mutex
	era string
}

func (o *ownEras) Era(string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.era
}

func (o *ownEras) Remember(_, era string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.era = era
}

// eraKey is what the handshake is remembered under: what decides which program answers.
func (d *Definition) eraKey() string {
	h := sha256.New()
	for _, part := range append([]string{d.ID, d.Dir, d.Program, d.URL}, d.Args...) {
		_, _ = io.WriteString(h, part+"\x00")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
