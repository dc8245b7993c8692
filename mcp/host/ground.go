package host

import (
	"context"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/place"
)

// subject is an entry in a workspace: what is looked at to know its ground.
type subject struct {
	entry *config.Entry
	roots []string          // the workspace folders; never changed
	env   map[string]string // references of variables that come from others, by their names; never changed
	memo  *place.Memo       // of one look at many entries; nil looks at the disk itself
}

// project is the folder that ${workspaceFolder} stands for in the entry.
func (at subject) project() string {
	if at.entry.File.Root != "" {
		return at.entry.File.Root
	}
	if len(at.roots) > 0 {
		return at.roots[0]
	}
	return ""
}

// ground is what the file system says of where a subject stands. It is looked at without holding Host.mu: a folder on a mount
// that hangs holds up what is of that folder, and nothing else.
type ground struct {
	root    string // the workspace folder that a yes is bound to; empty where none is needed
	rootID  string // which folder stands at that path
	project string // the project folder that the definition names, if it does
}

// groundOf looks; it may take as long as a hung file system likes.
func (h *Host) groundOf(at subject) ground {
	found := ground{root: h.consentRoot(at)}
	if found.root != "" {
		found.rootID = consent.RootID(found.root)
	}
	if at.entry.UsesWorkspace() {
		found.project = at.project()
	}
	return found
}

// subjectAt is called with h.mu held.
func (h *Host) subjectAt(s *slot) subject {
	return subject{entry: s.entry, roots: h.roots, env: s.mine.Env}
}

// lookAgain looks at where some connectors stand now, for the next time that they are judged.
func (h *Host) lookAgain(concerned func(*slot) bool) {
	for s, at := range h.subjects(concerned) {
		h.settleOn(s, at, h.look(at))
	}
}

func (h *Host) subjects(concerned func(*slot) bool) map[*slot]subject {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := map[*slot]subject{}
	for _, s := range h.present() {
		if concerned(s) {
			found[s] = h.subjectAt(s)
		}
	}
	return found
}

// settleOn keeps what was found, unless the files were read again meanwhile: then that has looked, too.
func (h *Host) settleOn(s *slot, at subject, found ground) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.isOf(at.entry) && slices.Equal(h.roots, at.roots) {
		s.ground = found
	}
}

// patiently runs what looks at the file system, and waits for it until ctx ends: nothing interrupts a mount that hangs.
func patiently[T any](ctx context.Context, look func() T) (T, error) {
	type outcome struct {
		found T
		fault any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.fault = recover()
			done <- o
		}()
		o.found = look()
	}()
	select {
	case o := <-done:
		if o.fault != nil {
			panic(o.fault) // where there is somebody to recover it
		}
		return o.found, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
