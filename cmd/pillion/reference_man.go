package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// manualPage is pillion(1).
func manualPage(model *kong.Application, version string) string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	write(`.\" Made from the grammar of the command line.`)
	write(`.TH PILLION 1 "" "pillion %s" "User Commands"`, roff(version))
	write(".SH NAME\npillion \\- a language server for MCP")
	write(".SH SYNOPSIS\n.B pillion\n.I verb\n[arguments] [flags]\n.br\n.B pillion \\-\\-stdio")
	write(".SH DESCRIPTION")
	for _, part := range paragraphs(description) {
		write("%s", part.roff())
	}
	write(".SH OPTIONS\nThese go with every verb.")
	writeManFlags(&b, slices.DeleteFunc(slices.Clone(model.Flags), func(f *kong.Flag) bool { return f.Hidden }))
	write(".SH VERBS")
	for _, verb := range verbsOf(model.Node) {
		write(".SS %s\n%s", roff(usageOf(verb)), roff(verb.Help))
		for _, part := range paragraphs(detail(verb)) {
			write("%s", part.roff())
		}
		for _, argument := range verb.Positional {
			write(".TP\n.B %s\n%s", roff(argument.Summary()), roff(argument.Help))
		}
		writeManFlags(&b, ownFlags(verb))
	}
	write(".SH EXIT STATUS")
	for _, one := range exitCodes() {
		write(".TP\n.B %d\n%s", one.code, roff(one.means))
	}
	return b.String()
}

func writeManFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, flag := range flags {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flagWords(flag)), roff(flag.Help))
	}
}

// roff writes text so that nothing in it is an instruction.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func (p paragraph) roff() string {
	if p.isExample {
		return ".PP\n.RS 4\n.nf\n" + roff(strings.ReplaceAll(strings.TrimPrefix(p.text, "  "), "\n  ", "\n")) + "\n.fi\n.RE"
	}
	return ".PP\n" + roff(p.text)
}
