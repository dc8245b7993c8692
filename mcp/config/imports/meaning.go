package imports

// meaning is what a key of an entry says.
type meaning int

const (
	unknownKey meaning = iota
	theCommand
	theArguments
	theVariables
	theFolder
	theVariableFile
	theAddress
	theHTTPAddress
	theHeaders
	theTransport
	switchedOff
	switchedOn
	callMilliseconds
	callSeconds
	startMilliseconds
	startSeconds
	theDescription
	onlyTools
	withoutTools
	approvals
	signIn
	nothing
	forwardedVariables
	bearerVariable
	headerVariables
)

// meaningOf says what a key means in a format. Keys that nearly every program
// has mean the same in all of them.
func meaningOf(f Format, key string) meaning {
	if m := ownMeaning(f, key); m != unknownKey {
		return m
	}
	switch key {
	case "command":
		return theCommand
	case "args":
		return theArguments
	case "env":
		return theVariables
	case "cwd":
		return theFolder
	case "envFile":
		return theVariableFile
	case "url":
		return theAddress
	case "headers":
		return theHeaders
	case "type", "transport", "transportType":
		return theTransport
	case "disabled":
		return switchedOff
	case "enabled":
		return switchedOn
	case "timeout":
		return callMilliseconds
	case "description":
		return theDescription
	case "alwaysAllow", "autoApprove", "autoApproveTools":
		return approvals
	case "oauth", "auth", "headersHelper":
		return signIn
	}
	return unknownKey
}

// ownMeaning is what a key means in one format alone.
func ownMeaning(f Format, key string) meaning {
	switch f {
	case Zed:
		return map[string]meaning{"timeout": callSeconds, "source": nothing}[key]
	case ClaudeCode:
		return map[string]meaning{"request_timeout_ms": callMilliseconds}[key]
	case Codex:
		return map[string]meaning{
			"env_vars": forwardedVariables, "bearer_token_env_var": bearerVariable,
			"http_headers": theHeaders, "env_http_headers": headerVariables,
			"startup_timeout_sec": startSeconds, "startup_timeout_ms": startMilliseconds, "tool_timeout_sec": callSeconds,
			"enabled_tools": onlyTools, "disabled_tools": withoutTools,
			"default_tools_approval_mode": approvals, "tools": approvals, "scopes": signIn, "oauth_resource": signIn,
		}[key]
	case OpenCode:
		return map[string]meaning{"environment": theVariables}[key]
	case Windsurf:
		return map[string]meaning{"serverUrl": theHTTPAddress, "disabledTools": withoutTools}[key]
	case Gemini:
		return map[string]meaning{
			"httpUrl": theHTTPAddress, "trust": approvals, "includeTools": onlyTools, "excludeTools": withoutTools,
			"authProviderType": signIn,
		}[key]
	case MCPHub:
		return map[string]meaning{"disabled_tools": withoutTools}[key]
	}
	return unknownKey
}

// leftBehind says why a key that a format has and Pillion has not stays behind.
func leftBehind(f Format, key string) string {
	switch {
	case f == VSCode && key == "dev", f == MCPHub && key == "dev":
		return "Pillion does not restart a connector when its source changes; this stays behind"
	case f == VSCode && key == "sandboxEnabled", f == VSCode && key == "sandbox":
		return "Pillion has no sandbox of its own: the connector would run outside of one"
	case f == Zed && key == "remote":
		return "the connector runs on the machine that Pillion runs on"
	case f == Gemini && key == "tcp":
		return "Pillion does not speak WebSocket"
	case f == ClaudeCode && key == "alwaysLoad":
		return "Pillion decides by itself when a connector is started; this stays behind"
	case key == "custom_instructions", key == "disabled_resources", key == "disabled_resourceTemplates", key == "disabled_prompts":
		return "Pillion has no such setting; this stays behind"
	}
	return "Pillion does not know this key; it stays behind"
}
