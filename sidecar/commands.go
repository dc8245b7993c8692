package sidecar

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"pillion/rpc"
	"pillion/rpc/message"
)

var executeCommand = rpc.Request[protocol.ExecuteCommandParams, any]{Method: "workspace/executeCommand"}

// command acts on one workspace/executeCommand.
type command func(s *Session, ctx context.Context, arguments []jsontext.Value) (any, error)

// commands are the server commands, each with its file.
var commands = map[string]command{
	message.CommandReview.Name:           commandOf(message.CommandReview, (*Session).review),
	message.CommandStatus.Name:           commandOf(message.CommandStatus, (*Session).status),
	message.CommandDoctor.Name:           commandOf(message.CommandDoctor, (*Session).showDoctor),
	message.CommandStopAll.Name:          commandOf(message.CommandStopAll, (*Session).stopAll),
	message.CommandResume.Name:           commandOf(message.CommandResume, (*Session).resume),
	message.CommandPermissionRemove.Name: commandOf(message.CommandPermissionRemove, (*Session).removePermission),
	message.CommandAskAnswer.Name:        commandOf(message.CommandAskAnswer, (*Session).answerShown),
	message.CommandConnectorAllow.Name:   commandOf(message.CommandConnectorAllow, (*Session).allowConnector),
	message.CommandConnectorPutOff.Name:  commandOf(message.CommandConnectorPutOff, (*Session).putOffConnector),
	message.CommandConnectorDeny.Name:    commandOf(message.CommandConnectorDeny, (*Session).denyConnector),
	message.CommandConnectorTest.Name:    commandOf(message.CommandConnectorTest, (*Session).testConnector),
	message.CommandBrowserStart.Name:     commandOf(message.CommandBrowserStart, (*Session).startBrowser),
	message.CommandBrowserStop.Name:      commandOf(message.CommandBrowserStop, (*Session).stopBrowser),
	message.CommandImport.Name:           commandOf(message.CommandImport, (*Session).importFile),
	message.CommandConnectorRevoke.Name:  commandOf(message.CommandConnectorRevoke, (*Session).revokeConnector),
	message.CommandConnectorStart.Name:   commandOf(message.CommandConnectorStart, (*Session).startConnector),
	message.CommandConnectorStop.Name:    commandOf(message.CommandConnectorStop, (*Session).stopConnector),
	message.CommandConnectorRestart.Name: commandOf(message.CommandConnectorRestart, (*Session).restartConnector),
	message.CommandConnectorEnable.Name:  commandOf(message.CommandConnectorEnable, (*Session).enableConnector),
	message.CommandConnectorDisable.Name: commandOf(message.CommandConnectorDisable, (*Session).disableConnector),
	message.CommandConnectorRemove.Name:  commandOf(message.CommandConnectorRemove, (*Session).removeConnector),
	message.CommandConnectorShowLog.Name: commandOf(message.CommandConnectorShowLog, (*Session).showLog),
	message.CommandToolCall.Name:         commandOf(message.CommandToolCall, (*Session).callTool),
}

func commandOf[A, R any](c message.Command[A, R], act func(*Session, context.Context, A) (R, error)) command {
	return func(s *Session, ctx context.Context, raw []jsontext.Value) (any, error) {
		arguments, err := c.ParseArguments(raw)
		if err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s: %s", c.Name, err)
		}
		return act(s, ctx, arguments)
	}
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

func (s *Session) executeCommand(ctx context.Context, params protocol.ExecuteCommandParams) (any, error) {
	act, isKnown := commands[params.Command]
	if !isKnown {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "there is no command %q", params.Command)
	}
	s.answering.begin()
	defer s.answering.end()
	return act(s, ctx, params.Arguments)
}
