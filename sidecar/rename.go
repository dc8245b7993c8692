package sidecar

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"pillion/rpc"
	"pillion/sidecar/configdoc"
)

// renameTime is how long after a rename its file may be saved for what stands about the connector to move along.
const renameTime = 10 * time.Minute

// renames are the connectors that the user renamed in the editor and whose files are not saved yet.
type renames struct {
	mu   sync.Mutex
	list []renamed
}

// renamed is one rename: the definition that had one name has another.
type renamed struct {
	path, from, to, hash string
	at                   time.Time
}

func (r *renames) expect(one renamed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.at = time.Now(); one.from != one.to {
		r.list = append(r.list, one)
	}
}

// take returns those of a file, the oldest first, and forgets them.
func (r *renames) take(path string) []renamed {
	r.mu.Lock()
	defer r.mu.Unlock()
	var mine, others []renamed
	for _, one := range r.list {
		switch {
		case time.Since(one.at) > renameTime:
		case one.path == path:
			mine = append(mine, one)
		default:
			others = append(others, one)
		}
	}
	r.list = others
	return mine
}

// moveDecisions lets what was decided about connectors move along with the names that the user gave them in a file that is saved
// now.
func (s *Session) moveDecisions(path string) {
	for _, one := range s.renames.take(path) {
		if err := s.core.MoveDecisions(s.lifetime, path, one.from, one.to, one.hash); err != nil {
			s.log.Warn("what was decided about a connector did not move along with its name", "connector", one.to, "error", err)
		}
	}
}

func (s *Session) prepareRename(ctx context.Context, p protocol.PrepareRenameParams) (*protocol.PrepareRenamePlaceholder, error) {
	return answered(ctx, s, p.TextDocument.URI, func(l language) *protocol.PrepareRenamePlaceholder {
		e, at := configdoc.Renamable(l.document, l.document.Offset(p.Position))
		if e == nil {
			return nil
		}
		return &protocol.PrepareRenamePlaceholder{Range: at, Placeholder: e.Name}
	})
}

// rename gives a connector another name. What stands about it moves along once the file is saved so.
func (s *Session) rename(ctx context.Context, p protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	var failure error
	edit, err := answered(ctx, s, p.TextDocument.URI, func(l language) *protocol.WorkspaceEdit {
		e, _ := configdoc.Renamable(l.document, l.document.Offset(p.Position))
		if e == nil {
			failure = rpc.Errorf(rpc.CodeInvalidParams, "there is no connector's name here")
			return nil
		}
		edit, err := configdoc.Rename(l.document, e, p.NewName)
		if err != nil {
			failure = rpc.Errorf(rpc.CodeInvalidParams, "the connector cannot be called so: %s", err)
			return nil
		}
		if c := l.facts.Connectors[e.Name]; c.IsCurrent {
			s.renames.expect(renamed{path: e.File.Path, from: e.Name, to: p.NewName, hash: c.Hash})
		}
		return edit
	})
	if failure != nil {
		return nil, failure
	}
	return edit, err
}
