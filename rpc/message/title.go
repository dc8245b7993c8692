package message

import "slices"

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
	TitleNotNow          Title = "Not now"                                // consent: later
	TitleNever           Title = "Never"                                  // consent, join: never
	TitleAllow           Title = "Allow"                                  // consent, join: allow
	TitleAllowFollow     Title = "Allow, and follow changes to the files" // consent: allowFollow
	TitleDecline         Title = "Decline"                                // approval, join: decline
	TitleAllowOnce       Title = "Allow once"                             // approval: once
	TitleAllowSession    Title = "Allow for session"                      // approval, join: session
	TitleAllowReadOnly   Title = "Allow read-only tools"                  // approval: readOnly
	TitleAlwaysTool      Title = "Always allow tool"                      // approval: tool
	TitleAlwaysConnector Title = "Always allow connector"                 // approval: connector
	TitleDismiss         Title = "Dismiss"                                // elicitation, url: cancel
	TitleSend            Title = "Send"                                   // elicitation, in the document that holds the form: accept
	TitleOpen            Title = "Open the page"                          // url: accept
	TitleKeep            Title = "Keep as it is"                          // widen: keep
	TitleMake            Title = "Make the change"                        // widen: make
)

// Titles returns the titles of the question, the safest first. To follow changes is offered where there are files to follow.
func (b ConsentBody) Titles() []Title {
	titles := []Title{TitleNotNow, TitleNever, TitleAllow}
	if slices.ContainsFunc(b.Items, func(item ConsentItem) bool { return len(item.Shown.Files) > 0 }) {
		titles = append(titles, TitleAllowFollow)
	}
	return titles
}

// Titles returns the titles of the question, the safest first. To send a form is offered in the document alone that it is
// filled in.
func (b ElicitationBody) Titles() []Title {
	if b.URL != "" {
		return []Title{TitleDecline, TitleDismiss, TitleOpen}
	}
	return []Title{TitleDecline, TitleDismiss}
}

// Elicitation returns what the title does with a connector's own question.
func (t Title) Elicitation() (ElicitationAction, bool) {
	switch t {
	case TitleDecline:
		return ElicitDecline, true
	case TitleDismiss:
		return ElicitCancel, true
	case TitleOpen:
		return ElicitAccept, true
	}
	return "", false
}

// Consent returns the decision that the title stands for in a consent question.
func (t Title) Consent() (ConsentDecision, bool) {
	switch t {
	case TitleNotNow:
		return ConsentLater, true
	case TitleNever:
		return ConsentNever, true
	case TitleAllow:
		return ConsentAllow, true
	case TitleAllowFollow:
		return ConsentAllowFollow, true
	}
	return "", false
}

// Titles returns the titles of the question, the safest first.
func (JoinBody) Titles() []Title {
	return []Title{TitleDecline, TitleNever, TitleAllowSession, TitleAllow}
}

// Join returns the decision that the title stands for about a program that wants to join.
func (t Title) Join() (JoinDecision, bool) {
	switch t {
	case TitleDecline:
		return JoinDecline, true
	case TitleNever:
		return JoinNever, true
	case TitleAllowSession:
		return JoinSession, true
	case TitleAllow:
		return JoinAllow, true
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
