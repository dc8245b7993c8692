package editortest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"pillion/rpc"
	"pillion/rpc/message"
)

// Patience bounds every wait: what has not come by then does not come.
const Patience = 30 * time.Second

// Options say what editor is played.
type Options struct {
	// Command is the program with its arguments, usually pillion --stdio.
	Command []string
	// Environ is its whole environment.
	Environ []string
	// Dir is where it starts; empty is the root of the file system, where nothing of a workspace is found by accident.
	Dir string
	// Roots are the workspace folders.
	Roots []string
	// IsPlain makes an editor without the capability pillion: it is asked by plain LSP.
	IsPlain bool
	// Choose answers window/showMessageRequest with the title of an action, empty for none; nil refuses the request.
	Choose func(text string, titles []string) string
	// Initialize are further members of the initialization options.
	Initialize map[string]any
	// Configuration, if not nil, answers workspace/configuration with the section that is asked for; the editor declares it,
	// and takes the registration for its changes.
	Configuration func(section string) any
	// TextDocument, if not nil, is what the editor declares of the features of a language; it takes their registration.
	TextDocument map[string]any
	// Encodings are the position encodings that it offers, none by default.
	Encodings []string
	// Asks are further kinds of question that it shows itself.
	Asks []message.AskKind
	// IsSilent leaves initialize to the test.
	IsSilent bool
	// Heard, if not nil, is given everything that Pillion says, whole; it must not keep it.
	Heard func(body []byte)
	// HasEvents declares that it wants the stream of events.
	HasEvents bool
	// IsBrief keeps only the end of the session: for one that takes minutes.
	IsBrief bool
}

// briefly is how many frames a brief session keeps.
const briefly = 400

// Editor is one fake editor with its Pillion.
type Editor struct {
	t       testing.TB
	options Options
	command *exec.Cmd
	conn    *rpc.Conn
	in      io.Closer // Pillion's standard input
	stderr  bytes.Buffer
	served  chan struct{}
	waited  chan error

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced at every message
	asks        map[message.AskID]message.Ask
	closed      []message.ClosedAsk
	connectors  map[message.ConnectorID]message.Connector
	rev         int // of what was told of them last
	tools       []message.ToolsChangedParams
	pages       []string // addresses that were opened outside
	others      []string // notices of resources and prompts, as method, connector and address
	diagnostics map[uri.URI][]protocol.Diagnostic
	shown       []string // texts of the documents that were shown
	shownPaths  []string
	messages    []string
	prompts     []string
	registered  []string
	selectors   map[string]string // the options of what is registered, by its method
	progress    []protocol.ProgressParams
	events      []message.SessionEvent
	browsers    []message.BrowserState
	log         []string
}

// Start starts Pillion and, unless the editor is silent, initializes it. It has ended when the test does, and left nothing.
func Start(t testing.TB, o Options) *Editor {
	t.Helper()
	e := &Editor{
		t: t, options: o, served: make(chan struct{}), waited: make(chan error, 1), changed: make(chan struct{}),
		asks: map[message.AskID]message.Ask{}, connectors: map[message.ConnectorID]message.Connector{}, diagnostics: map[uri.URI][]protocol.Diagnostic{},
	}
	e.command = exec.Command(o.Command[0], o.Command[1:]...)
	e.command.Env, e.command.Dir, e.command.Stderr = o.Environ, o.Dir, &e.stderr
	if e.command.Dir == "" {
		e.command.Dir = filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	}
	in, err := e.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.command.Start(); err != nil {
		t.Fatal(err)
	}
	e.in = in
	e.connect(out, in)
	t.Cleanup(e.End)
	if !o.IsSilent {
		e.Initialize()
		Notify(e, rpc.Notification[message.Empty]{Method: "initialized"}, message.Empty{})
	}
	return e
}

