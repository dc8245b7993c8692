package editors

import "pillion/rpc/message"

// BrowserWords say what a session's browser does; a state that is not known reads as off.
func BrowserWords(state message.BrowserState) string {
	switch state {
	case message.BrowserAsking:
		return "waiting for your answer"
	case message.BrowserStarting:
		return "starting"
	case message.BrowserRunning:
		return "running"
	case message.BrowserRefused:
		return "refused by you in this session"
	case message.BrowserFailed:
		return "not running"
	}
	return "off, asks before it starts"
}
