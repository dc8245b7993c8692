package message

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc"
)

//pillion:section 50 Questions
//
// A question is state, not a held request: any number of windows and terminals
// see the same ones, and the first answer counts.
//
// An answer is taken or refused whole. Only the exact answer is one: null, an
// empty object, another spelling, another type or an unknown member decides
// nothing. What a consent answer does not name stays waiting.
//
// A client that does not declare a kind is asked by plain LSP: a server command
// that shows the question as a document, or window/showMessageRequest.
// Attached agents never see or answer questions.

// AskID names a question.
type AskID string

// AskKind is what is asked. One that is not known is left open: somebody else
// may know it.
type AskKind string

const (
	// AskConsent asks whether definitions from a repository may run.
	//
	//pillion:ask ConsentBody ConsentAnswer
	AskConsent AskKind = "consent"
	// AskApproval asks whether one call may run.
	//
	//pillion:ask ApprovalBody ApprovalAnswer
	AskApproval AskKind = "approval"
	// AskElicitation is a connector's question with a form.
	//
	//pillion:ask ElicitationBody ElicitationAnswer
	AskElicitation AskKind = "elicitation"
	// AskURL is a connector's question that wants a page opened.
	//
	//pillion:ask ElicitationBody ElicitationAnswer
	AskURL AskKind = "url"
	// AskSampling asks whether a connector may have the editor's model answer.
	//
	//pillion:ask SamplingBody SamplingAnswer
	AskSampling AskKind = "sampling"
	// AskInput asks for a value that a definition refers to.
	//
	//pillion:ask InputBody InputAnswer
	AskInput AskKind = "input"
	// AskJoin asks whether a program may join the window.
	//
	//pillion:ask JoinBody JoinAnswer
	AskJoin AskKind = "join"
	// AskStore asks whether to go on with a store that could not be read.
	//
	//pillion:ask StoreBody StoreAnswer
	AskStore AskKind = "store"
	// AskWiden asks whether a change that gives more is to be made.
	//
	//pillion:ask WidenBody WidenAnswer
	AskWiden AskKind = "widen"
)

// AskerKind is who wants something. One that is not known reads as agent, the
// least trusted.
type AskerKind string

const (
	AskerEditor AskerKind = "editor" // the editor's user
	AskerAgent  AskerKind = "agent"  // an attached agent
	AskerCLI    AskerKind = "cli"    // a terminal
)

// Asker is whose action led to a question.
type Asker struct {
	Kind    AskerKind `json:"kind"`
	Name    string    `json:"name,omitzero"`    // what it calls itself, a claim
	Program string    `json:"program,omitzero"` // path of its program, from the kernel
	PID     int       `json:"pid,omitzero"`     // its process id, from the kernel
}

// Ask is one open question.
type Ask struct {
	AskID     AskID          `json:"askId"`
	Kind      AskKind        `json:"kind"`
	At        time.Time      `json:"at"`                 // when it was opened
	Deadline  time.Time      `json:"deadline,omitzero"`  // when it expires by itself, if it does
	CallID    CallID         `json:"callId,omitzero"`    // call that waits for it
	SessionID SessionID      `json:"sessionId,omitzero"` // session that it belongs to
	Asker     Asker          `json:"asker"`
	Body      jsontext.Value `json:"body" wire:"AskBody"` // what is asked, of the shape that the kind says
}

// AskBody is what a question asks, one shape for each kind.
//
//pillion:union body
type AskBody interface {
	// askKind is the kind of question that the body makes.
	askKind() AskKind
}

func (ConsentBody) askKind() AskKind  { return AskConsent }
func (ApprovalBody) askKind() AskKind { return AskApproval }
func (SamplingBody) askKind() AskKind { return AskSampling }
func (InputBody) askKind() AskKind    { return AskInput }
func (JoinBody) askKind() AskKind     { return AskJoin }
func (StoreBody) askKind() AskKind    { return AskStore }
func (WidenBody) askKind() AskKind    { return AskWiden }
func (b ElicitationBody) askKind() AskKind {
	if b.URL != "" {
		return AskURL
	}
	return AskElicitation
}

// SetBody sets the kind and the body.
func (a *Ask) SetBody(body AskBody) error {
	text, err := rpc.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode body of %s question: %w", body.askKind(), err)
	}
	a.Kind, a.Body = body.askKind(), text
	return nil
}

// ParseBody returns the body in the shape that the kind says.
func (a Ask) ParseBody() (AskBody, error) {
	switch a.Kind {
	case AskConsent:
		return parseBody[ConsentBody](a)
	case AskApproval:
		return parseBody[ApprovalBody](a)
	case AskElicitation, AskURL:
		return parseBody[ElicitationBody](a)
	case AskSampling:
		return parseBody[SamplingBody](a)
	case AskInput:
		return parseBody[InputBody](a)
	case AskJoin:
		return parseBody[JoinBody](a)
	case AskStore:
		return parseBody[StoreBody](a)
	case AskWiden:
		return parseBody[WidenBody](a)
	}
	return nil, fmt.Errorf("question %q is of the unknown kind %q", a.AskID, a.Kind)
}