func (e *Editor) connect(out io.ReadCloser, in io.WriteCloser) {
	router := rpc.NewRouter()
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), e.asksChanged)
	rpc.HandleNotification(router, rpc.Notification[message.ConnectorsChangedParams](message.ConnectorsChanged), e.connectorsChanged)
	on(router, e, message.ToolsChanged.Method, func(p message.ToolsChangedParams) { e.tools = append(e.tools, p) })
	on(router, e, message.ResourcesChanged.Method, func(p message.ResourcesChangedParams) { e.note(message.ResourcesChanged.Method, p.Connector, "") })
	on(router, e, message.PromptsChanged.Method, func(p message.PromptsChangedParams) { e.note(message.PromptsChanged.Method, p.Connector, "") })
	on(router, e, message.ResourceUpdated.Method, func(p message.ResourceUpdatedParams) { e.note(message.ResourceUpdated.Method, p.Connector, p.URI) })
	on(router, e, "textDocument/publishDiagnostics", func(p protocol.PublishDiagnosticsParams) { e.diagnostics[p.URI] = p.Diagnostics })
	on(router, e, "window/showMessage", func(p protocol.ShowMessageParams) { e.messages = append(e.messages, p.Message) })
	on(router, e, message.BrowserChanged.Method, func(p message.BrowserResult) { e.browsers = append(e.browsers, p.State) })
	on(router, e, message.EventTold.Method, func(p message.SessionEvent) { e.events = append(e.events, p) })
	on(router, e, "$/progress", func(p protocol.ProgressParams) { e.progress = append(e.progress, p) })
	rpc.Handle(router, rpc.Request[protocol.WorkDoneProgressCreateParams, rpc.Null]{Method: "window/workDoneProgress/create"},
		func(context.Context, protocol.WorkDoneProgressCreateParams) (rpc.Null, error) { return rpc.Null{}, nil })
	rpc.Handle(router, rpc.Request[showParams, protocol.ShowDocumentResult]{Method: "window/showDocument"}, e.showDocument)
	if e.options.Choose != nil {
		rpc.Handle(router, rpc.Request[protocol.ShowMessageRequestParams, *protocol.MessageActionItem]{Method: "window/showMessageRequest"}, e.choose)
	}
	if e.options.Configuration != nil {
		rpc.Handle(router, rpc.Request[protocol.ConfigurationParams, []any]{Method: "workspace/configuration"}, e.configuration)
	}
	if e.options.Configuration != nil || e.options.TextDocument != nil {
		rpc.Handle(router, rpc.Request[protocol.RegistrationParams, rpc.Null]{Method: "client/registerCapability"}, e.register)
	}
	e.conn = rpc.NewConn(out, in, router, rpc.Options{Trace: e})
	go func() {
		defer close(e.served)
		_ = e.conn.Serve(context.Background())
		e.touch()
	}()
	go func() {
		<-e.served // the pipes are read to their end before the process is waited for
		e.waited <- e.command.Wait()
	}()
}

// on registers what a message of Pillion's own does to what the editor knows.
func on[P any](r *rpc.Router, e *Editor, method string, take func(P)) {
	rpc.HandleNotification(r, rpc.Notification[P]{Method: method}, func(_ context.Context, p P) {
		e.mu.Lock()
		take(p)
		e.mu.Unlock()
		e.touch()
	})
}

// Frame implements rpc.Tracer: a test that fails prints the session.
func (e *Editor) Frame(direction byte, body []byte) {
	mark := "<"
	if direction == '<' { // what this side sends is what the editor sends
		mark = ">"
	} else if e.options.Heard != nil {
		e.options.Heard(body)
	}
	text := string(body)
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	e.mu.Lock()
	if e.options.IsBrief && len(e.log) >= 2*briefly {
		e.log = append([]string{"…"}, e.log[len(e.log)-briefly:]...)
	}
	e.log = append(e.log, mark+" "+text)
	e.mu.Unlock()
}

func (e *Editor) touch() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *Editor) asksChanged(_ context.Context, p message.AsksChangedParams) {
	e.mu.Lock()
	for _, ask := range p.Opened {
		e.asks[ask.AskID] = ask
	}
	for _, closed := range p.Closed {
		delete(e.asks, closed.AskID)
		e.closed = append(e.closed, closed)
	}
	e.mu.Unlock()
	e.touch()
}

