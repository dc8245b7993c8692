package sidecar

import (
	"pillion/mcp/host"
	"pillion/rpc/message"
)

// What a host says, in the messages of the protocol: for a program that hosts connectors by itself and shows them as a
// window would.

// ConnectorMessage is a connector, without its place in the file.
func ConnectorMessage(c host.Connector) message.Connector { return (&Session{}).wireConnector(c) }

// ToolMessage is a tool, as much of it as detail says.
func ToolMessage(t host.Tool, detail message.ToolDetailLevel) message.Tool {
	return wireTool(t, detail)
}

// ResultMessage is what came of a call, in the forms that includes asks for.
func ResultMessage(r host.Result, includes func(message.CallPart) bool) message.CallResult {
	return wireResult(r, includes)
}

// ConsentMessage is the question whether definitions may run.
func ConsentMessage(waiting []host.Permission) message.ConsentBody {
	return (&Session{}).consentBody(waiting)
}

// ApprovalMessage is the question whether a call may run, and ApprovalDecision what an answer to it means to the host.
func ApprovalMessage(a host.Approval) message.ApprovalBody { return approvalBody(a) }

// ApprovalDecision is the judgement that an answer is; by says who answered.
func ApprovalDecision(answer message.ApprovalAnswer, by string) host.ApprovalAnswer {
	return approvalAnswer(answer, by)
}
