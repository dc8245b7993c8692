package host

import "pillion/mcp/redact"

// knownSecrets are the secret values of every connector; what is returned does not change.
func (h *Host) knownSecrets() *redact.Set {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.secrets
}

// redacted replaces the secrets of every connector in text that leaves the host.
func (h *Host) redacted(text string) string {
	clean, _ := h.knownSecrets().Text(text)
	return clean
}

// Redact replaces the secrets of every connector in bytes; JSON stays JSON.
func (h *Host) Redact(in []byte) []byte {
	clean, _ := h.knownSecrets().Bytes(in)
	return clean
}

func (h *Host) addSecrets(values []string) {
	if len(values) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secrets = h.secrets.With(values...)
	h.toolIndex = nil // what is listed must not show them either
}
