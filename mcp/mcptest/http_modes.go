package mcptest

// HTTPModes lists what the mode of an [HTTP] may be made of besides those of [Modes]. METHOD is a JSON-RPC method, or * for
// every POST.
func HTTPModes() []Mode {
	return append(httpAnswerModes(), httpSessionModes()...)
}

func httpAnswerModes() []Mode {
	return []Mode{
		{"sse", "", "answers requests with event streams"},
		{"style", "crlf|cr|bom|comments|twolines|split|bare|unended|charset", "writes event streams so"},
		{"status", "METHOD:CODE", "answers METHOD with that HTTP status"},
		{"statusonce", "METHOD:CODE", "the same, the first time"},
		{"retryafter", "SECONDS", "sends Retry-After with every status of an error"},
		{"say", "TEXT", "has TEXT as the body of every status of an error"},
		{"rpcstatus", "METHOD:CODE", "answers METHOD with that HTTP status and a JSON-RPC error"},
		{"html", "METHOD", "answers METHOD with a web page"},
		{"type", "METHOD:TYPE", "answers METHOD with that Content-Type; none where it is \"none\""},
		{"empty", "METHOD", "answers METHOD with 202 and nothing"},
		{"drop", "METHOD", "closes the connection in place of an answer to METHOD"},
		{"half", "METHOD", "sends half of the answer to METHOD and closes the connection"},
		{"hang", "METHOD", "takes METHOD and sends nothing"},
		{"loris", "METHOD", "sends the answer to METHOD a byte every 50 ms"},
		{"endless", "METHOD", "answers METHOD with an event stream of comments without end"},
		{"redirect", "METHOD:CODE:TARGET", "answers METHOD with a redirect to TARGET, a path or an address; what comes to another path than /mcp is answered"},
		{"redirectloop", "CODE", "redirects every POST to another path of its own, without end"},
	}
}

func httpSessionModes() []Mode {
	return []Mode{
		{"auth", "VALUE", "answers 401, without a challenge, to whoever does not send the header Authorization: VALUE"},
		{"session", "", "opens a session with initialize, and answers 404 to who names another and 400 to who names none"},
		{"session400", "", "the same, with 400 and words in place of 404"},
		{"strictversion", "", "answers 400 to requests after initialize whose Mcp-Protocol-Version is not as agreed, and to an initialize that has one"},
		{"get", "CODE", "answers GET with that status; it is 405 otherwise"},
		{"getstream", "", "keeps the stream of a GET open"},
		{"getdrop", "", "opens the stream of a GET and closes it at once"},
		{"gethang", "", "takes a GET and sends nothing"},
		{"resume", "N", "begins the answer to tools/call with an event that has an id and retry: 200 alone, and gives it to the Nth GET that names the id"},
		{"deletehang", "", "takes a DELETE and sends nothing"},
		{"oldsse", "[ORIGIN]", "speaks HTTP with server-sent events: the stream of a GET names where to post, at ORIGIN where one is given, and POSTs to /mcp get 405"},
	}
}
