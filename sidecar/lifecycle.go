package sidecar

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/mcp/process"
	"pillion/mcp/settings"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar/configdoc"
)

// The exit codes of a session.
const (
	exitAfterShutdown   = 0
	exitWithoutShutdown = 1
	exitBadFrame        = 2
)

// The base messages of LSP's life cycle.
var (
	initialize  = rpc.Request[protocol.InitializeParams, protocol.InitializeResult]{Method: "initialize"}
	initialized = rpc.Notification[message.Empty]{Method: "initialized"}
	shutdown    = rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}
	exit        = rpc.Notification[message.Empty]{Method: "exit"}
	setTrace    = rpc.Notification[protocol.SetTraceParams]{Method: "$/setTrace"}
)

// phase is how far the life of a session has come.
type phase int

const (
	phaseNew phase = iota
	phaseInitializing
	phaseShutDown
	phaseExiting
)

// life is the state of LSP's life cycle.
type life struct {
	mu              sync.Mutex
	phase           phase
	initializedOnce sync.Once
}

// gate lets through what the life cycle allows; it is called on the reader, so that the order of the wire decides.
func (l *life) gate(method string, isRequest bool) *rpc.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case method == exit.Method && !isRequest:
		return nil
	case l.phase == phaseNew && method == initialize.Method && isRequest:
		l.phase = phaseInitializing
		return nil
	case l.phase == phaseNew:
		return rpc.Errorf(rpc.CodeServerNotInitialized, "initialize comes before %s", method)
	case method == initialize.Method:
		return rpc.Errorf(rpc.CodeInvalidRequest, "initialize was sent already")
	case l.phase >= phaseShutDown:
		return rpc.Errorf(rpc.CodeInvalidRequest, "%s came after shutdown", method)
	case method == shutdown.Method && isRequest:
		l.phase = phaseShutDown
	}
	return nil
}

func (l *life) isExiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == phaseExiting
}

// exiting reports whether a shutdown came before.
func (l *life) exiting() (wasShutDown bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wasShutDown = l.phase == phaseShutDown
	l.phase = phaseExiting
	return wasShutDown
}

func (s *Session) handleLSP(r *rpc.Router) {
	rpc.HandleThen(r, initialize, s.initialize)
	rpc.HandleNotification(r, initialized, s.initialized)
	rpc.Handle(r, shutdown, s.shutdown)
	rpc.HandleNotification(r, exit, s.exit)
	rpc.HandleNotification(r, setTrace, func(context.Context, protocol.SetTraceParams) {})
	s.handleDocuments(r)
	s.handleWorkspace(r)
	rpc.Handle(r, codeAction, s.codeAction)
	s.handleLanguage(r)
	rpc.Handle(r, executeCommand, s.executeCommand)
	rpc.HandleNotification(r, cancelProgress, s.cancelProgress)
}

// initialize answers; what need not be done for the answer comes after it, since the editor waits.
func (s *Session) initialize(_ context.Context, params protocol.InitializeParams) (protocol.InitializeResult, func(), error) {
	s.editor.declare(params)
	s.takeSettings(settings.Initialize, params.InitializationOptions)
	roots := rootsOf(params)
	socket := s.listen(roots)
	then := func() {
		defer s.recovered()
		s.open(roots)
		if params.ProcessID != nil {
			s.followParent(int(*params.ProcessID))
		}
	}
	capabilities, err := s.capabilities(socket)
	if err != nil {
		return protocol.InitializeResult{}, then, err
	}
	return protocol.InitializeResult{
		Capabilities: capabilities,
		ServerInfo:   protocol.ServerInfo{Name: "pillion", Version: protocol.NewOptional(s.options.Version)},
	}, then, nil
}

// capabilities are what the session can do. What an editor lets register for single files is registered for them later (U14).
func (s *Session) capabilities(socket string) (protocol.ServerCapabilities, error) {
	experimental, err := rpc.Marshal(map[string]any{message.CapabilityName: message.ServerCapability{
		Protocol: message.ProtocolVersion, Version: s.options.Version, Window: s.window,
		Attach: message.AttachEndpoint{Socket: socket},
	}})
	if err != nil {
		return protocol.ServerCapabilities{}, err
	}
	yes := true
	incremental := protocol.TextDocumentSyncKindIncremental
	capabilities := protocol.ServerCapabilities{
		PositionEncoding: s.editor.encoding(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{},
		},
		CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, configdoc.TrustKind}},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
		Experimental: experimental,
	}
	s.provide(&capabilities)
	return capabilities, nil
}

func (s *Session) initialized(context.Context, message.Empty) {
	s.life.initializedOnce.Do(func() {
		s.notifier.begin()
		s.start()
		s.inBackground(s.followSettings)
		s.inBackground(s.registerLanguage)
	})
}

func (s *Session) shutdown(context.Context, message.Empty) (rpc.Null, error) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if c, err := s.host(ctx); err == nil {
		c.Stop(ctx)
	}
	return rpc.Null{}, nil
}

func (s *Session) exit(context.Context, message.Empty) {
	if s.life.exiting() {
		s.exitCode.Store(exitAfterShutdown)
	}
	s.inBackground(func() {
		// The answer to shutdown leaves before the end (C81).
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_ = s.conn.Flush(ctx)
		s.conn.Close()
	})
}

// followParent ends the session with the editor's process. A process that is no ancestor is one of another machine or
// container, and end of input decides (U20).
func (s *Session) followParent(pid int) {
	if pid <= 0 || !process.IsAncestor(pid) {
		return
	}
	gone := process.WatchParent(s.lifetime, pid)
	s.inBackground(func() {
		select {
		case <-gone:
			s.conn.Close()
		case <-s.lifetime.Done():
		}
	})
}

// rootsOf are the workspace folders: those of the list, else the single root of older clients, else none (U33).
func rootsOf(params protocol.InitializeParams) []string {
	var roots []string
	if folders, isGiven := params.WorkspaceFolders.Get(); isGiven {
		for _, folder := range folders {
			roots = appendPath(roots, folder.URI)
		}
	}
	//lint:ignore SA1019 older clients send nothing else
	if root := params.RootURI; len(roots) == 0 && root != nil {
		roots = appendPath(roots, *root)
	}
	//lint:ignore SA1019 and the oldest send this
	if path, isGiven := params.RootPath.Get(); len(roots) == 0 && isGiven && path != "" {
		roots = append(roots, path)
	}
	return roots
}

func appendPath(paths []string, u uri.URI) []string {
	if path := pathOf(u); path != "" && !slices.Contains(paths, path) {
		return append(paths, path)
	}
	return paths
}

// pathOf is the path of a file URI, or empty.
func pathOf(u uri.URI) string {
	if u == "" || !u.IsFile() {
		return ""
	}
	return u.FsPath()
}

func asFrameError(err error, target **rpc.FrameError) bool { return errors.As(err, target) }
