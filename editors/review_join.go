package editors

import (
	"strconv"

	"pillion/rpc/message"
)

// joinText shows who wants to join a window: what the kernel knows of the program, and apart from it what it calls itself.
func joinText(body message.JoinBody, how string) string {
	var d document
	d.say("Pillion asks: may this program join this window and call the tools of its connectors?")
	d.say(foreignNote)
	d.say("Its calls are asked about as all others are, and the questions name it. It can answer none of them.")
	d.gap()
	d.value("program, as the system knows it", body.Program)
	d.value("started by", body.Parent)
	d.value("process", strconv.Itoa(body.PID))
	d.say("what it calls itself, as anything may")
	d.say("| %s", Quoted(body.ClaimedName))
	return d.end("A yes that stands is one to this program where that one starts it.", how, "")
}

func joinPrompt(body message.JoinBody) string {
	return "Pillion: may a program join this window, which calls itself " + called(body.ClaimedName) + "? It is: " +
		neutral(body.Program) + ", started by: " + neutral(body.Parent)
}

func joinChoices(body message.JoinBody) []Choice {
	var choices []Choice
	for _, title := range body.Titles() {
		if decision, isKnown := title.Join(); isKnown {
			choices = append(choices, choice(title, message.JoinAnswer{Decision: decision}))
		}
	}
	return choices
}
