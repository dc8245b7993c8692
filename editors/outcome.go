package editors

import (
	"fmt"
	"strings"

	"pillion/rpc/message"
)

// statusWords say how a call ended, for people.
var statusWords = map[message.CallStatus]string{
	message.CallOK:               "The tool answered.",
	message.CallToolError:        "The tool answered that it did not succeed.",
	message.CallConnectorError:   "The connector answered with an error.",
	message.CallDeclined:         "You declined the call; nothing ran.",
	message.CallDenied:           "The call is refused; nothing ran.",
	message.CallNeedsConsent:     "The connector needs permission first; nothing ran.",
	message.CallNeedsLogin:       "The connector needs a sign-in first; nothing ran.",
	message.CallCancelled:        "The call was cancelled.",
	message.CallRepeat:           "The same call was made before in this turn; nothing ran again.",
	message.CallInvalidArguments: "The arguments cannot be sent; nothing ran.",
	message.CallConnectorDown:    "The connector is not running.",
	message.CallTimeout:          "The connector did not answer in time.",
	message.CallTask:             "The connector goes on in the background.",
}

// OutcomeText is the document that shows what came of a call.
func OutcomeText(tool string, r message.CallResult) string {
	var d document
	d.say("Pillion: what came of a call.")
	d.say(foreignNote)
	d.gap()
	d.value("tool", tool)
	d.say("%s", statusWords[r.Status])
	if r.Status != message.CallDeclined {
		d.value("in words", r.Message)
	}
	for i, step := range r.Steps {
		d.say("%d. %s", i+1, Visible(step))
	}
	if r.MayHaveRun && r.Status != message.CallOK && r.Status != message.CallToolError {
		d.say("The tool may have run: look before you call it again.")
	}
	if r.Allowed != nil && r.Allowed.Rule != "" {
		d.say("A standing permission lets this run. To take it back, use the code action of this document, or run: pillion permissions remove %s", Visible(r.Allowed.Rule))
	}
	if r.Redacted {
		d.say("Secret values were replaced by [REDACTED].")
	}
	for _, attachment := range r.Attachments {
		d.value(fmt.Sprintf("file (%s, %d bytes)", Visible(attachment.MIMEType), attachment.Bytes), attachment.URI.FsPath())
	}
	if r.Text != "" {
		d.gap()
		d.say("result")
		d.WriteString(Lines(r.Text))
	}
	var end []string
	if r.DurationMS > 0 {
		end = append(end, fmt.Sprintf("It took %d ms.", r.DurationMS))
	}
	if r.FullTextURI != "" {
		end = append(end, "The whole text is in "+r.FullTextURI.FsPath())
	}
	return d.end(end...)
}

// OutcomeLine is the one line about what came of a call.
func OutcomeLine(tool string, r message.CallResult) string {
	line := fmt.Sprintf("Pillion: %s %s", called(tool), lowerFirst(statusWords[r.Status]))
	if r.Text != "" {
		first, _, _ := strings.Cut(r.Text, "\n")
		line += " " + neutral(first)
	}
	return clip(line)
}

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
