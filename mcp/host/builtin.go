package host

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"

	"pillion/mcp/config"
	"pillion/mcp/permission"
	"pillion/mcp/policy"
	"pillion/mcp/process"
)

// Builtin is a connector of Pillion's own, which no file names. It starts with its use alone, and nobody is told of it before. Its
// functions may be called at once; Offers and Judge are called with the host's lock held, and neither block nor call the host.
type Builtin struct {
	// Name is one that no entry of a file may have.
	Name, Description string
	// Command stands for its definition: with another one it is another definition, whose processes end with it.
	Command string
	Options config.Options
	// Enter is called before anything is done for a call, and before each start that somebody asked for. It may put a question, and
	// returns when the session may use the connector; the error is a [*RefusedError], or that of ctx.
	Enter func(ctx context.Context, e Entering) error
	// Launch says what runs for a session, empty for the window's own, where Enter let somebody in.
	Launch func(ctx context.Context, session string) (Launch, *Problem)
	// Offers reports whether a tool is offered at all.
	Offers func(tool string) bool
	// Judge is the ruling on a call of a session. A tool that is listed, and not called, is judged without a call id.
	Judge func(c BuiltinCall) permission.Ruling
	// Allowed is told that a person said yes to a call that was asked about for its ruling.
	Allowed func(c BuiltinCall)
	// Rewrite turns what came back, one result of MCP, into what the result is made of.
	Rewrite func(session, tool string, result []byte) []byte
}

// Entering is what a connector of Pillion's own is entered for. Session is whose processes serve.
type Entering struct {
	Connector, CallID, Session string
	Caller                     Caller
	// Asking is told, once, that a person is asked; it may be nil.
	Asking func()
}

// BuiltinCall is a call of a tool of a connector of Pillion's own.
type BuiltinCall struct {
	CallID, Session, Tool string
	Arguments             []byte
}

// Launch is a program as it is started.
type Launch struct {
	Program string // absolute
	Args    []string
	// Env is set in addition to what every connector gets.
	Env map[string]string
}

// RefusedError says why a connector may not be used, in words for whoever called.
type RefusedError struct {
	Status  Status
	Message string
	Steps   []string
}

func (e *RefusedError) Error() string { return e.Message }

// builtinPath stands for the file of those connectors.
const builtinPath = "pillion:builtin"

// transportBuiltin is how a listing names theirs.
const transportBuiltin = "builtin"

// BuiltinID is the id of the connector of Pillion's own of a name.
func BuiltinID(name string) string { return config.EntryID(builtinPath, name) }

// entry is what stands for it among the entries of files.
func (b *Builtin) entry() *config.Entry {
	options := b.Options
	options.Description = b.Description
	return &config.Entry{
		Name: b.Name, File: config.File{Source: config.SourceBuiltin}, ID: BuiltinID(b.Name),
		Transport: config.TransportStdio, Command: b.Command, Options: options,
	}
}

// SetBuiltin replaces a connector of Pillion's own by another of the name, or adds it. One whose Command is another ends what
// runs of it.
func (h *Host) SetBuiltin(b Builtin) {
	h.locked(func() {
		others := maps.Clone(h.builtins)
		if others == nil {
			others = map[string]*Builtin{}
		}
		others[BuiltinID(b.Name)] = &b
		h.builtins = others
	})
}

// withBuiltins are the entries with those of Pillion's own behind them.
func (h *Host) withBuiltins(entries []config.EffectiveEntry) []config.EffectiveEntry {
	var own map[string]*Builtin
	h.locked(func() { own = h.builtins })
	for _, b := range own {
		entries = append(entries, config.EffectiveEntry{Entry: b.entry()})
	}
	return entries
}

// builtinOf is what a connector of Pillion's own is; nil for every other.
func (h *Host) builtinOf(id string) *Builtin {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.slotOf(id); s != nil {
		return s.lead().builtin
	}
	return nil
}

// enterBuiltin lets a call in to a connector of Pillion's own; a result ends it.
func (c *call) enterBuiltin(ctx context.Context, id string) *Result {
	h := c.host
	b := h.builtinOf(id)
	if b == nil {
		return nil
	}
	err := h.enterFor(ctx, b, Entering{
		Connector: id, CallID: c.request.CallID, Session: cmp.Or(c.request.Joined, c.request.SessionID), Caller: c.request.Caller,
		Asking: func() { c.state(CallAsking) },
	})
	var refused *RefusedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		ended := c.ended(refused.Status, refused.Message)
		ended.Steps = refused.Steps
		return &ended
	}
	return c.cancelled(ctx)
}

// enterFor is what lets in; whoever may use the connector is shown it from then on.
func (h *Host) enterFor(ctx context.Context, b *Builtin, e Entering) error {
	if err := b.Enter(ctx, e); err != nil {
		return err
	}
	isNew := false
	h.locked(func() {
		s := h.slotOf(e.Connector)
		if isNew = s != nil && s.isHidden; isNew {
			s.isHidden = false
			h.order = append(h.order, s.id)
		}
	})
	if isNew {
		h.changed(e.Connector)
	}
	return nil
}

// hiddenOwner is the connector of Pillion's own that a tool's label or served name means, and that nobody has used yet; h.mu is
// held.
func (h *Host) hiddenOwner(name string) []knownTool {
	for id, s := range h.slots {
		if raw, _ := s.toolLabelled(name); raw != "" && s.isHidden && !s.isRemoved {
			return []knownTool{{connector: id, name: raw}}
		}
	}
	return nil
}

// prepareBuiltin is prepare for a connector of Pillion's own, whose program it is that says what is started.
func (h *Host) prepareBuiltin(ctx context.Context, b *Builtin, at subject, session string) prepared {
	entry := at.entry
	launch, problem := b.Launch(ctx, session)
	if problem != nil {
		problem.LogFile = h.logFile(entry)
		return prepared{problem: problem}
	}
	folder, problem := h.workingFolder(entry, "")
	if problem != nil {
		return prepared{problem: problem}
	}
	judged := policy.Connector{Name: entry.Name, Command: append([]string{launch.Program}, launch.Args...), Program: launch.Program}
	judged.Real, _ = filepath.EvalSymlinks(launch.Program)
	if refused := h.readPolicies().refusal(entry, judged); refused != nil {
		return prepared{problem: refused}
	}
	definition := definitionOf(entry, false)
	definition.Program, definition.Args, definition.Dir = launch.Program, launch.Args, folder
	definition.Env = process.Environment(h.options.Environ, nil, ownVariables(launch.Env, h.childPath(at), ""))
	return prepared{definition: definition, judged: judged}
}

// ruled gives a subject the ruling on it.
func (b *Builtin) ruled(subject permission.Subject, c BuiltinCall) permission.Subject {
	if b != nil && b.Judge != nil {
		subject.Ruling = b.Judge(c)
	}
	return subject
}

// EnterBuiltin lets somebody in to a connector of Pillion's own who is about to use it otherwise than by a call; the error is that
// of its Enter.
func (h *Host) EnterBuiltin(ctx context.Context, e Entering) error {
	b := h.builtinOf(e.Connector)
	if b == nil {
		return &UnknownError{What: "connector", Name: e.Connector}
	}
	return h.enterFor(ctx, b, e)
}
