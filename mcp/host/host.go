package host

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"pillion/mcp/audit"
	"pillion/mcp/auth"
	"pillion/mcp/catalog"
	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/consent"
	"pillion/mcp/permission"
	"pillion/mcp/personal"
	"pillion/mcp/process"
	"pillion/mcp/redact"
	"pillion/mcp/result"
	"pillion/mcp/state"
)

// Options is what a host needs to know of the session that it serves.
type Options struct {
	Logger *slog.Logger
	// Version of Pillion, told to connectors.
	Version string
	// Window names this session in the audit log.
	Window string
	// UserFile is the path of the user's own mcp.json; it need not exist.
	UserFile string
	// Folder holds what outlives the session: grants, logs, the audit log.
	Folder *state.Folder
	// Scratch is a folder that connectors work in and their logs go to; empty means Folder.
	Scratch string
	// Results is a private folder for what results leave behind; the host empties it when it closes.
	Results string
	// SealKey is what grants are sealed with; nil seals none. [Host.SealKeyCame] is told when it comes late.
	SealKey state.SealKey
	// Lists keeps what connectors listed for later sessions, and Depth says how much of it is read. Nil keeps nothing.
	Lists *catalog.Store
	Depth Depth
	// OwnFolders are further folders of Pillion's own: no standing yes covers a call that names one (S20).
	OwnFolders []string
	// Policies are the administrator's; none need exist.
	Policies []PolicyFile
	// Environ is the environment that connectors' own is made from, and that names the proxies to remote ones.
	Environ []string
	// CAFile names the file of certificates, in PEM form, that remote connectors are trusted by besides the system's; it is asked
	// at each start. Nil, or an empty name, is none.
	CAFile func() string
	// Executable and GuardArgs start Pillion as the guard of its children.
	Executable string
	GuardArgs  []string
	// Subreaper keeps what connectors leave behind; nil where this process has other children too.
	Subreaper *process.Subreaper
	// Roots are the workspace folders, absolute.
	Roots []string
	// IsUntrusted keeps every connector of a project waiting (B5).
	IsUntrusted bool
	// IsStill keeps every connector from starting by itself: for commands that only look.
	IsStill bool
	// AllowedOnce names definitions with their code, as [Host.OnceHash] does, that may run in this session without a stored
	// yes (S6).
	AllowedOnce []string
	// Asker asks people; nil means that there is nobody to ask.
	Asker Asker
	// Secrets keeps the values of inputs; nil keeps them for the session alone.
	Secrets *auth.Store
	// Observe is told what changed, after it did. It must not block, and of the host it may call [Host.Redact] alone. It is called
	// by one at a time.
	Observe func(Event)
	// StopTiming bounds the steps of ending a connector; zero means the usual ones.
	StopTiming process.Timing
}

// Event says what changed; the host is asked for what it changed to.
type Event struct {
	// Connectors are the ids whose view changed, Removed those that are gone.
	Connectors, Removed []string
	// Tools are the connectors whose list of tools was replaced, or lets others through.
	Tools []ToolsChange
	// Resources and Prompts are the connectors whose list of those was replaced.
	Resources, Prompts []string
	// Said are the connectors that say that a list of theirs has changed. What it holds by then is told when it is known, and may be
	// the same.
	Said []Said
	// Updates are the resources that changed.
	Updates []Update
	// Files is set when a configuration file was read again.
	Files bool
	// Standings are the connectors of the event as they stand.
	Standings []Standing
	// Call is the call that came to another state; nil for what is about none.
	Call *CallChange
}

// Said is which lists a connector says have changed.
type Said struct {
	Connector string
	connector.SaidChanged
}

// Standing is a connector's state, in few words.
type Standing struct {
	ID, Name string
	State    State
	Reason   string // of its problem, if it has one
}

// CallChange is how far a call has come.
type CallChange struct {
	CallID string
	// Tool is the label, or what the caller named; Connector is an id, empty while it is not known.
	Tool, Connector string
	Caller          Caller
	State           CallState
	// Result is set where the state is [CallFinished].
	Result *Result
}

// ToolsChange is the difference between two generations of one connector's tools, by tool id.
type ToolsChange struct {
	Connector               string
	Generation              int
	Added, Removed, Changed []string
}

// Host runs the connectors of one session.
// All its methods may be called at once.
type Host struct {
	options     Options
	log         *slog.Logger
	consents    *consent.Store
	permissions *permission.Store
	personal    *personal.Store
	audit       *audit.Log
	schemas     result.Schemas
	eras        *eraMemory
	calls       *callBook
	tasks       *taskBook
	approvals   *approvalQueue
	keptAsks    *keptAsks
	inputs      *inputBook
	repeats     repeats

	lists    *catalog.Store // nil keeps nothing
	keepWake chan struct{}  // capacity 1: there is something unkept

	closing   chan struct{}
	stopOnce  sync.Once
	closeOnce sync.Once
	workers   sync.WaitGroup
	lifetime  context.Context
	end       context.CancelFunc

	guardMu       sync.Mutex
	guard         *process.Guard
	isGuardClosed bool

	loginPath func() string
	// own is findOwnFolders, once.
	own func() ownFolders

	// look is groundOf, identify is consent.RootID and sight is moment, but for tests.
	look     func(subject) ground
	identify func(root string) string
	sight    time.Duration

	telling   sync.Mutex // keeps events in the order of what they tell
	reloading sync.Mutex
	lastGood  map[string]*config.Document // the documents as they parsed last, by path; of whoever reloads

	deciding sync.Mutex

	// mu guards what follows, and the slots. It is held for moments only: nothing under it looks at the file system, runs a
	// program, or waits.
	mu          sync.Mutex
	slots       map[string]*slot
	shares      shares
	order       []string
	documents   map[string]*config.Document // as last read, by path
	builtins    map[string]*Builtin         // of Pillion's own, by id; replaced as a whole
	decisions   consent.Decisions           // as last read
	roots       []string                    // replaced as a whole
	folders     []personal.Folder           // the roots as they were found to be; replaced as a whole
	policies    policies                    // as last read
	layer       personal.Layer              // as last read
	isUntrusted bool
	isStill     bool
	mode        permission.Mode
	secrets     *redact.Set
	seats       seats
	toolIndex   *toolIndex // nil when what is listed has changed since
	unkept      map[string]unkept
}