func parseBody[B AskBody](a Ask) (AskBody, error) {
	var body B
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return nil, fmt.Errorf("decode body of %s question %q: %w", a.Kind, a.AskID, err)
	}
	if body.askKind() != a.Kind {
		return nil, fmt.Errorf("decode body of %s question %q: it is that of a %s question", a.Kind, a.AskID, body.askKind())
	}
	return body, nil
}

// ConsentReason is why consent is asked for. One that is not known reads as
// new.
type ConsentReason string

const (
	ConsentNew     ConsentReason = "new"     // never decided here
	ConsentChanged ConsentReason = "changed" // an earlier definition was allowed
)

// ConsentBody asks about every definition that waits, in one question.
type ConsentBody struct {
	Items []ConsentItem `json:"items"`
}

// ConsentItem is one definition that waits.
type ConsentItem struct {
	Root           URI             `json:"root"` // workspace folder that the answer counts in
	Connector      ConnectorID     `json:"connector"`
	Name           string          `json:"name"` // its name in the file
	URI            URI             `json:"uri"`  // file that defines it
	Hash           string          `json:"hash"` // hash of exactly this definition
	Reason         ConsentReason   `json:"reason"`
	DefinitionText string          `json:"definitionText"` // the entry as the file has it
	Shown          ShownDefinition `json:"shown"`
	Changes        []Change        `json:"changes,omitzero"` // what differs from the definition that was allowed
	Warnings       []string        `json:"warnings"`         // what a person should look at twice
	Secrets        []ConsentSecret `json:"secrets,omitzero"` // what a yes hands over to where it has not gone before; the answer names each
}

// ConsentSecret is a secret of the user's that a definition hands on.
type ConsentSecret struct {
	Name        string `json:"name"`        // the variable that holds it
	Destination string `json:"destination"` // program or host that is given it, as the file writes it
}

// ShownDefinition is a definition for a person to read: every value as it is
// written, references not expanded.
type ShownDefinition struct {
	Command string            `json:"command,omitzero"` // program of a connector that is a process
	Args    []string          `json:"args,omitzero"`    // its arguments
	Cwd     string            `json:"cwd,omitzero"`     // folder that it runs in
	Env     map[string]string `json:"env,omitzero"`     // variables that it is given
	URL     string            `json:"url,omitzero"`     // address of a connector that is reached over HTTP
	Headers map[string]string `json:"headers,omitzero"` // headers that are sent to it
	Reads   []string          `json:"reads"`            // variables of the user's environment that the values refer to
	Files   []NamedFile       `json:"files"`            // files of the workspace that belong to what is allowed
}

// NamedFile is a file of the workspace that belongs to what is allowed.
type NamedFile struct {
	Path    string `json:"path"`            // below the workspace folder
	SHA256  string `json:"sha256"`          // of its content, in hexadecimal, or words that say why there is none
	Changed bool   `json:"changed"`         // whether it differs from what was allowed
	Steers  bool   `json:"steers,omitzero"` // whether the definition does not name it, but runners such as npx read it
}

// ApprovalChoice is an answer to an approval. One that is not known is not
// offered, and as an answer decides nothing.
type ApprovalChoice string

const (
	ApproveDecline   ApprovalChoice = "decline"   // no
	ApproveOnce      ApprovalChoice = "once"      // this call
	ApproveSession   ApprovalChoice = "session"   // this tool, for the session
	ApproveReadOnly  ApprovalChoice = "readOnly"  // the read-only tools of this connector
	ApproveTool      ApprovalChoice = "tool"      // always this tool
	ApproveConnector ApprovalChoice = "connector" // always the tools that this connector has now
)

// PermissionScope is where a standing permission counts. One that is not known
// is refused.
type PermissionScope string

const (
	PermissionSession PermissionScope = "session" // until the session ends
	PermissionProject PermissionScope = "project" // in this workspace folder
	PermissionUser    PermissionScope = "user"    // everywhere; connectors of the user's file only
)

// ApprovalBody asks about one call.
type ApprovalBody struct {
	Tool          Tool              `json:"tool"`
	Method        string            `json:"method,omitzero"` // MCP method that is asked for, where it is no call of a tool, or pillion/browser/start, or pillion/browser/attach: the tool only names it then
	ArgumentsText string            `json:"argumentsText"`   // exactly what will be sent
	Reason        string            `json:"reason"`          // why it asks, as a sentence
	Choices       []ApprovalChoice  `json:"choices"`         // what may be answered, the safest first
	Scopes        []PermissionScope `json:"scopes"`          // scopes that a standing choice may have, the narrowest first
}

// ElicitationBody is a question of a connector, never of Pillion: with a form
// where there is a schema, with a page to open where there is a url. A field
// that is left out takes its default. To accept a page is to have opened it, in
// the system's browser, after showing its whole address.
type ElicitationBody struct {
	Connector  ConnectorID `json:"connector"`
	Name       string      `json:"name"`                // the connector's name in its file
	Message    string      `json:"message"`             // the connector's own words
	SchemaText string      `json:"schemaText,omitzero"` // JSON Schema of the form, as received
	URL        string      `json:"url,omitzero"`        // page to open, as received
}

