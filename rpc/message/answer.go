package message

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//pillion:section 52 Answers
//
// What answers a question, by its kind.

// Answer is an answer to a question, one shape for each kind.
//
//pillion:union answer
type Answer interface {
	// checkAnswer returns why the value is no answer.
	checkAnswer() error
}

// ConsentAnswer decides about some or all of a consent question's definitions.
type ConsentAnswer struct {
	Decisions map[ConnectorID]ConsentDecision `json:"decisions"`        // what is not named stays waiting
	Secrets   map[ConnectorID][]string        `json:"secrets,omitzero"` // names of the secrets that are confirmed: for a yes, all that the question lists
}

// ApprovalAnswer decides about one call.
type ApprovalAnswer struct {
	Decision      ApprovalChoice  `json:"decision"`
	Scope         PermissionScope `json:"scope,omitzero"`         // where a standing choice counts; absent: the session
	Text          string          `json:"text,omitzero"`          // words that go with a decline
	ArgumentsText string          `json:"argumentsText,omitzero"` // edited arguments, with once only
	Where         []Condition     `json:"where,omitzero"`         // what the arguments of later calls must be, with tool only; it must hold of this call
}

// ElicitationAction is what a person did with a connector's question. One that
// is not known is no answer.
type ElicitationAction string

const (
	ElicitAccept  ElicitationAction = "accept"  // filled in, or the page was opened
	ElicitDecline ElicitationAction = "decline" // said no
	ElicitCancel  ElicitationAction = "cancel"  // dismissed
)

// ElicitationAnswer answers a connector's question.
type ElicitationAnswer struct {
	Action      ElicitationAction `json:"action"`
	ContentText string            `json:"contentText,omitzero"` // the form's values as JSON text, with accept only
}

// SamplingAnswer gives the model's answer or says that there will be none: one
// of the two.
type SamplingAnswer struct {
	ResultText string `json:"resultText,omitzero"` // result of MCP's sampling/createMessage as JSON text
	Declined   bool   `json:"declined,omitzero"`   // true: no answer
}

// InputAnswer gives the value that was asked for, or says that there will be
// none: one of the two.
type InputAnswer struct {
	Value     *string `json:"value,omitzero"`     // the value, which may be empty
	Cancelled bool    `json:"cancelled,omitzero"` // true: no value
}

// JoinDecision is what was decided about a program that wants to join. One that
// is not known is no answer.
type JoinDecision string

const (
	JoinAllow   JoinDecision = "allow"   // it may join, now and later
	JoinSession JoinDecision = "session" // it may join this window
	JoinNever   JoinDecision = "never"   // it may not join, and is not asked about again
	JoinDecline JoinDecision = "decline" // it may not join now
)

// JoinAnswer decides about a program that wants to join.
type JoinAnswer struct {
	Decision JoinDecision `json:"decision"`
}

// StoreDecision is what was decided about a store that could not be read. One
// that is not known is no answer.
type StoreDecision string

const (
	StoreConfirm StoreDecision = "confirm" // go on with an empty one; with unsealed, they are the user's own
	StoreLater   StoreDecision = "later"   // leave it: everything goes on asking
)

// StoreAnswer decides about a store that could not be read.
type StoreAnswer struct {
	Decision StoreDecision `json:"decision"`
}

// ParseConsentAnswer returns the answer that raw is, or an error that says why
// it is none.
func ParseConsentAnswer(raw []byte) (ConsentAnswer, error) { return parseAnswer[ConsentAnswer](raw) }

// ParseApprovalAnswer returns the answer that raw is, or an error that says why
// it is none.
func ParseApprovalAnswer(raw []byte) (ApprovalAnswer, error) {
	return parseAnswer[ApprovalAnswer](raw)
}

// ParseElicitationAnswer returns the answer that raw is, or an error that says
// why it is none.
func ParseElicitationAnswer(raw []byte) (ElicitationAnswer, error) {
	return parseAnswer[ElicitationAnswer](raw)
}

// ParseSamplingAnswer returns the answer that raw is, or an error that says why
// it is none.
func ParseSamplingAnswer(raw []byte) (SamplingAnswer, error) {
	return parseAnswer[SamplingAnswer](raw)
}

// ParseInputAnswer returns the answer that raw is, or an error that says why it
// is none.
func ParseInputAnswer(raw []byte) (InputAnswer, error) { return parseAnswer[InputAnswer](raw) }

// ParseJoinAnswer returns the answer that raw is, or an error that says why it
// is none.
func ParseJoinAnswer(raw []byte) (JoinAnswer, error) { return parseAnswer[JoinAnswer](raw) }

// ParseStoreAnswer returns the answer that raw is, or an error that says why it
// is none.
func ParseStoreAnswer(raw []byte) (StoreAnswer, error) { return parseAnswer[StoreAnswer](raw) }

