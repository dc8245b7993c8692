package host

import (
	"context"
	"slices"

	"pillion/mcp/audit"
	"pillion/mcp/auth"
	"pillion/mcp/redact"
)

// Secret says of one value whether it is stored, never what it is.
type Secret struct {
	auth.Key
	IsSet bool
	// IsPassword is set where one of those here says that it is a secret.
	IsPassword bool
	// Place is where it lies, if it is set.
	Place auth.Place
	// Connectors are the names of those here that refer to it.
	Connectors []string
}

// Secrets lists what is stored, and what the connectors of this session refer to.
func (h *Host) Secrets() ([]Secret, error) {
	var secrets []Secret
	if h.inputs.store != nil {
		stored, err := h.inputs.store.List()
		if err != nil {
			return nil, err
		}
		for _, s := range stored {
			secrets = append(secrets, Secret{Key: s.Key, IsSet: true, Place: s.Place})
		}
	}
	return h.withReferences(secrets), nil
}

// SecretsHere lists what the connectors of this session refer to, without a look at what is stored.
func (h *Host) SecretsHere() []Secret { return h.withReferences(nil) }

func (h *Host) withReferences(secrets []Secret) []Secret {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.present() {
		for _, input := range s.entry.Inputs {
			k := inputKey(s.entry, s.ground.root, input.ID)
			at := slices.IndexFunc(secrets, func(known Secret) bool { return known.Key == k })
			if at < 0 {
				at = len(secrets)
				secrets = append(secrets, Secret{Key: k})
			}
			secrets[at].IsPassword = secrets[at].IsPassword || input.IsSecret
			if !slices.Contains(secrets[at].Connectors, s.entry.Name) {
				secrets[at].Connectors = append(secrets[at].Connectors, s.entry.Name)
			}
		}
	}
	return secrets
}

// SecretPlace is where new values go; empty as long as there was none.
func (h *Host) SecretPlace() auth.Place {
	if h.inputs.store == nil {
		return ""
	}
	return h.inputs.store.Place()
}

// SecretHealth is nil, or why what is stored is not what was.
func (h *Host) SecretHealth() error {
	if h.inputs.store == nil {
		return nil
	}
	return h.inputs.store.Health()
}

// SetSecret stores a value. A connector that waits for it goes on; one that runs has the old one until it is restarted.
func (h *Host) SetSecret(ctx context.Context, k auth.Key, value string) error {
	if h.isSecretValue(k, value) {
		h.addSecrets([]string{value})
	}
	if err := h.inputs.keep(ctx, k, value); err != nil {
		h.inputs.forget(k)
		return err
	}
	h.record(audit.Record{Kind: audit.KindRule, Status: "secret set", Message: k.ID + " for " + k.Destination})
	return nil
}

// RemoveSecret forgets a value; one that is not there is as good as removed. A connector that runs keeps it until it ends.
func (h *Host) RemoveSecret(ctx context.Context, k auth.Key) error {
	h.inputs.forget(k)
	if h.inputs.store != nil {
		if err := h.inputs.store.Remove(ctx, k); err != nil {
			return err
		}
	}
	h.record(audit.Record{Kind: audit.KindRule, Status: "secret removed", Message: k.ID + " for " + k.Destination})
	return nil
}

// ConfirmSecrets records that the user knows what SecretHealth says.
func (h *Host) ConfirmSecrets(ctx context.Context) error {
	if h.inputs.store == nil {
		return nil
	}
	return h.inputs.store.Confirm(ctx)
}

// isSecretValue reports whether a value is to be kept out of everything: unless the input that it is for is an open one.
func (h *Host) isSecretValue(k auth.Key, value string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.slots {
		for _, input := range s.entry.Inputs {
			if input.ID == k.ID && !input.IsSecret && destinationOf(s.entry) == k.Destination {
				return redact.LooksSecret(k.ID, value)
			}
		}
	}
	return true
}
