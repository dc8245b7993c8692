package message

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//pillion:section 80 Server commands
//
// Commands of workspace/executeCommand, for clients without a plugin. Each is
// useful without arguments, which some editors cannot send: with one candidate
// it acts, with several it opens a document whose code actions carry the name.
//
// A command that may wait answers { callId } at once; what came of it opens as
// a file: document where the client shows documents, and is otherwise a message
// with the path, first, and its beginning.

// Command is one server command: A its arguments, in the order of A's fields,
// and R what it answers.
//
//pillion:go
type Command[A, R any] struct {
	Name string
}

// ParseArguments decodes the arguments of a workspace/executeCommand. Those
// that are missing or null keep their zero value; more than there are fields
// are ignored. An error is a sentence for -32602.
func (c Command[A, R]) ParseArguments(raw []jsontext.Value) (A, error) {
	var arguments A
	fields := reflect.ValueOf(&arguments).Elem()
	for i := range min(fields.NumField(), len(raw)) {
		if raw[i].Kind() == jsontext.KindNull {
			continue
		}
		if err := json.Unmarshal(raw[i], fields.Field(i).Addr().Interface()); err != nil {
			return *new(A), fmt.Errorf("argument %d of %s: %w", i+1, c.Name, err)
		}
	}
	return arguments, nil
}

