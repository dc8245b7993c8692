package host

import (
	"context"
	"log/slog"
	"time"

	"pillion/mcp/state"
)

// eraMemory keeps which handshake a definition answered to, for later starts (C12).
type eraMemory struct {
	store *state.Store[map[string]string]
	log   *slog.Logger
}

// maxEras bounds the file; when it is full it starts anew, at the price of a probe each.
const maxEras = 2000

func newEraMemory(folder *state.Folder, log *slog.Logger) *eraMemory {
	return &eraMemory{
		store: state.NewStore(folder, "eras.json", 1, func() map[string]string { return map[string]string{} }),
		log:   log,
	}
}

// Era implements connector.EraMemory.
func (m *eraMemory) Era(definition string) string {
	eras, err := m.store.Read()
	if err != nil {
		return ""
	}
	return eras[definition]
}

// Remember implements connector.EraMemory.
// What cannot be stored is probed for again; nothing else is lost.
func (m *eraMemory) Remember(definition, era string) {
	if m.Era(definition) == era {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := m.store.Update(ctx, func(eras *map[string]string) error {
		if len(*eras) >= maxEras {
			*eras = map[string]string{}
		}
		if era == "" {
			delete(*eras, definition)
		} else {
			(*eras)[definition] = era
		}
		return nil
	})
	if err != nil {
		m.log.Debug("handshake not remembered", "error", err)
	}
}
