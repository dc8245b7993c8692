package process

import (
	"context"
	"errors"
	"strings"
)

// LoginPath is the PATH in env: Windows has no login shell, every program gets the user's PATH.
func (g *Guard) LoginPath(ctx context.Context, _ string, env []string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	for _, variable := range env {
		if name, value, ok := strings.Cut(variable, "="); ok && strings.EqualFold(name, "PATH") {
			return value, nil
		}
	}
	return "", errors.New("ask for PATH: the environment has none")
}
