package sidecar

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"pillion/rpc"
	"pillion/rpc/message"
)

var (
	didChangeFolders       = rpc.Notification[protocol.DidChangeWorkspaceFoldersParams]{Method: "workspace/didChangeWorkspaceFolders"}
	didChangeConfiguration = rpc.Notification[protocol.DidChangeConfigurationParams]{Method: "workspace/didChangeConfiguration"}
	didChangeWatchedFiles  = rpc.Notification[message.Empty]{Method: "workspace/didChangeWatchedFiles"}
)

func (s *Session) handleWorkspace(r *rpc.Router) {
	rpc.HandleNotification(r, didChangeFolders, s.didChangeFolders)
	rpc.HandleNotification(r, didChangeConfiguration, s.didChangeConfiguration)
	rpc.HandleNotification(r, didChangeWatchedFiles, s.didChangeWatchedFiles)
}

func (s *Session) didChangeFolders(_ context.Context, params protocol.DidChangeWorkspaceFoldersParams) {
	s.inBackground(func() {
		c, err := s.host(s.lifetime)
		if err != nil {
			return
		}
		s.foldersMu.Lock()
		defer s.foldersMu.Unlock()
		roots := c.Roots()
		for _, folder := range params.Event.Removed {
			roots = slices.DeleteFunc(roots, func(root string) bool { return root == pathOf(folder.URI) })
		}
		for _, folder := range params.Event.Added {
			roots = appendPath(roots, folder.URI)
		}
		for _, err := range c.SetRoots(roots) {
			s.editor.showMessage(s, messageError, "Pillion: "+err.Error())
		}
		c.Rewatch()
		s.describeRoots(c.Roots())
	})
}

// didChangeConfiguration takes over what the editor's settings may say; a client that sends none is asked for nothing.
func (s *Session) didChangeConfiguration(_ context.Context, params protocol.DidChangeConfigurationParams) {
	section := sectionOf(params.Settings)
	if section == nil {
		return
	}
	settings, faults := message.ParseSettings(section)
	for _, fault := range faults {
		s.log.Warn("setting ignored", "error", fault)
	}
	s.editor.set(settings)
}

// sectionOf is the member pillion of the settings that an editor pushes, or nil.
func sectionOf(settings []byte) []byte {
	var sections struct {
		Pillion protocol.LSPAny `json:"pillion"`
	}
	if len(settings) == 0 || rpc.Unmarshal(settings, &sections) != nil {
		return nil
	}
	return sections.Pillion
}

// didChangeWatchedFiles is a hint alone: Pillion watches its own few files (U19).
func (s *Session) didChangeWatchedFiles(context.Context, message.Empty) {
	s.inBackground(func() {
		if c, err := s.host(s.lifetime); err == nil {
			c.Reload()
		}
	})
}

func (s *Session) trustChanged(_ context.Context, params message.TrustChangedParams) {
	s.inBackground(func() {
		if c, err := s.host(s.lifetime); err == nil {
			c.SetTrusted(params.Trusted)
		}
	})
}
