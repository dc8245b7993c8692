package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/audit"
	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/result"
)

// questionTime is how long a connector's question stays open; its call does not lose time by it (E8).
const questionTime = 10 * time.Minute

// maxFormBytes bounds the values of a form.
const maxFormBytes = 256 << 10

// Elicitation is a question of a connector, never of Pillion: with a form, or by a page to open (S17).
type Elicitation struct {
	CallID, SessionID string
	Connector, Name   string // id and name
	Caller            Caller // whose call it comes up in
	Message           string // the connector's own words
	Schema            []byte // JSON Schema of the form; nil for a page
	URL               string // https; empty for a form
	Deadline          time.Time
	// Check says what is wrong with the values of the form, or returns them as they will be sent. It is nil for a page.
	Check func(content []byte) ([]byte, error)
}

// ElicitationAnswer is what a person did with a connector's question.
type ElicitationAnswer struct {
	Action  string // accept, decline or cancel
	Content []byte // of a form that was accepted, as Check returned it
	// By says who answered, for the audit log.
	By string
}

// Sampling is what a connector would have an editor's model answer.
type Sampling struct {
	CallID, SessionID string
	Connector, Name   string
	Caller            Caller
	Params            []byte // of MCP's sampling/createMessage, without context (S30)
	Deadline          time.Time
}

// SamplingAnswer is the model's answer, or that there will be none.
type SamplingAnswer struct {
	Result     []byte // of MCP's sampling/createMessage
	IsDeclined bool
	By         string
}

// offers are what a connector may ask for where it was judged.
func (h *Host) offers(at subject) connector.Offers {
	offers := connector.Offers{Roots: h.rootsOf(at), FollowsTasks: true}
	if h.options.Asker == nil {
		return offers
	}
	abilities := h.options.Asker.Abilities()
	offers.HasForms, offers.HasPages, offers.HasModel = abilities.Forms, abilities.Pages, abilities.Model
	entry := at.entry
	offers.Elicit = func(ctx context.Context, q connector.Elicitation) connector.ElicitationAnswer {
		return h.elicit(ctx, entry, q)
	}
	offers.Sample = func(ctx context.Context, r connector.Sampling) ([]byte, error) { return h.sample(ctx, entry, r) }
	return offers
}

// rootsOf are the folders that a connector is told of: its own to a project's, and the one that a yes was given in to a
// user's that names it; none to any other, and none to remote ones (S30).
func (h *Host) rootsOf(at subject) []connector.Root {
	root := at.entry.File.Root
	if root == "" {
		root = h.consentRoot(at)
	}
	if root == "" || at.entry.Transport != config.TransportStdio {
		return nil
	}
	return []connector.Root{{URI: result.FileURI(root), Name: filepath.Base(root)}}
}

// elicit puts a connector's question to a person.
func (h *Host) elicit(ctx context.Context, entry *config.Entry, q connector.Elicitation) connector.ElicitationAnswer {
	caller, session := h.calls.of(q.CallID)
	question := Elicitation{
		CallID: q.CallID, SessionID: session, Connector: entry.ID, Name: entry.Name, Caller: caller,
		Message: h.redacted(q.Message), Schema: q.Schema, URL: q.URL, Deadline: time.Now().Add(questionTime),
	}
	if q.URL == "" {
		question.Check = func(content []byte) ([]byte, error) { return h.checkForm(q.Schema, content) }
	}
	r := audit.Record{Kind: audit.KindAsk, CallID: q.CallID, SessionID: session, Asker: caller.String(), Connector: entry.Name, Message: "elicitation " + q.URL}
	h.record(r)
	waiting, stop := context.WithDeadline(ctx, question.Deadline)
	defer stop()
	answer, err := h.options.Asker.Elicit(waiting, question)
	if err != nil {
		// Nobody answered, be it that nobody could or that nobody did: nothing was decided, and a cancel says so.
		answer = ElicitationAnswer{Action: connector.ElicitCancel, By: whyUnanswered(ctx, err)}
	}
	r.Kind, r.Status, r.Asker = audit.KindAnswer, answer.Action, answer.By
	h.record(r)
	return connector.ElicitationAnswer{Action: answer.Action, Content: answer.Content}
}

func whyUnanswered(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, ErrNobody):
		return "nobody can be asked"
	case ctx.Err() != nil:
		return "withdrawn"
	}
	return "the deadline"
}

// sample has an editor's model answer a connector; nil says that somebody declined.
func (h *Host) sample(ctx context.Context, entry *config.Entry, r connector.Sampling) ([]byte, error) {
	caller, session := h.calls.of(r.CallID)
	request := Sampling{
		CallID: r.CallID, SessionID: session, Connector: entry.ID, Name: entry.Name, Caller: caller, Params: r.Params,
		Deadline: time.Now().Add(questionTime),
	}
	kept := audit.Record{Kind: audit.KindAsk, CallID: r.CallID, SessionID: session, Asker: caller.String(), Connector: entry.Name, Message: "sampling"}
	h.record(kept)
	waiting, stop := context.WithDeadline(ctx, request.Deadline)
	defer stop()
	answer, err := h.options.Asker.Sample(waiting, request)
	kept.Kind, kept.Status, kept.Asker = audit.KindAnswer, "answered", answer.By
	switch {
	case err != nil:
		kept.Status, kept.Asker = "cancel", whyUnanswered(ctx, err)
	case answer.IsDeclined:
		kept.Status = "decline"
	}
	h.record(kept)
	switch {
	case err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err != nil || answer.IsDeclined:
		return nil, nil
	}
	return answer.Result, nil
}

// checkForm returns the values of a form as they will be sent: with the defaults of what was left out, and fitting the schema.
// The schema has no references: those were declined unseen.
func (h *Host) checkForm(schema, content []byte) ([]byte, error) {
	if len(content) > maxFormBytes {
		return nil, fmt.Errorf("the values have more than %d KiB", maxFormBytes>>10)
	}
	filled, err := withDefaults(schema, content)
	if err != nil {
		return nil, err
	}
	if d := h.schemas.Difference(schema, filled); d != nil {
		return nil, errors.New(d.String())
	}
	return filled, nil
}

// withDefaults puts in the defaults of the fields that are absent.
func withDefaults(schema, content []byte) ([]byte, error) {
	filled := jsontext.Value(bytes.Clone(content))
	if err := filled.Compact(); err != nil || filled.Kind() != '{' {
		return nil, errors.New("the values are not one JSON object")
	}
	given, isObject := members(filled)
	shape, _ := members(jsontext.Value(schema))
	fields, _ := members(shape["properties"])
	if !isObject {
		return nil, errors.New("the values are not one JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field, _ := members(fields[name])
		if _, isGiven := given[name]; isGiven || field["default"] == nil {
			continue
		}
		filled = filled[:len(filled)-1]
		if len(filled) > 1 {
			filled = append(filled, ',')
		}
		filled = append(append(append(filled, quoted(name)...), ':'), field["default"]...)
		filled = append(filled, '}')
	}
	return filled, nil
}