// parseAnswer decodes by S16: only the exact answer is one. An unknown member
// is refused as well, because it may be a condition that narrows the yes.
func parseAnswer[A Answer](raw []byte) (A, error) {
	var none, answer A
	var members map[string]jsontext.Value
	if len(raw) == 0 {
		return none, errors.New("there is no answer")
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return none, fmt.Errorf("not an answer: %w", err)
	}
	if members == nil {
		return none, errors.New("not an answer: null")
	}
	for name, value := range members {
		if value.Kind() == jsontext.KindNull {
			return none, fmt.Errorf("not an answer: member %q is null", name)
		}
	}
	if err := json.Unmarshal(raw, &answer, json.RejectUnknownMembers(true)); err != nil {
		return none, fmt.Errorf("not an answer: %w", err)
	}
	if err := answer.checkAnswer(); err != nil {
		return none, fmt.Errorf("not an answer: %w", err)
	}
	if err := checkPresent(answer, members); err != nil {
		return none, fmt.Errorf("not an answer: %w", err)
	}
	return answer, nil
}

// checkPresent refuses a member that is there and says nothing, such as an
// empty scope: after decoding it looks like an absent one.
func checkPresent(answer Answer, members map[string]jsontext.Value) error {
	switch answer.(type) {
	case ApprovalAnswer:
		return refuseEmpty(members, "scope", "argumentsText", "where")
	case ElicitationAnswer:
		return refuseEmpty(members, "contentText")
	case SamplingAnswer:
		return refuseEmpty(members, "resultText", "declined")
	case InputAnswer:
		return refuseEmpty(members, "cancelled")
	}
	return nil
}

func refuseEmpty(members map[string]jsontext.Value, names ...string) error {
	for _, name := range names {
		if v, ok := members[name]; ok && (string(v) == `""` || string(v) == "false" || v.Kind() == '[' && string(bytes.TrimSpace(v[1:])) == "]") {
			return fmt.Errorf("member %q is %s", name, v)
		}
	}
	return nil
}

func (a ConsentAnswer) checkAnswer() error {
	if len(a.Decisions) == 0 {
		return errors.New("it decides nothing")
	}
	for connector, d := range a.Decisions {
		if !d.Known() {
			return fmt.Errorf("decision %q about connector %q is unknown", d, connector)
		}
	}
	return nil
}

// Known reports whether the decision is one of those declared here.
func (d ConsentDecision) Known() bool {
	switch d {
	case ConsentAllow, ConsentAllowFollow, ConsentLater, ConsentNever:
		return true
	}
	return false
}

// Deciding is the answer that decides the same about some of the connectors, or
// about all where none is named. A yes confirms every secret that the question
// lists for them: it is for whoever has shown those.
func (b ConsentBody) Deciding(decision ConsentDecision, connectors ...ConnectorID) ConsentAnswer {
	a := ConsentAnswer{Decisions: map[ConnectorID]ConsentDecision{}}
	for _, item := range b.Items {
		if len(connectors) > 0 && !slices.Contains(connectors, item.Connector) {
			continue
		}
		a.Decisions[item.Connector] = decision
		if !decision.allows() {
			continue
		}
		for _, secret := range item.Secrets {
			if a.Secrets == nil {
				a.Secrets = map[ConnectorID][]string{}
			}
			a.Secrets[item.Connector] = append(a.Secrets[item.Connector], secret.Name)
		}
	}
	return a
}

func (d ConsentDecision) allows() bool { return d == ConsentAllow || d == ConsentAllowFollow }

// Accepts returns why the answer does not fit the question: it names a
// connector that was not asked about, or allows one without confirming each of
// its secrets.
func (b ConsentBody) Accepts(a ConsentAnswer) error {
	for connector := range a.Decisions {
		asked := func(item ConsentItem) bool { return item.Connector == connector }
		if !slices.ContainsFunc(b.Items, asked) {
			return fmt.Errorf("connector %q was not asked about", connector)
		}
	}
	for _, item := range b.Items {
		for _, secret := range item.Secrets {
			if a.Decisions[item.Connector].allows() && !slices.Contains(a.Secrets[item.Connector], secret.Name) {
				return fmt.Errorf("the secret %q, which goes to %q, is not confirmed", secret.Name, secret.Destination)
			}
		}
	}
	return nil
}

