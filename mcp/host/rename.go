package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/state"
)

// MoveDecisions lets what was decided about a connector count under the name that the user gave it: its consent, the rules about
// its calls, and what the user wants of it. hash is that of its definition before, which the one of that name must have now, and
// nothing of the old name may be in the file any more: what was allowed is what runs, and no other definition gets a yes by it
// (S2, S8). Values that were typed for its inputs are asked for again. An error that [state.IsUnsaved] knows says that what was
// decided moved for this session alone.
func (h *Host) MoveDecisions(ctx context.Context, path, from, to, hash string) error {
	rule, in, err := h.movedRule(path, from, to, hash)
	if err != nil {
		return fmt.Errorf("move what was decided about connector %q to %q: %w", from, to, err)
	}
	if rule.Root != "" {
		err = errors.Join(h.consents.Rename(ctx, rule.Root, from, to, hash), h.personal.Rename(ctx, in, rule.Source, from, to))
	} else { // its name is another in every folder
		err = h.personal.RenameEverywhere(ctx, rule.Source, from, to)
	}
	err = errors.Join(err, h.permissions.Rename(ctx, rule, to, labelOf))
	h.recordRule(to, "", "renamed", "it was "+from)
	h.restand(isNamed(to))
	if err != nil && !state.IsUnsaved(err) {
		return fmt.Errorf("move what was decided about connector %q to %q: %w", from, to, err)
	}
	return err
}

// movedRule is what the rules about the old name have in common, with the folders where wishes about it count.
func (h *Host) movedRule(path, from, to, hash string) (permission.Rule, []personal.Folder, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var moved *slot
	for _, s := range h.present() {
		switch {
		case s.entry.File.Path != path:
		case s.entry.Name == from:
			return permission.Rule{}, nil, errors.New("the connector still has its old name")
		case s.entry.Name == to:
			moved = s
		}
	}
	switch {
	case moved == nil || moved.hash != hash:
		return permission.Rule{}, nil, errors.New("no connector of the new name has the definition of the old one")
	case moved.entry.AliasOf != "":
		return permission.Rule{}, nil, errors.New("an alias is judged by the name of what it stands for")
	}
	rule := ruleFor(moved, permission.ScopeProject, "")
	rule.Connector = from
	return rule, slices.Clone(h.wishFolders(rule.Root)), nil
}
