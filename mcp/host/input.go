package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pillion/mcp/audit"
	"pillion/mcp/auth"
	"pillion/mcp/config"
	"pillion/mcp/place"
	"pillion/mcp/redact"
)

// InputQuestion asks for the value of one input of a connector that starts.
type InputQuestion struct {
	Connector, Name string // id and name
	Input           config.Input
	// Destination is the program or host that is given the value, as the file writes it (S11).
	Destination string
}

// InputAnswer is the value of an input, or that there will be none.
type InputAnswer struct {
	Value       string
	IsCancelled bool
	// By says who answered, for the audit log.
	By string
}

// inputPoll is how often it is looked whether a value that is asked for was stored elsewhere: by another window, or in a
// terminal.
const inputPoll = 300 * time.Millisecond

// unstored is a value that could not be stored, and when another one was that it takes the place of.
type unstored struct {
	value string
	at    time.Time
}

// inputBook holds what is known of inputs in this session. Its methods may be called at once.
type inputBook struct {
	store *auth.Store // nil keeps values for the session alone

	mu       sync.Mutex
	session  map[auth.Key]unstored
	warnings map[string][]string // by connector id
}

func newInputBook(store *auth.Store) *inputBook {
	return &inputBook{store: store, session: map[auth.Key]unstored{}, warnings: map[string][]string{}}
}

// value returns the value that is known of a key.
func (b *inputBook) value(ctx context.Context, k auth.Key) (string, bool, error) {
	b.mu.Lock()
	held, isHeld := b.session[k]
	b.mu.Unlock()
	switch {
	case isHeld && held.at.Equal(b.storedAt(k)):
		return held.value, true, nil
	case b.store == nil:
		return "", false, nil
	}
	return b.store.Value(ctx, k)
}

// keep stores a value. The error says why it holds for this session alone.
func (b *inputBook) keep(ctx context.Context, k auth.Key, value string) error {
	var err error
	if b.store != nil {
		if err = b.store.Set(ctx, k, value); err == nil {
			b.forget(k)
			return nil
		}
	}
	at := b.storedAt(k)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session[k] = unstored{value, at}
	return err
}

func (b *inputBook) forget(k auth.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.session, k)
}

func (b *inputBook) storedAt(k auth.Key) time.Time {
	if b.store == nil {
		return time.Time{}
	}
	return b.store.StoredAt(k)
}

// warn replaces what is to be said of a connector's inputs.
func (b *inputBook) warn(connector string, warnings []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(warnings) == 0 {
		delete(b.warnings, connector)
		return
	}
	b.warnings[connector] = warnings
}

func (b *inputBook) warningsOf(connector string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.warnings[connector])
}

// inputKey binds the value of an input to whom it is given: to the repository too, where the entry waits for a yes in each.
func inputKey(entry *config.Entry, root, id string) auth.Key {
	return auth.Key{ID: id, Source: string(entry.File.Source), Root: root, Destination: destinationOf(entry)}
}

// destinationOf is the program with its arguments, or the origin, that an entry's values are given to, as the file writes it.
// With npx and its like the arguments are the program. A literal secret among them is left out: the text is kept and shown.
func destinationOf(entry *config.Entry) string {
	if entry.Transport != config.TransportStdio {
		address, err := url.Parse(entry.URL)
		if err != nil || address.Host == "" || strings.Contains(address.Host, "$") {
			return entry.URL
		}
		return address.Scheme + "://" + address.Host
	}
	words := []string{word(entry.Command)}
	flag := ""
	for _, arg := range entry.Args {
		name, value, isAssigned := strings.Cut(arg, "=")
		switch isReference := strings.Contains(arg, "${"); {
		case isReference:
		case isAssigned && redact.LooksSecret(strings.TrimLeft(name, "-"), value):
			arg = name + "=" + redact.Marker
		case redact.LooksSecret("", arg), flag != "" && redact.LooksSecret(flag, arg):
			arg = redact.Marker
		}
		flag = ""
		if !isAssigned && strings.HasPrefix(arg, "-") {
			flag = strings.TrimLeft(arg, "-")
		}
		words = append(words, word(arg))
	}
	return strings.Join(words, " ")
}

// word is one word of a command line, in quotes where it could be taken for another number of them.
func word(text string) string {
	if text == "" || strings.ContainsAny(text, " \t\r\n\"'\\") {
		return strconv.Quote(text)
	}
	return text
}

// inputValues are the values of an entry's inputs, by id; nil for one that has none.
type inputValues map[string]string

func (v inputValues) of(id string) (string, bool) {
	value, isGiven := v[id]
	return value, isGiven
}

// valuesOf returns the values of an entry's inputs, asking for those that are not known; root is the folder that its yes is
// bound to. It is called for an entry that may run (B6), and blocks until somebody answered or ctx ends.
func (h *Host) valuesOf(ctx context.Context, entry *config.Entry, root string) (inputValues, *Problem) {
	if len(entry.Inputs) == 0 {
		return nil, nil
	}
	values := inputValues{}
	var warnings []string
	for _, input := range entry.Inputs {
		k := inputKey(entry, root, input.ID)
		value, isKnown, err := h.inputs.value(ctx, k)
		if ctx.Err() != nil {
			return nil, internalProblem(entry, ctx.Err())
		}
		if err != nil {
			h.log.Warn("stored value not read", "connector", entry.Name, "input", input.ID, "error", err)
			warnings = append(warnings, "what was stored cannot be read: "+err.Error())
		}
		if !isKnown || input.Options != nil && !slices.Contains(input.Options, value) {
			var problem *Problem
			if value, problem = h.askInput(ctx, entry, input, k, &warnings); problem != nil {
				return nil, problem
			}
		}
		if input.IsSecret || redact.LooksSecret(input.ID, value) {
			h.addSecrets([]string{value}) // before anything can be said of it
		}
		if input.IsSecret && len(value) < redact.MinBytes {
			warnings = append(warnings, ShortSecret(input.ID))
		}
		values[input.ID] = value
	}
	h.inputs.warn(entry.ID, warnings)
	return values, nil
}