// New returns a host that does nothing until [Host.Start].
func New(o Options) *Host {
	lifetime, end := context.WithCancel(context.Background())
	h := &Host{
		options:     o,
		log:         o.Logger,
		consents:    consent.New(o.Folder, o.SealKey),
		permissions: permission.New(o.Folder, o.SealKey),
		personal:    personal.New(o.Folder, o.SealKey),
		audit:       audit.New(o.Folder, audit.Options{Logger: o.Logger, Window: o.Window}),
		eras:        newEraMemory(o.Folder, o.Logger),
		calls:       newCallBook(),
		tasks:       newTaskBook(),
		approvals:   newApprovalQueue(),
		keptAsks:    newKeptAsks(),
		inputs:      newInputBook(o.Secrets),
		lists:       o.Lists,
		keepWake:    make(chan struct{}, 1),
		unkept:      map[string]unkept{},
		closing:     make(chan struct{}),
		lifetime:    lifetime,
		end:         end,
		slots:       map[string]*slot{},
		shares:      shares{},
		seats:       seats{},
		documents:   map[string]*config.Document{},
		isUntrusted: o.IsUntrusted,
		isStill:     o.IsStill,
		mode:        permission.ModeAsk,
		secrets:     redact.New(),
	}
	h.look, h.identify, h.sight = h.groundOf, consent.RootID, moment
	h.loginPath = sync.OnceValue(h.resolveLoginPath)
	h.own = sync.OnceValue(h.findOwnFolders)
	return h
}

// locked runs a step under the lock, and gives it back whatever happens.
func (h *Host) locked(step func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	step()
}

func (h *Host) isClosing() bool {
	select {
	case <-h.closing:
		return true
	default:
		return false
	}
}

// Start reads the configuration and starts what may run and is not known yet.
// It returns before any connector has answered.
func (h *Host) Start() {
	h.audit.Start()
	if h.lists != nil {
		h.locked(func() {
			if !h.isClosing() {
				h.workers.Add(1)
				go h.keepLists()
			}
		})
	}
	h.SetRoots(h.options.Roots)
}

// Stop ends every connector, all at once, and waits for them until ctx ends. Calls that are running end as cancelled, and
// nothing starts any more.
func (h *Host) Stop(ctx context.Context) {
	h.stopOnce.Do(func() {
		h.calls.close()                       // first: a call is cancelled, and not of a connector that went away
		h.locked(func() { close(h.closing) }) // no worker begins after this
		h.end()
	})
	done := make(chan struct{})
	go func() {
		h.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Close is [Host.Stop], and lets go of everything else; what is left of the connectors when ctx ends is the guard's.
func (h *Host) Close(ctx context.Context) {
	h.Stop(ctx)
	h.closeOnce.Do(func() {
		h.closeGuard()
		if err := h.audit.Close(); err != nil {
			h.log.Warn("audit log not closed", "error", err)
		}
		if h.options.Results != "" {
			_ = os.RemoveAll(h.options.Results)
		}
	})
}

// SetRoots replaces the workspace folders.
func (h *Host) SetRoots(roots []string) {
	clean := cleanRoots(roots, h.home())
	h.reload(func() []string { return clean })
}

// Roots returns the workspace folders that are served.
func (h *Host) Roots() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.roots)
}

// SetTrusted tells whether the editor trusts the workspace (B5).
func (h *Host) SetTrusted(isTrusted bool) {
	h.locked(func() { h.isUntrusted = !isTrusted })
	h.restand(nobody)
}

// Mode returns how calls are judged.
func (h *Host) Mode() permission.Mode {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mode
}

// SetMode changes how calls are judged, from the next one on. While it is paused nothing starts by itself.
func (h *Host) SetMode(mode permission.Mode) {
	h.locked(func() { h.mode = mode })
	h.recordRule("", "", "mode", string(mode))
	h.restand(nobody)
}

// notify tells an event, with the connectors in it as they stand by then. It is called without h.mu.
func (h *Host) notify(e Event) {
	if h.options.Observe == nil {
		return
	}
	h.telling.Lock()
	defer h.telling.Unlock()
	if len(e.Connectors) > 0 {
		h.locked(func() { e.Standings = h.standings(e.Connectors) })
	}
	h.options.Observe(e)
}

// standings is called with h.mu held.
func (h *Host) standings(ids []string) []Standing {
	standings := make([]Standing, 0, len(ids))
	for _, id := range ids {
		s := h.slotOf(id)
		if s == nil {
			continue
		}
		standing := Standing{ID: id, Name: s.entry.Name, State: h.state(s)}
		if standing.State == StateFailed || standing.State == StateLogin {
			if problem := cmp.Or(s.fault, s.problem); problem != nil {
				standing.Reason = problem.Reason
			}
		}
		standings = append(standings, standing)
	}
	return standings
}