// SamplingBody shows what a connector would have the editor's model answer. It
// is asked of clients alone that declare the kind; no context is included.
type SamplingBody struct {
	Connector  ConnectorID `json:"connector"`
	Name       string      `json:"name"`       // the connector's name in its file
	ParamsText string      `json:"paramsText"` // params of MCP's sampling/createMessage, as received
}

// InputBody asks for a value that a definition refers to as ${input:id}. A
// client that does not declare the kind is told of the question and never asked
// for the value: it would show it while it is typed, or keep it in a document.
type InputBody struct {
	Connector   ConnectorID `json:"connector,omitzero"`
	ID          string      `json:"id"`               // the id in the reference
	Description string      `json:"description"`      // what is asked for, in the file's words
	Secret      bool        `json:"secret"`           // whether it is hidden while typed and kept in the secret store
	Options     []string    `json:"options,omitzero"` // values to choose from
	Default     string      `json:"default,omitzero"` // value that is offered
	Destination string      `json:"destination"`      // program or host that is given the value, as the file writes it
}

// JoinBody asks whether a program may join the window.
type JoinBody struct {
	Program     string `json:"program"`     // path of its program, from the kernel
	PID         int    `json:"pid"`         // its process id, from the kernel
	Parent      string `json:"parent"`      // program of its parent process, from the kernel
	ClaimedName string `json:"claimedName"` // what it calls itself
}

// StoreBody asks whether to go on with a store of decisions that could not be
// read. Until it is confirmed, everything asks. With unsealed it asks whether
// those decisions are the user's own: until it is confirmed, they alone do not
// count.
type StoreBody struct {
	File     string `json:"file"`              // path of the store
	SetAside string `json:"setAside,omitzero"` // where what was there has been put
	Reason   string `json:"reason"`            // what is wrong with it, as a sentence
	// The decisions that nothing shows to be Pillion's as they stand, a line each;
	// foreign text is in quotes.
	Unsealed []string `json:"unsealed,omitzero"`
}

// AsksResult lists every open question.
type AsksResult struct {
	Rev  int   `json:"rev"`  // counts the changes; compare with that of [AsksChanged]
	Asks []Ask `json:"asks"` // the oldest first
}

// AskClosing is how a question ended. One that is not known reads as withdrawn.
type AskClosing string

const (
	AskAnswered  AskClosing = "answered"  // somebody answered it
	AskWithdrawn AskClosing = "withdrawn" // what it was about has gone
	AskExpired   AskClosing = "expired"   // its deadline passed
)

// ClosedAsk is a question that ended.
type ClosedAsk struct {
	AskID AskID      `json:"askId"`
	How   AskClosing `json:"how"`
	By    string     `json:"by,omitzero"` // who answered
}

// AsksChangedParams says which questions are new and which have ended.
type AsksChangedParams struct {
	Rev    int         `json:"rev"` // one more than the last; a gap means ask again
	Opened []Ask       `json:"opened"`
	Closed []ClosedAsk `json:"closed"`
}

// AskAnswerParams answers one question.
type AskAnswerParams struct {
	AskID  AskID          `json:"askId"`
	Answer jsontext.Value `json:"answer" wire:"Answer"` // of the shape that the question's kind says
}

// AskAnswerResult says whether the answer was taken.
type AskAnswerResult struct {
	Accepted bool   `json:"accepted"`        // whether it decided the question
	Reason   string `json:"reason,omitzero"` // why it did not: not an answer, too late, or who answered first
}

// AskShowParams says which question to raise: about a change that is wanted, or
// about one connector; without either about all that wait, and the stores of
// decisions that were put off.
type AskShowParams struct {
	Connector ConnectorRef  `json:"connector,omitzero"`
	Change    *WantedChange `json:"change,omitzero"`
}

// Check returns what is wrong with the params, as a sentence for -32602.
func (p AskShowParams) Check() error {
	switch {
	case p.Change == nil:
		return nil
	case p.Connector != "":
		return errors.New("a question is about connector or about change, not both")
	}
	return p.Change.Check()
}

// AskShowResult names the question that was raised.
type AskShowResult struct {
	AskID *AskID `json:"askId"` // null where nothing waits, or the change gives nothing more
}

// Asks lists every open question.
//
//pillion:people
var Asks = rpc.Request[Empty, AsksResult]{Method: "pillion/asks"}

// AskAnswer answers a question. A late answer, or one that is none, is refused
// and says why.
//
//pillion:people
var AskAnswer = rpc.Request[AskAnswerParams, AskAnswerResult]{Method: "pillion/ask/answer"}

// AskShow raises the question for what waits, or for a change that is wanted,
// and answers at once. It changes nothing.
//
//pillion:people
var AskShow = rpc.Request[AskShowParams, AskShowResult]{Method: "pillion/ask/show"}

// AsksChanged tells which questions are new and which have ended.
var AsksChanged = rpc.Event[AsksChangedParams]{Method: "pillion/asksChanged"}
