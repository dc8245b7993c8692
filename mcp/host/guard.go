package host

import (
	"context"
	"fmt"

	"pillion/mcp/process"
)

// startGuard starts the guard with the first process and returns it from then on.
func (h *Host) startGuard() (*process.Guard, error) {
	h.guardMu.Lock()
	defer h.guardMu.Unlock()
	switch {
	case h.isGuardClosed:
		return nil, ErrClosed
	case h.guard != nil:
		return h.guard, nil
	}
	guard, err := process.StartGuard(h.options.Executable, h.options.GuardArgs, h.options.Subreaper, h.log)
	if err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	h.guard = guard
	return guard, nil
}

func (h *Host) closeGuard() {
	h.guardMu.Lock()
	defer h.guardMu.Unlock()
	h.isGuardClosed = true
	if h.guard != nil {
		_ = h.guard.Close()
		h.guard = nil
	}
}

// resolveLoginPath asks the user's login shell once for its PATH, within a bound (C12).
func (h *Host) resolveLoginPath() string {
	shell, _ := lookupIn(h.options.Environ, "SHELL")
	if shell == "" {
		return ""
	}
	guard, err := h.startGuard()
	if err != nil {
		h.log.Warn("the login shell is not guarded", "error", err) // a nil guard asks it all the same
	}
	ctx, cancel := context.WithTimeout(h.lifetime, loginPathTimeout)
	defer cancel()
	path, err := guard.LoginPath(ctx, shell, h.options.Environ)
	if err != nil {
		h.log.Info("login shell gave no path", "shell", shell, "error", err)
		return ""
	}
	return path
}