func (e *Editor) connectorsChanged(_ context.Context, p message.ConnectorsChangedParams) {
	e.mu.Lock()
	e.rev = p.Rev
	for _, connector := range p.Changed {
		e.connectors[connector.ID] = connector
	}
	for _, id := range p.Removed {
		delete(e.connectors, id)
	}
	e.mu.Unlock()
	e.touch()
}

// showParams are those of window/showDocument with the address as it was sent.
type showParams struct {
	URI       string `json:"uri"`
	External  bool   `json:"external"`
	TakeFocus bool   `json:"takeFocus"`
}

func (e *Editor) showDocument(_ context.Context, p showParams) (protocol.ShowDocumentResult, error) {
	if p.External {
		e.mu.Lock()
		e.pages = append(e.pages, p.URI)
		e.mu.Unlock()
		e.touch()
		return protocol.ShowDocumentResult{Success: true}, nil
	}
	parsed, err := uri.Parse(p.URI)
	if err != nil {
		return protocol.ShowDocumentResult{}, err
	}
	path := parsed.FsPath()
	text, err := os.ReadFile(path)
	e.mu.Lock()
	e.shown = append(e.shown, string(text))
	e.shownPaths = append(e.shownPaths, path)
	e.mu.Unlock()
	e.touch()
	return protocol.ShowDocumentResult{Success: err == nil}, nil
}

func (e *Editor) choose(_ context.Context, p protocol.ShowMessageRequestParams) (*protocol.MessageActionItem, error) {
	titles := make([]string, len(p.Actions))
	for i, action := range p.Actions {
		titles[i] = action.Title
	}
	e.mu.Lock()
	e.prompts = append(e.prompts, p.Message)
	e.mu.Unlock()
	e.touch()
	if title := e.options.Choose(p.Message, titles); title != "" {
		return &protocol.MessageActionItem{Title: title}, nil
	}
	return nil, nil
}

func (e *Editor) configuration(_ context.Context, p protocol.ConfigurationParams) ([]any, error) {
	answers := make([]any, len(p.Items))
	for i, item := range p.Items {
		if item.Section != nil {
			answers[i] = e.options.Configuration(*item.Section)
		}
	}
	return answers, nil
}

func (e *Editor) register(_ context.Context, p protocol.RegistrationParams) (rpc.Null, error) {
	e.mu.Lock()
	for _, registration := range p.Registrations {
		e.registered = append(e.registered, registration.Method)
		if e.selectors == nil {
			e.selectors = map[string]string{}
		}
		e.selectors[registration.Method] = string(registration.RegisterOptions)
	}
	e.mu.Unlock()
	e.touch()
	return rpc.Null{}, nil
}

// Registered waits until Pillion has registered a method.
func (e *Editor) Registered(method string) {
	e.t.Helper()
	e.Until(method+" is registered", func() bool { return slices.Contains(e.registered, method) })
}

// Registrations are the options of everything that Pillion has registered, by the method.
func (e *Editor) Registrations() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.selectors)
}

// Initialize sends initialize and returns what Pillion answers.
func (e *Editor) Initialize() protocol.InitializeResult {
	e.t.Helper()
	return Request(e, rpc.Request[map[string]any, protocol.InitializeResult]{Method: "initialize"}, e.InitializeParams())
}

// InitializeParams are what the editor says of itself.
func (e *Editor) InitializeParams() map[string]any {
	folders := []map[string]any{}
	for _, root := range e.options.Roots {
		folders = append(folders, map[string]any{"uri": uri.File(root), "name": filepath.Base(root)})
	}
	capabilities := map[string]any{
		"window": map[string]any{"showDocument": map[string]any{"support": true}, "workDoneProgress": true},
	}
	if e.options.Configuration != nil {
		capabilities["workspace"] = map[string]any{
			"configuration": true, "didChangeConfiguration": map[string]any{"dynamicRegistration": true},
		}
	}
	if e.options.TextDocument != nil {
		capabilities["textDocument"] = e.options.TextDocument
	}
	if e.options.Encodings != nil {
		capabilities["general"] = map[string]any{"positionEncodings": e.options.Encodings}
	}
	if !e.options.IsPlain {
		capabilities["experimental"] = map[string]any{message.CapabilityName: message.ClientCapability{
			Protocol: []int{message.ProtocolVersion},
			Asks:     append([]message.AskKind{message.AskConsent, message.AskApproval, message.AskStore, message.AskWiden}, e.options.Asks...),
			Events:   e.options.HasEvents,
		}}
	}
	return map[string]any{
		"processId": os.Getpid(), "rootUri": nil, "workspaceFolders": folders, "capabilities": capabilities,
		"clientInfo": map[string]any{"name": "editortest"}, "initializationOptions": e.options.Initialize,
	}
}

