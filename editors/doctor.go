package editors

import (
	"fmt"
	"strings"

	"pillion/rpc/message"
)

// doctorHeadings are the words for a section.
var doctorHeadings = map[message.DoctorSection]string{
	message.DoctorFiles: "Files", message.DoctorFolders: "Folders", message.DoctorConnectors: "Connectors", message.DoctorRuntimes: "Runtimes", message.DoctorBrowser: "Browser",
	message.DoctorSecrets: "Secrets", message.DoctorLogs: "Logs", message.DoctorWindows: "Windows on this machine", message.DoctorSystem: "System",
}

// DoctorHeading are the words for a section.
func DoctorHeading(section message.DoctorSection) string {
	if heading := doctorHeadings[section]; heading != "" {
		return heading
	}
	return Visible(string(section))
}

// DoctorLevelWords say how a row is; one that is not known reads as broken.
func DoctorLevelWords(level message.DoctorLevel) string {
	switch level {
	case message.DoctorOK:
		return "ok"
	case message.DoctorNote:
		return "look"
	}
	return "broken"
}

// DoctorTotal counts what is broken and what is worth a look.
func DoctorTotal(rows []message.DoctorRow) string {
	broken, notes := 0, 0
	for _, row := range rows {
		switch DoctorLevelWords(row.Level) {
		case "broken":
			broken++
		case "look":
			notes++
		}
	}
	text := "Nothing is broken"
	switch {
	case broken == 1:
		text = "One thing is broken"
	case broken > 1:
		text = fmt.Sprintf("%d things are broken", broken)
	}
	switch {
	case notes == 1:
		text += "; one is worth a look"
	case notes > 1:
		text += fmt.Sprintf("; %d are worth a look", notes)
	}
	return text + "."
}

// DoctorText is the document that shows the rows by section, with what to do about them.
func DoctorText(rows []message.DoctorRow) string {
	var d document
	d.say("Pillion: %s", DoctorTotal(rows))
	d.say(foreignNote)
	section := message.DoctorSection("")
	for _, row := range rows {
		if row.Section != section {
			section = row.Section
			d.gap()
			d.say("%s", DoctorHeading(section))
		}
		d.say("| %s: %s", Visible(row.Subject), Visible(row.Text))
		if row.Version != "" {
			d.say("|   version %s", Visible(row.Version))
		}
		if row.Level != message.DoctorOK {
			d.say("  %s", DoctorLevelWords(row.Level))
		}
		for i, step := range row.Steps {
			d.say("  %d. %s", i+1, Visible(step))
		}
	}
	return d.end("In a terminal: pillion doctor")
}

// DoctorLine is the first line of such a document, for editors that show no documents.
func DoctorLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
