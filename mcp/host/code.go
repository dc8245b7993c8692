package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/consent"
	"pillion/mcp/repository"
)

// swappedSum stands for a file that was written or replaced while its connector started, whatever it is now.
const swappedSum = "changed while the connector started"

// code is what of the workspace a definition runs, as it was looked at last (S2).
type code struct {
	consent.Code
	stamps map[string]string // of the files, by path
	files  []repository.File
}

// codeOf looks at the code of a subject on its ground. Where no yes is needed there is none.
func (h *Host) codeOf(ctx context.Context, at subject, on ground) (code, error) {
	if on.root == "" {
		return code{}, nil
	}
	type looked struct {
		state repository.State
		err   error
	}
	found, err := patiently(ctx, func() looked {
		state, err := repository.Look(ctx, h.definedCode(at, on))
		return looked{state, err}
	})
	if err == nil {
		err = found.err
	}
	if err != nil {
		return code{}, fmt.Errorf("look at the code of connector %q: %w", at.entry.Name, err)
	}
	c := code{Code: consent.Code{Ref: found.state.Ref, Files: map[string]string{}}, stamps: map[string]string{}, files: found.state.Files}
	for _, file := range found.state.Files {
		c.Files[file.Path], c.stamps[file.Path] = file.Sum, file.Stamp
	}
	return c, nil
}

// definedCode is what of the entry says which code it runs.
func (h *Host) definedCode(at subject, on ground) repository.Definition {
	d := repository.Definition{Root: on.root, Dir: at.entry.Cwd, Command: at.entry.Command, Args: at.entry.Args, Files: []string{at.entry.EnvFile}}
	for _, variable := range at.entry.Env {
		if config.IsLoaderVariable(variable.Name) { // what NODE_OPTIONS requires is run as well
			d.Files = append(d.Files, variable.Value)
		}
	}
	if d.Dir == "" && at.entry.File.Source != config.SourceProject {
		d.Dir = h.ownFolder(at.entry) // which is where it starts
	}
	return d
}

// settleOnCode keeps what was found of the code and judges the slot by it; what a start has come to stays known.
func (h *Host) settleOnCode(s *slot, at subject, found code) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.entry != at.entry {
		return
	}
	if found.Program == "" && s.code != nil {
		found.Program, found.Values = s.code.Program, s.code.Values
	}
	s.code = &found
	h.judge(s)
	h.toolIndex = nil
	s.nudge(h.wanted(s))
}

// uncovered lists what of the slot's code no yes covers; h.mu is held.
func (h *Host) uncovered(s *slot) []consent.Difference {
	if s.code == nil {
		return nil
	}
	return append(h.decisions.Uncovered(s.consentKey(), s.hash, s.code.Code), s.swapped...)
}

// startedCode is the code as it stands right before the process is spawned, with what the definition has come to.
func (h *Host) startedCode(ctx context.Context, s *slot, at subject, d connector.Definition) (code, error) {
	on := h.groundNow(s)
	found, err := h.codeOf(ctx, at, on)
	if err != nil || on.root == "" {
		return found, err
	}
	found.Program = d.Program
	found.Values = map[string]string{"cwd": d.Dir}
	for i, argument := range d.Args {
		found.Values[fmt.Sprintf("args[%d]", i)] = argument
	}
	h.settleOnCode(s, at, found)
	return found, nil
}

func (h *Host) groundNow(s *slot) ground {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.ground
}

// coverStart remembers what the definition came to when it starts for the first time after a yes.
func (h *Host) coverStart(ctx context.Context, s *slot, started code) {
	var key consent.Key
	var hash string
	isFirst := false
	h.locked(func() {
		key, hash = s.consentKey(), s.hash
		isFirst = h.decisions.AwaitsStart(key, hash)
	})
	if !isFirst {
		return
	}
	if err := h.consents.CoverStart(ctx, key, hash, started.Code); err != nil {
		h.log.Warn("what a connector was started as is remembered for this session alone", "connector", s.id, "error", err)
	}
	h.updateDecisions()
}

// checkSwap looks again once the process runs: a file that was written meanwhile may be what it has read, even where it is
// now what it was before. Only a person says that such a connector may run.
func (h *Host) checkSwap(ctx context.Context, s *slot, at subject, started code) {
	if len(started.stamps) == 0 {
		return
	}
	now, err := h.codeOf(ctx, at, h.groundNow(s))
	if err != nil || maps.Equal(now.stamps, started.stamps) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.decisions.Follows(s.consentKey(), s.hash) {
		return
	}
	s.swapped = nil
	for path, stamp := range started.stamps {
		if now.stamps[path] != stamp {
			s.swapped = append(s.swapped, consent.Difference{Path: path, Before: started.Files[path], After: swappedSum})
		}
	}
	for path := range now.stamps {
		if _, was := started.stamps[path]; !was {
			s.swapped = append(s.swapped, consent.Difference{Path: path, After: swappedSum})
		}
	}
	h.judge(s)
	h.toolIndex = nil
	s.nudge(h.wanted(s))
}

// isCodeOf reports whether a file was among the code of the slot when that was looked at last, and its name there.
func (h *Host) isCodeOf(s *slot, on ground, path string) (name string, isCode bool) {
	relative, err := filepath.Rel(on.root, path)
	if err != nil || !filepath.IsLocal(relative) {
		return "", false
	}
	name = filepath.ToSlash(relative)
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.code == nil {
		return name, true
	}
	_, isCode = s.code.Files[name]
	return name, isCode
}

// Saved tells that the user saved a file in this editor: what a yes covers follows it (U11). What runs goes on.
func (h *Host) Saved(ctx context.Context, path string) {
	isCovered := false
	for s, at := range h.subjects(func(s *slot) bool { return s.ground.root != "" }) {
		on := h.groundNow(s)
		name, isCode := h.isCodeOf(s, on, path)
		if !isCode {
			continue
		}
		found, err := h.codeOf(ctx, at, on)
		if err != nil || found.Files[name] == "" {
			continue
		}
		key := consent.Key{Root: on.root, RootID: on.rootID, Connector: at.entry.Name}
		var hash string
		h.locked(func() { hash = s.hash })
		if err := h.consents.CoverFile(ctx, key, hash, name, found.Files[name]); err != nil {
			h.log.Warn("a saved file is followed in this session alone", "connector", s.id, "error", err)
		}
		isCovered = true
	}
	if !isCovered {
		return
	}
	h.updateDecisions()
	h.lookAtCode(func(s *slot) bool { return s.standing.isWaiting() })
	h.notify(h.rejudge())
}

// OnceHash names a connector's definition and the code that it runs, for [Options.AllowedOnce]; empty for one that is not there.
func (h *Host) OnceHash(id string) string {
	h.lookAtCode(func(s *slot) bool { return s.id == id && s.process == nil })
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slotOf(id)
	switch {
	case s == nil:
		return ""
	case s.code == nil:
		return s.hash
	}
	return onceHash(s.hash, s.code.Files)
}

// onceHash is the definition's own hash where it runs no code of the workspace.
func onceHash(hash string, files map[string]string) string {
	if len(files) == 0 {
		return hash
	}
	digest := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(digest, "%q %q\n", path, files[path])
	}
	return hash + "." + hex.EncodeToString(digest.Sum(nil))[:32]
}