// FormatArguments encodes arguments for a command that Pillion offers.
func (c Command[A, R]) FormatArguments(arguments A) ([]jsontext.Value, error) {
	fields := reflect.ValueOf(arguments)
	raw := make([]jsontext.Value, fields.NumField())
	for i := range raw {
		text, err := json.Marshal(fields.Field(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("encode argument %d of %s: %w", i+1, c.Name, err)
		}
		raw[i] = text
	}
	return raw, nil
}

// ConnectorArguments names a connector, or leaves it to the command to find or
// ask which.
type ConnectorArguments struct {
	Connector ConnectorRef `json:"connector,omitzero"`
}

// AskAnswerArguments answers a question from the document that shows it. All
// three are needed.
type AskAnswerArguments struct {
	AskID  AskID          `json:"askId"`
	Answer jsontext.Value `json:"answer" wire:"Answer"` // of the shape that the question's kind says
	Hash   string         `json:"hash"`                 // hash of what the document shows; another one is refused
}

// Check returns what is wrong with the arguments, as a sentence for -32602.
func (a AskAnswerArguments) Check() error {
	if a.AskID == "" || len(a.Answer) == 0 || a.Hash == "" {
		return errors.New("askId, answer and hash are all needed: use the actions of the document that shows the question")
	}
	return nil
}

// ToolCallArguments says what to call. Without arguments a document opens in
// which they are written.
type ToolCallArguments struct {
	Tool      ToolRef        `json:"tool,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero" wire:"object"` // the tool's arguments; an empty list is an empty object
}

// Check returns what is wrong with the arguments, as a sentence for -32602.
func (a ToolCallArguments) Check() error {
	return checkArguments(a.Arguments)
}

// ArgumentBytes returns the tool's arguments as they were sent, and an empty
// object where there are none.
func (a ToolCallArguments) ArgumentBytes() []byte { return argumentBytes(a.Arguments) }

// PermissionArguments names a rule, or leaves it to the command to find or ask
// which.
type PermissionArguments struct {
	ID RuleID `json:"id,omitzero"`
}

// ImportArguments name a file that pillion/imports lists.
type ImportArguments struct {
	URI   URI      `json:"uri,omitzero"`
	Names []string `json:"names,omitzero"` // which of its connectors; all of them where there are none
}

// CommandStarted is the answer of a command that may wait.
type CommandStarted struct {
	CallID CallID `json:"callId"`
}

// CommandReview shows what waits for permission or is asked.
var CommandReview = Command[Empty, Empty]{Name: "pillion.server.review"}

// CommandAskAnswer answers a question. It is offered only in the document that
// shows the exact definition or call.
//
//pillion:people
var CommandAskAnswer = Command[AskAnswerArguments, AskAnswerResult]{Name: "pillion.server.ask.answer"}

// CommandConnectorStart starts a connector.
var CommandConnectorStart = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.start"}

// CommandConnectorStop ends a connector's processes.
var CommandConnectorStop = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.stop"}

// CommandConnectorRestart ends a connector's processes and starts it.
var CommandConnectorRestart = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.restart"}

// CommandConnectorEnable switches a connector on for the user, in no file. For
// one that a file or a profile has off it opens the question.
//
//pillion:people
var CommandConnectorEnable = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.enable"}

// CommandConnectorDisable switches a connector off for the user, in no file.
//
//pillion:people
var CommandConnectorDisable = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.disable"}

// CommandConnectorRemove removes a connector's entry from its file.
//
//pillion:people
var CommandConnectorRemove = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.remove"}

// CommandConnectorShowLog opens a connector's log.
var CommandConnectorShowLog = Command[ConnectorArguments, Empty]{Name: "pillion.server.connector.showLog"}

// CommandConnectorAllow shows the question whether a connector may run. It
// never allows unseen.
//
//pillion:people
var CommandConnectorAllow = Command[ConnectorArguments, Empty]{Name: "pillion.server.connector.allow"}

// CommandConnectorPutOff says not now: a connector that waits for permission is
// asked about no more until its definition changes or the user acts.
//
//pillion:people
var CommandConnectorPutOff = Command[ConnectorArguments, Empty]{Name: "pillion.server.connector.putOff"}

// CommandConnectorDeny says never: a connector that waits for permission does
// not run here, whatever its definition.
//
//pillion:people
var CommandConnectorDeny = Command[ConnectorArguments, Empty]{Name: "pillion.server.connector.deny"}

// CommandConnectorTest starts a connector that may run, and says whether it
// answers, how long that took and what it offers.
var CommandConnectorTest = Command[ConnectorArguments, CommandStarted]{Name: "pillion.server.connector.test"}

// CommandImport writes the entries of another program's file into the project's
// or the user's own file, as pillion/import does, and opens a report of what
// could not be carried over. Without a file the files that are there are listed.
//
//pillion:people
var CommandImport = Command[ImportArguments, Empty]{Name: "pillion.server.import"}

// CommandConnectorRevoke takes every decision about a connector back: it is
// stopped if it runs, and waits again.
//
//pillion:people
var CommandConnectorRevoke = Command[ConnectorArguments, Empty]{Name: "pillion.server.connector.revoke"}

// CommandToolCall calls a tool.
var CommandToolCall = Command[ToolCallArguments, CommandStarted]{Name: "pillion.server.tool.call"}

// CommandStatus shows every connector, its state and what to do about it.
var CommandStatus = Command[Empty, Empty]{Name: "pillion.server.status"}

// CommandDoctor shows what is not as it should be, and what to do about it.
var CommandDoctor = Command[Empty, Empty]{Name: "pillion.server.doctor"}

// CommandPermissionRemove takes one standing permission back; for a refusal it
// opens the question. They are listed by [CommandStatus].
//
//pillion:people
var CommandPermissionRemove = Command[PermissionArguments, Empty]{Name: "pillion.server.permission.remove"}

// CommandBrowserStart starts the browser of the window's own session, asking
// first where that was not allowed.
var CommandBrowserStart = Command[Empty, CommandStarted]{Name: "pillion.server.browser.start"}

// CommandBrowserStop ends it.
var CommandBrowserStop = Command[Empty, CommandStarted]{Name: "pillion.server.browser.stop"}

// CommandResume asks whether calls are to run again after [CommandStopAll], as
// the rules say.
//
//pillion:people
var CommandResume = Command[Empty, Empty]{Name: "pillion.server.resume"}

// CommandStopAll cancels every call, ends every connector and pauses: nothing
// runs until [CommandResume].
var CommandStopAll = Command[Empty, Empty]{Name: "pillion.server.stopAll"}