func (a ApprovalAnswer) checkAnswer() error {
	if !a.Decision.Known() {
		return fmt.Errorf("decision %q is unknown", a.Decision)
	}
	if a.Scope != "" && !a.Scope.Known() {
		return fmt.Errorf("scope %q is unknown", a.Scope)
	}
	if a.Scope != "" && !a.Decision.Stands() {
		return fmt.Errorf("decision %q has no scope", a.Decision)
	}
	if a.ArgumentsText != "" && a.Decision != ApproveOnce {
		return errors.New("edited arguments are allowed once only") // S10
	}
	if a.Text != "" && a.Decision != ApproveDecline {
		return errors.New("words go with a decline only")
	}
	if len(a.Where) > 0 && a.Decision != ApproveTool {
		return errors.New("conditions go with always allowing one tool only")
	}
	for _, c := range a.Where {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// Known reports whether the choice is one of those declared here.
func (c ApprovalChoice) Known() bool {
	switch c {
	case ApproveDecline, ApproveOnce, ApproveSession, ApproveReadOnly, ApproveTool, ApproveConnector:
		return true
	}
	return false
}

// Stands reports whether the choice makes a permission whose scope may be
// chosen.
func (c ApprovalChoice) Stands() bool {
	switch c {
	case ApproveReadOnly, ApproveTool, ApproveConnector:
		return true
	}
	return false
}

// Known reports whether the scope is one of those declared here.
func (s PermissionScope) Known() bool {
	switch s {
	case PermissionSession, PermissionProject, PermissionUser:
		return true
	}
	return false
}

// Accepts returns why the answer does not fit the question: it is a choice or a
// scope that was not offered.
func (b ApprovalBody) Accepts(a ApprovalAnswer) error {
	if !b.offers(a.Decision) {
		return fmt.Errorf("decision %q was not offered", a.Decision)
	}
	if a.Scope != "" && !slices.Contains(b.Scopes, a.Scope) {
		return fmt.Errorf("scope %q was not offered", a.Scope)
	}
	return nil
}

func (b ApprovalBody) offers(c ApprovalChoice) bool { return slices.Contains(b.Choices, c) }

func (a ElicitationAnswer) checkAnswer() error {
	switch a.Action {
	case ElicitAccept:
		if a.ContentText == "" {
			return nil
		}
		return checkObjectText("contentText", a.ContentText)
	case ElicitDecline, ElicitCancel:
		if a.ContentText != "" {
			return errors.New("contentText goes with accept only")
		}
		return nil
	}
	return fmt.Errorf("action %q is unknown", a.Action)
}

// Accepts returns why the answer does not fit the question: accepting a form
// needs its values, and a page has none.
func (b ElicitationBody) Accepts(a ElicitationAnswer) error {
	isForm := b.URL == ""
	switch {
	case a.Action != ElicitAccept:
		return nil
	case isForm && a.ContentText == "":
		return errors.New("accepting a form needs contentText")
	case !isForm && a.ContentText != "":
		return errors.New("a page to open takes no contentText")
	}
	return nil
}

func (a SamplingAnswer) checkAnswer() error {
	if (a.ResultText == "") == !a.Declined {
		return errors.New("it must hold either resultText or declined: true")
	}
	if a.Declined {
		return nil
	}
	return checkObjectText("resultText", a.ResultText)
}

func (a InputAnswer) checkAnswer() error {
	if (a.Value == nil) == !a.Cancelled {
		return errors.New("it must hold either value or cancelled: true")
	}
	if a.Value == nil {
		return nil
	}
	return CheckInputValue(*a.Value)
}

// maxInputBytes bounds the value of an input.
const maxInputBytes = 64 << 10

// CheckInputValue returns why a value cannot be that of an input. It never holds
// the value.
func CheckInputValue(value string) error {
	switch {
	case len(value) > maxInputBytes:
		return fmt.Errorf("value has more than %d bytes", maxInputBytes)
	case strings.ContainsRune(value, 0):
		return errors.New("value holds a zero character, which no program can be given")
	}
	return nil
}

// Accepts returns why the answer does not fit the question: it is none of the
// values to choose from. It never holds the value.
func (b InputBody) Accepts(a InputAnswer) error {
	if a.Value != nil && b.Options != nil && !slices.Contains(b.Options, *a.Value) {
		return errors.New("value is none of the options")
	}
	return nil
}

func (a JoinAnswer) checkAnswer() error {
	switch a.Decision {
	case JoinAllow, JoinSession, JoinNever, JoinDecline:
		return nil
	}
	return fmt.Errorf("decision %q is unknown", a.Decision)
}

func (a StoreAnswer) checkAnswer() error {
	switch a.Decision {
	case StoreConfirm, StoreLater:
		return nil
	}
	return fmt.Errorf("decision %q is unknown", a.Decision)
}

// checkObjectText returns why text is not JSON text of one object.
func checkObjectText(name, text string) error {
	v := jsontext.Value(text)
	if !v.IsValid() || v.Kind() != jsontext.KindBeginObject {
		return fmt.Errorf("%s is not the JSON text of an object", name)
	}
	return nil
}
