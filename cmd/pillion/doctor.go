package main

import (
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"pillion/editors"
	"pillion/rpc/message"
	"pillion/sidecar/doctor"
)

type doctorVerb struct {
	Sections []string `arg:"" optional:"" name:"section" help:"What to look at: files, folders, connectors, runtimes, browser, secrets, logs, windows, system. Everything, if none is named."`
}

// Help explains the verb.
func (doctorVerb) Help() string {
	return `Looks at everything that Pillion needs and says what to do about what is not as it should be. It asks the editor's window on this folder, if there is one, since what its connectors find is what counts.

It starts no connector, and runs and reads nothing of a repository that was not allowed. The only programs it starts are well-known runners that your connectors name, for their versions, and your login shell, for its PATH.

Exit codes: 0 nothing is broken; 1 something is. What is only worth a look breaks nothing.

With --json: {"window": string, "broken": boolean, "rows": [{"section", "level", "subject", "text", "steps", "path", "connector", "version", "pid", "bytes"}]}, the rows as in the editor protocol; level is "ok", "note" or "broken".`
}

// doctorShape is what doctor --json prints.
type doctorShape struct {
	Window string              `json:"window"`
	Broken bool                `json:"broken"`
	Rows   []message.DoctorRow `json:"rows"`
}

// Run looks and says.
func (v doctorVerb) Run(p *program) error {
	sections := make([]message.DoctorSection, len(v.Sections))
	for i, name := range v.Sections {
		if sections[i] = message.DoctorSection(name); !sections[i].Known() {
			return fail(exitUsage, []string{"See: pillion doctor --help"}, "there is no section %q", name)
		}
	}
	h, err := p.open(p.ctx, ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	rows, err := h.doctor(p.ctx, sections)
	if err != nil {
		return err
	}
	isBroken := doctor.IsBroken(rows)
	if p.isJSON {
		err = p.printJSON(doctorShape{h.window(), isBroken, rows})
	} else {
		p.printDoctor(rows)
	}
	if err == nil && isBroken {
		return ended(exitFailed)
	}
	return err
}

// printDoctor lays the rows out for a person, and writes one a line for a program.
func (p *program) printDoctor(rows []message.DoctorRow) {
	if !p.isTerminal {
		cells := make([][]string, len(rows))
		for i, row := range rows {
			cells[i] = []string{string(row.Section), string(row.Level), row.Subject, withVersion(row), strings.Join(row.Steps, " ")}
		}
		p.table(nil, cells)
		return
	}
	width := p.width()
	section := message.DoctorSection("")
	for _, row := range rows {
		if row.Section != section {
			if section != "" {
				p.print("")
			}
			section = row.Section
			p.print(editors.DoctorHeading(section))
		}
		p.print(wrapped("  "+padded(editors.DoctorLevelWords(row.Level), 8), editors.Visible(row.Subject+": "+withVersion(row)), width))
		for i, step := range row.Steps {
			p.print(wrapped("            "+strconv.Itoa(i+1)+". ", editors.Visible(step), width))
		}
	}
	p.print("\n" + editors.DoctorTotal(rows))
}

func withVersion(row message.DoctorRow) string {
	if row.Version == "" {
		return row.Text
	}
	return row.Text + ", version " + row.Version
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

const (
	usualWidth = 80
	// maxWidth is how long a line may be that is still easy to read.
	maxWidth = 110
)

// width is how wide lines are on the terminal.
func (p *program) width() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 {
		return usualWidth
	}
	return min(width, maxWidth)
}

// wrapped breaks a text between words, behind a lead that the further lines are indented by. A word that is longer than a line
// stays whole.
func wrapped(lead, text string, width int) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	var b strings.Builder
	b.WriteString(lead)
	used, isFirst := utf8.RuneCountInString(lead), true
	for word := range strings.FieldsSeq(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case isFirst:
		case used+1+length > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used, isFirst = used+length, false
	}
	return b.String()
}
