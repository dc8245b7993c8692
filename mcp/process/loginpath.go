package process

import "context"

// LoginPath is Guard.LoginPath without a guard.
func LoginPath(ctx context.Context, shell string, env []string) (string, error) {
	return (*Guard)(nil).LoginPath(ctx, shell, env)
}
