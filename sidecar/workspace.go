package sidecar

import (
	"context"
	"slices"
	"strconv"

	"go.lsp.dev/protocol"

	"pillion/mcp/settings"
	"pillion/rpc"
	"pillion/rpc/message"
)

var (
	didChangeFolders      = rpc.Notification[protocol.DidChangeWorkspaceFoldersParams]{Method: "workspace/didChangeWorkspaceFolders"}
	didChangeWatchedFiles = rpc.Notification[message.Empty]{Method: "workspace/didChangeWatchedFiles"}
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
		s.describeRoots(c.Roots())
	})
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
	trusted, _ := settings.Lookup(settings.Trusted)
	value, _ := trusted.DecodeWord(strconv.FormatBool(params.Trusted))
	s.settings.SetOne(settings.Given{Name: settings.Trusted, Channel: settings.Initialize, Where: message.TrustChanged.Method, Value: value})
	s.applySettings()
	// Where the editor's settings said it too, what they said before goes on narrowing until they are asked again.
	s.inBackground(s.pullSettings)
}