// ShortSecret warns of a secret that is too short to be found in what a connector says (S29).
func ShortSecret(id string) string {
	return fmt.Sprintf("the value of the input %q has less than %d bytes: where it stands in results and logs it is not replaced", id, redact.MinBytes)
}

// askInput asks for one value, and takes one that is stored elsewhere meanwhile.
func (h *Host) askInput(ctx context.Context, entry *config.Entry, input config.Input, k auth.Key, warnings *[]string) (string, *Problem) {
	if h.options.Asker == nil {
		return "", inputProblem(entry, input, "nobody can be asked for it")
	}
	question := InputQuestion{Connector: entry.ID, Name: entry.Name, Input: input, Destination: k.Destination}
	h.record(audit.Record{Kind: audit.KindAsk, Connector: entry.Name, Message: "input " + input.ID})
	answer, err := h.awaitInput(ctx, question, k)
	switch {
	case ctx.Err() != nil:
		return "", internalProblem(entry, ctx.Err())
	case errors.Is(err, ErrNobody):
		return "", inputProblem(entry, input, "nobody can be asked for it")
	case err != nil:
		return "", internalProblem(entry, err)
	case answer.IsCancelled:
		h.record(audit.Record{Kind: audit.KindAnswer, Connector: entry.Name, Status: "cancelled", Asker: answer.By, Message: "input " + input.ID})
		return "", inputProblem(entry, input, "it was asked for, and not given")
	}
	h.record(audit.Record{Kind: audit.KindAnswer, Connector: entry.Name, Status: "given", Asker: answer.By, Message: "input " + input.ID})
	if answer.By != byStore {
		if err := h.inputs.keep(ctx, k, answer.Value); err != nil {
			h.log.Warn("value not stored", "connector", entry.Name, "input", input.ID, "error", err)
			*warnings = append(*warnings, "its value holds for this session alone: "+err.Error())
		}
	}
	return answer.Value, nil
}

// byStore is who answered where the value was stored elsewhere.
const byStore = "the secret store"

// awaitInput puts the question and waits for its answer, or for a value in the store.
func (h *Host) awaitInput(ctx context.Context, question InputQuestion, k auth.Key) (InputAnswer, error) {
	asking, withdraw := context.WithCancel(ctx)
	defer withdraw()
	type outcome struct {
		answer InputAnswer
		err    error
	}
	answered := make(chan outcome, 1)
	before := h.inputs.storedAt(k)
	go func() {
		answer, err := h.options.Asker.AskInput(asking, question)
		answered <- outcome{answer, err}
	}()
	tick := time.NewTicker(inputPoll)
	defer tick.Stop()
	for {
		select {
		case came := <-answered:
			return came.answer, came.err
		case <-tick.C:
		}
		at := h.inputs.storedAt(k)
		if at.IsZero() || at.Equal(before) {
			continue
		}
		before = at
		value, isSet, err := h.inputs.value(ctx, k)
		if err != nil || !isSet || question.Input.Options != nil && !slices.Contains(question.Input.Options, value) {
			continue
		}
		withdraw()
		if came := <-answered; came.err == nil { // it was being answered already
			return came.answer, nil
		}
		return InputAnswer{Value: value, By: byStore}, nil
	}
}

func inputProblem(entry *config.Entry, input config.Input, why string) *Problem {
	return &Problem{Kind: "config", Reason: fmt.Sprintf("the input %q has no value: %s", input.ID, why), Steps: []string{
		"Store it, in a terminal: " + SecretCommand("set", input.ID),
		fmt.Sprintf("Or restart the connector %q, and type the value when you are asked.", entry.Name),
	}}
}

// SecretCommand is the line for a shell that sets or removes a value; without a name that a shell could take for more than a
// word (S17).
func SecretCommand(verb, id string) string {
	command := "pillion secret " + verb
	if isWord(id) {
		return command + " " + id
	}
	return command
}

// reachesWorkspace says why an entry that waits for nobody must not be started with these values: they lead into a workspace,
// whose code needs a yes to what names it (S1).
func (h *Host) reachesWorkspace(at subject, expanded config.Expanded) *Problem {
	entry := at.entry
	if len(entry.Inputs) == 0 || h.consentRoot(at) != "" {
		return nil
	}
	values := append([]string{expanded.Command, expanded.Cwd}, expanded.Args...)
	for _, name := range slices.Sorted(maps.Keys(expanded.Env)) {
		if config.IsLoaderVariable(name) {
			values = append(values, expanded.Env[name])
		}
	}
	for _, root := range at.roots {
		folder := place.NewFolder(root)
		if slices.ContainsFunc(values, func(value string) bool { return names(value, folder) }) {
			return configProblem(entry, "the value of an input leads into the workspace folder "+root+", whose code needs your permission",
				"Write the path into the entry instead of the input: you are then asked.")
		}
	}
	return nil
}
