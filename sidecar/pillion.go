package sidecar

import (
	"pillion/rpc"
	"pillion/rpc/message"
)

// handlePillion registers what only the editor's own connection may ask for, on top of what every connection may.
func (s *Session) handlePillion(r *rpc.Router) {
	s.handleShared(r)
	rpc.HandleNotification(r, message.TrustChanged, s.trustChanged)
	rpc.Handle(r, message.ConnectorAdd, s.connectorAdd)
	rpc.Handle(r, message.ConnectorRemove, s.connectorRemove)
	rpc.Handle(r, message.Imports, s.imports)
	rpc.Handle(r, message.Import, s.importEntries)
	rpc.Handle(r, message.ConnectorSet, s.connectorSet)
	rpc.Handle(r, message.ToolSet, s.toolSet)
	rpc.Handle(r, message.WorkspaceSet, s.workspaceSet)
	rpc.Handle(r, message.ConsentRevoke, s.consentRevoke)
	rpc.Handle(r, message.PermissionSet, s.permissionSet)
	rpc.Handle(r, message.PermissionRemove, s.permissionRemove)
	rpc.Handle(r, message.SecretSet, s.secretSet)
	rpc.Handle(r, message.SecretRemove, s.secretRemove)
	rpc.Handle(r, message.ModeSet, s.modeSet)
}

// handleShared registers what an attached terminal may ask for as well: nothing that changes trust but an answer to a
// question that was shown to it (S6).
func (s *Session) handleShared(r *rpc.Router) {
	rpc.Handle(r, message.Connectors, s.connectors)
	rpc.Handle(r, message.ConnectorStart, s.connectorStart)
	rpc.Handle(r, message.ConnectorStop, s.connectorStop)
	rpc.Handle(r, message.ConnectorRestart, s.connectorRestart)
	rpc.Handle(r, message.Sessions, s.agentSessions)
	rpc.Handle(r, message.SessionJoin, s.agentSessionJoin)
	rpc.Handle(r, message.SessionRestart, s.agentSessionRestart)
	rpc.Handle(r, message.SessionEnd, s.agentSessionEnd)
	rpc.Handle(r, message.Consents, s.consentRecords)
	rpc.Handle(r, message.Tools, s.tools)
	rpc.Handle(r, message.ToolDetail, s.tool)
	rpc.Handle(r, message.Catalog, s.catalog)
	rpc.Handle(r, message.ToolCall, s.toolCall)
	rpc.Handle(r, message.Calls, s.calls)
	rpc.Handle(r, message.CallDetail, s.call)
	rpc.Handle(r, message.CallCancel, s.callCancel)
	rpc.Handle(r, message.ResultRead, s.resultRead)
	rpc.Handle(r, message.TaskGet, s.taskGet)
	rpc.Handle(r, message.TaskResult, s.taskResult)
	rpc.Handle(r, message.TaskCancel, s.taskCancel)
	rpc.Handle(r, message.Resources, s.resources)
	rpc.Handle(r, message.ResourceRead, s.resourceRead)
	rpc.Handle(r, message.ResourceSubscribe, s.resourceSubscribe)
	rpc.Handle(r, message.ResourceUnsubscribe, s.resourceUnsubscribe)
	rpc.Handle(r, message.Prompts, s.prompts)
	rpc.Handle(r, message.PromptGet, s.promptGet)
	rpc.Handle(r, message.Complete, s.complete)
	rpc.Handle(r, message.Permissions, s.permissions)
	rpc.Handle(r, message.Secrets, s.secrets)
	rpc.Handle(r, message.StopAll, s.stopAll)
	rpc.Handle(r, message.ModeCurrent, s.mode)
	rpc.Handle(r, message.Asks, s.asks)
	rpc.Handle(r, message.AskAnswer, s.askAnswer)
	rpc.Handle(r, message.AskShow, s.askShow)
	rpc.Handle(r, message.Why, s.why)
	rpc.HandleThen(r, message.Events, s.events)
	rpc.Handle(r, message.Doctor, s.doctor)
	rpc.Handle(r, message.AgentPrompt, s.agentPrompt)
	rpc.Handle(r, message.AgentActions, s.agentActions)
	rpc.Handle(r, message.AgentArguments, s.agentArguments)
	rpc.Handle(r, message.AgentClean, s.agentClean)
	rpc.Handle(r, message.AgentHint, s.agentHint)
}