// Request asks and ends the test when the answer is an error or there is none.
func Request[P, R any](e *Editor, m rpc.Request[P, R], params P) R {
	e.t.Helper()
	result, err := TryRequest(e, m, params)
	if err != nil {
		e.fatalf("%s: %v", m.Method, err)
	}
	return result
}

// TryRequest asks and returns the answer, or the error that Pillion answered.
func TryRequest[P, R any](e *Editor, m rpc.Request[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	return rpc.Call(ctx, e.conn, rpc.EditorRequest[P, R](m), params)
}

// Go asks in the background; the channel gets the answer. It ends when ctx does, and then cancels the request.
func Go[P, R any](ctx context.Context, e *Editor, m rpc.Request[P, R], params P) <-chan Outcome[R] {
	answered := make(chan Outcome[R], 1)
	go func() {
		result, err := rpc.Call(ctx, e.conn, rpc.EditorRequest[P, R](m), params)
		answered <- Outcome[R]{result, err}
	}()
	return answered
}

// Outcome is an answer, or the error instead.
type Outcome[R any] struct {
	Result R
	Err    error
}

// Notify tells Pillion something.
func Notify[P any](e *Editor, m rpc.Notification[P], params P) {
	e.t.Helper()
	if err := rpc.Notify(e.conn, rpc.Event[P](m), params); err != nil {
		e.fatalf("%s: %v", m.Method, err)
	}
}

// Until waits until the condition holds, checking it at every message; it is called with what the editor knows held still.
func (e *Editor) Until(what string, holds func() bool) {
	e.t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for {
		e.mu.Lock()
		done, changed := holds(), e.changed
		e.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			e.fatalf("it did not come about that %s", what)
		}
	}
}

func (e *Editor) fatalf(format string, args ...any) {
	e.t.Helper()
	e.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), e.Session())
}

// Session is everything that was said so far.
func (e *Editor) Session() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.log, "\n")
}

// End shuts Pillion down as an editor does, and holds that it ends cleanly.
func (e *Editor) End() {
	select {
	case <-e.served:
		return // the test ended it
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := rpc.Call(ctx, e.conn, rpc.EditorRequest[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	if err != nil {
		e.t.Errorf("shutdown: %v", err)
	}
	_ = rpc.Notify(e.conn, rpc.Event[message.Empty]{Method: "exit"}, message.Empty{})
	code := e.Wait()
	if err == nil && code != 0 {
		e.t.Errorf("exit code %d after shutdown", code)
	}
}

// Wait waits until Pillion has ended, and returns its exit code; -1 when it was killed.
func (e *Editor) Wait() int {
	e.t.Helper()
	select {
	case err := <-e.waited:
		e.waited <- err
		return e.command.ProcessState.ExitCode()
	case <-time.After(Patience):
		_ = e.command.Process.Kill()
		e.t.Errorf("Pillion has not ended\n%s", e.Session())
		return -1
	}
}

// Kill ends Pillion by SIGKILL.
func (e *Editor) Kill() {
	_ = e.command.Process.Kill()
	e.Wait()
}

// PID is Pillion's process id.
func (e *Editor) PID() int { return e.command.Process.Pid }

// Hang closes both ends, as an editor does that dies.
func (e *Editor) Hang() { e.conn.Close() }

// CloseInput closes Pillion's standard input alone; what it says is heard to its end.
func (e *Editor) CloseInput() { _ = e.in.Close() }

// Stderr is what Pillion wrote there; only after it has ended.
func (e *Editor) Stderr() string { return e.stderr.String() }
