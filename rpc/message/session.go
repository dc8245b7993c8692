package message

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 15 Session
//
// What an editor and Pillion tell each other at initialize. Nothing of it is
// required: a client that declares nothing is served as plain LSP.

// SettingsSection is the section of workspace/configuration that [Settings]
// stand in.
const SettingsSection = "pillion"

// CapabilityName is the member of capabilities.experimental, on both sides,
// that holds [ClientCapability] and [ServerCapability].
const CapabilityName = "pillion"

// ClientCapability is what a client declares in
// capabilities.experimental.pillion.
type ClientCapability struct {
	Protocol []int     `json:"protocol"`        // versions of this protocol that it speaks
	Asks     []AskKind `json:"asks"`            // kinds of question that it answers itself
	Events   bool      `json:"events,omitzero"` // whether it wants the stream of events
}

// ServerCapability is what Pillion answers in
// capabilities.experimental.pillion.
type ServerCapability struct {
	Protocol int            `json:"protocol"` // version of this protocol that is spoken
	Version  string         `json:"version"`  // Pillion's version
	Window   string         `json:"window"`   // names this window among those of the machine
	Attach   AttachEndpoint `json:"attach"`
}

// AttachEndpoint is where other programs join the window.
type AttachEndpoint struct {
	Socket string `json:"socket"` // path of the socket, or name of the pipe; empty where there is none
}

// AskManner says how a client without a question view of its own is asked. One
// that is not known reads as command.
type AskManner string

const (
	AskOnCommand AskManner = "command" // only in answer to the user's own command or action
	AskByPrompt  AskManner = "prompt"  // at once, by window/showMessageRequest
)

// NotificationLevel says which messages are shown unasked. One that is not
// known reads as questions.
type NotificationLevel string

const (
	NotifyQuestions NotificationLevel = "questions" // that something needs an answer
	NotifyAll       NotificationLevel = "all"       // that, and what went well or wrong
	NotifyNone      NotificationLevel = "none"      // nothing
)

// Settings are what the editor's own settings may say. They come in
// initializationOptions and in the section pillion of workspace/configuration.
type Settings struct {
	Ask           AskManner         `json:"ask,omitzero"`           // absent: command
	Notifications NotificationLevel `json:"notifications,omitzero"` // absent: questions
}

// InitializationOptions is what an editor may send with initialize, beside
// [Settings].
type InitializationOptions struct {
	Trusted       *bool             `json:"trusted,omitzero"`       // false: the workspace is not trusted, connectors of the project wait
	Ask           AskManner         `json:"ask,omitzero"`           // absent: command
	Notifications NotificationLevel `json:"notifications,omitzero"` // absent: questions
}

// IsTrusted reports whether nothing says that the workspace is not trusted.
// Trust never replaces consent.
func (o InitializationOptions) IsTrusted() bool { return o.Trusted == nil || *o.Trusted }

// Settings returns the part that workspace/configuration may change later.
func (o InitializationOptions) Settings() Settings {
	return Settings{Ask: o.Ask, Notifications: o.Notifications}
}

// ParseInitializationOptions reads what an editor sent, member by member: one
// that is not of its type is told in faults and takes its safe value, so that a
// mistyped setting neither ends the session nor widens anything. Absent options
// and null are empty ones; all members of the result have known values.
func ParseInitializationOptions(raw []byte) (options InitializationOptions, faults []error) {
	members, err := parseMembers(raw)
	if err != nil {
		untrusted := false
		options.Trusted = &untrusted
		faults = append(faults, fmt.Errorf("initializationOptions: %w", err))
	}
	if value, ok := members["trusted"]; ok && value.Kind() != jsontext.KindNull {
		trusted := string(value) == "true"
		if !trusted && string(value) != "false" {
			faults = append(faults, fmt.Errorf("initializationOptions: trusted is %s, not true or false: read as false", value.Kind()))
		}
		options.Trusted = &trusted
	}
	settings, more := parseSettings(members, "initializationOptions")
	options.Ask, options.Notifications = settings.Ask, settings.Notifications
	return options, append(faults, more...)
}

// ParseSettings reads the section pillion of workspace/configuration, as
// [ParseInitializationOptions] does.
func ParseSettings(raw []byte) (settings Settings, faults []error) {
	members, err := parseMembers(raw)
	if err != nil {
		faults = append(faults, fmt.Errorf("settings: %w", err))
	}
	settings, more := parseSettings(members, "settings")
	return settings, append(faults, more...)
}

func parseMembers(raw []byte) (map[string]jsontext.Value, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(raw, &members)
	return members, err
}

func parseSettings(members map[string]jsontext.Value, where string) (Settings, []error) {
	var faults []error
	ask, err := parseEnum(members, "ask", AskOnCommand, AskByPrompt)
	if err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", where, err))
	}
	level, err := parseEnum(members, "notifications", NotifyQuestions, NotifyAll, NotifyNone)
	if err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", where, err))
	}
	return Settings{Ask: ask, Notifications: level}, faults
}

// parseEnum returns the member's value, or the first of the known ones where it
// is absent or not one of them.
func parseEnum[E ~string](members map[string]jsontext.Value, name string, known ...E) (E, error) {
	value, ok := members[name]
	if !ok || value.Kind() == jsontext.KindNull {
		return known[0], nil
	}
	var e E
	if err := json.Unmarshal(value, &e); err != nil || !slices.Contains(known, e) {
		return known[0], fmt.Errorf("%s is none of %q: read as %q", name, known, known[0])
	}
	return e, nil
}

// ParseClientCapability reads a client's capabilities.experimental. It reports
// false where the client declares nothing that Pillion understands: such a
// client is served as plain LSP.
func ParseClientCapability(experimental []byte) (ClientCapability, bool) {
	members, err := parseMembers(experimental)
	if err != nil {
		return ClientCapability{}, false
	}
	var c ClientCapability
	if raw := members[CapabilityName]; raw.Kind() != jsontext.KindBeginObject || json.Unmarshal(raw, &c) != nil {
		return ClientCapability{}, false
	}
	if !slices.Contains(c.Protocol, ProtocolVersion) {
		return ClientCapability{}, false
	}
	return c, true
}

// Answers reports whether the client declared that it answers this kind of
// question itself.
func (c ClientCapability) Answers(kind AskKind) bool { return slices.Contains(c.Asks, kind) }

// TrustChangedParams says whether the workspace is trusted now.
type TrustChangedParams struct {
	Trusted bool `json:"trusted"` // false, or absent: connectors of the project wait
}

// TrustChanged tells that the user trusts the workspace, or no longer does.
//
//pillion:people
var TrustChanged = rpc.Notification[TrustChangedParams]{Method: "pillion/trustChanged"}
