package message

//pillion:section 55 Questions in plain LSP
//
// Questions by window/showMessageRequest come only in answer to the user's own
// command or action, unless the setting ask is prompt. The safest answer stands
// first, and the titles are exactly these. Null, an unknown title or an error
// decides nothing. A client that refuses the request gets the question as a
// document.

// Title is the title of an answer in a window/showMessageRequest. One that is
// not known decides nothing.
type Title string

const (
	TitleNotNow          Title = "Not now"                // consent: later
	TitleNever           Title = "Never"                  // consent: never
	TitleAllow           Title = "Allow"                  // consent: allow
	TitleDecline         Title = "Decline"                // approval: decline
	TitleAllowOnce       Title = "Allow once"             // approval: once
	TitleAllowSession    Title = "Allow for session"      // approval: session
	TitleAllowReadOnly   Title = "Allow read-only tools"  // approval: readOnly
	TitleAlwaysTool      Title = "Always allow tool"      // approval: tool
	TitleAlwaysConnector Title = "Always allow connector" // approval: connector
)

// ConsentTitles returns the titles of a consent question, the safest first.
func ConsentTitles() []Title { return []Title{TitleNotNow, TitleNever, TitleAllow} }

// Consent returns the decision that the title stands for in a consent question.
func (t Title) Consent() (ConsentDecision, bool) {
	switch t {
	case TitleNotNow:
		return ConsentLater, true
	case TitleNever:
		return ConsentNever, true
	case TitleAllow:
		return ConsentAllow, true
	}
	return "", false
}

// Approval returns the choice that the title stands for in an approval.
func (t Title) Approval() (ApprovalChoice, bool) {
	for _, choice := range approvalOrder() {
		if title, _ := choice.Title(); title == t {
			return choice, true
		}
	}
	return "", false
}

// Title returns the title of the choice, if it is one of those declared here.
func (c ApprovalChoice) Title() (Title, bool) {
	switch c {
	case ApproveDecline:
		return TitleDecline, true
	case ApproveOnce:
		return TitleAllowOnce, true
	case ApproveSession:
		return TitleAllowSession, true
	case ApproveReadOnly:
		return TitleAllowReadOnly, true
	case ApproveTool:
		return TitleAlwaysTool, true
	case ApproveConnector:
		return TitleAlwaysConnector, true
	}
	return "", false
}

// approvalOrder is every choice, the safest first.
func approvalOrder() []ApprovalChoice {
	return []ApprovalChoice{ApproveDecline, ApproveOnce, ApproveSession, ApproveReadOnly, ApproveTool, ApproveConnector}
}

// Titles returns the titles of what the question offers, the safest first,
// whatever order the choices stand in.
func (b ApprovalBody) Titles() []Title {
	titles := []Title{}
	for _, choice := range approvalOrder() {
		if b.offers(choice) {
			title, _ := choice.Title()
			titles = append(titles, title)
		}
	}
	return titles
}
