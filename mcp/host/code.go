package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

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
	if on.root == "" || at.entry.Transport != config.TransportStdio { // a remote server runs nothing of the workspace
		return code{}, nil
	}
	return lookAt(ctx, at.entry.Name, h.definedCode(at, on))
}

func lookAt(ctx context.Context, name string, d repository.Definition) (code, error) {
	type looked struct {
		state repository.State
		err   error
	}
	found, err := patiently(ctx, func() looked {
		state, err := repository.Look(ctx, d)
		return looked{state, err}
	})
	if err == nil {
		err = found.err
	}
	if err != nil {
		return code{}, fmt.Errorf("look at the code of connector %q: %w", name, err)
	}
	c := code{Code: consent.Code{Ref: found.state.Ref, Files: map[string]string{}}, stamps: map[string]string{}, files: found.state.Files}
	for _, file := range found.state.Files {
		c.Files[file.Path], c.stamps[file.Path] = file.Sum, file.Stamp
	}
	return c, nil
}

// steering are the files that the definition does not name, and that runners read.
func (c *code) steering() map[string]bool {
	steers := map[string]bool{}
	for _, file := range c.files {
		if file.Steers {
			steers[file.Path] = true
		}
	}
	return steers
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

// isOf reports whether the slot has still the entry that was looked at: the files may have been read again meanwhile.
func (s *slot) isOf(entry *config.Entry) bool {
	return s.entry.ID == entry.ID && s.entry.Text == entry.Text
}

// settleOnCode keeps what was found of the code and judges the slot by it, unless it has another entry by now; what a start
// has come to stays known.
func (h *Host) settleOnCode(s *slot, at subject, found code) (isJudged bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !s.isOf(at.entry) {
		return false
	}
	if found.Program == "" && s.code != nil {
		found.Program, found.Values = s.code.Program, s.code.Values
	}
	s.code = &found
	h.judge(s)
	h.toolIndex = nil
	s.nudge(h.wanted(s))
	return true
}

// uncovered lists what of the slot's code no yes covers; h.mu is held.
func (h *Host) uncovered(s *slot) []consent.Difference {
	if s.code == nil {
		return nil
	}
	return append(h.decisions.Uncovered(s.consentKey(), s.hash, s.code.Code), s.swapped...)
}

// startedCode is the code as it stands right before the process is spawned, with what the definition has come to: the program,
// its arguments, and the files that they name only now. Where it cannot be judged by, or another folder stands there, nothing
// may start.
func (h *Host) startedCode(ctx context.Context, s *slot, at subject, d connector.Definition) (found code, mayStart bool, err error) {
	on, err := patiently(ctx, func() ground { return h.look(at) })
	switch {
	case err != nil:
		return code{}, false, err
	case on != h.groundNow(s):
		h.settleOn(s, at, on)
		h.notify(h.rejudge())
		return code{}, false, nil
	case on.root == "":
		return code{}, true, nil
	}
	if found, err = h.codeOf(ctx, at, on); err != nil {
		return code{}, false, err
	}
	if d.URL != "" {
		found.Program, found.Values = originOf(d.URL), map[string]string{"url": d.URL}
		return found, h.settleOnCode(s, at, found), nil
	}
	spawned, err := lookAt(ctx, at.entry.Name, spawnedCode(on, d))
	if err != nil {
		return code{}, false, err
	}
	found.Program = d.Program
	found.Values = map[string]string{"cwd": d.Dir}
	for i, argument := range d.Args {
		found.Values[fmt.Sprintf("args[%d]", i)] = argument
	}
	for path, sum := range spawned.Files {
		if _, isNamed := found.Files[path]; !isNamed {
			found.Values[consent.ValueOfFile+path] = sum
		}
	}
	return found, h.settleOnCode(s, at, found), nil
}

// originOf is the part of an address that can be shown whatever it holds: where it leads.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Scheme + "://" + u.Host
}

// spawnedCode is what of the workspace a definition runs once its variables are replaced and its program is found.
func spawnedCode(on ground, d connector.Definition) repository.Definition {
	spawned := repository.Definition{Root: on.root, Dir: d.Dir, Command: d.Program, Args: d.Args}
	for _, variable := range d.Env {
		if name, value, _ := strings.Cut(variable, "="); config.IsLoaderVariable(name) && name != "PATH" {
			spawned.Files = append(spawned.Files, value)
		}
	}
	return spawned
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
	on := h.groundNow(s)
	if on.root == "" {
		return
	}
	if again, err := patiently(ctx, func() ground { return h.look(at) }); err == nil && again != on {
		h.settleOn(s, at, again)
		h.notify(h.rejudge())
		return
	}
	now, err := h.codeOf(ctx, at, on)
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
// Sum is that of the text that the editor has: where the disk holds another, it was not the user who wrote it.
func (h *Host) Saved(ctx context.Context, path, sum string) {
	isCovered := false
	for s, at := range h.subjects(func(s *slot) bool { return s.ground.root != "" }) {
		on := h.groundNow(s)
		name, isCode := h.isCodeOf(s, on, path)
		if !isCode {
			continue
		}
		found, err := h.codeOf(ctx, at, on)
		if err != nil || found.Files[name] != sum {
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
