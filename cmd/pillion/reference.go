package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// referenceVerb writes the documents that are made from the grammar.
type referenceVerb struct {
	Form string `arg:"" enum:"markdown,man,schema" help:"markdown, man or schema."`
	To   string `placeholder:"FILE" help:"Write it there."`
}

// Help explains the verb.
func (referenceVerb) Help() string {
	return `Prints the reference of the command line, made from the command line itself: as Markdown (docs/cli.md), as a manual page, or as the JSON Schemas of what --json prints (docs/cli.schema.json).

  pillion reference man > ~/.local/share/man/man1/pillion.1`
}

// Run writes it.
func (v referenceVerb) Run(p *program) error {
	var g grammar
	parser, err := p.parser(&g)
	if err != nil {
		return err
	}
	var text string
	switch v.Form {
	case "markdown":
		text = markdownReference(parser.Model)
	case "man":
		text = manualPage(parser.Model, version())
	case "schema":
		if text, err = schemaReference(parser.Model); err != nil {
			return err
		}
	}
	if v.To != "" {
		return os.WriteFile(v.To, []byte(text), 0o644)
	}
	p.print(strings.TrimSuffix(text, "\n"))
	return nil
}

// exitCodes are what every verb ends with.
func exitCodes() []struct {
	code  int
	means string
} {
	return []struct {
		code  int
		means string
	}{
		{exitOK, "it worked"},
		{exitFailed, "it did not work, or the tool says that it did not succeed"},
		{exitUsage, "the command line, or the arguments of a call, are wrong"},
		{exitNotAllowed, "it was declined, refused, or has no permission"},
		{exitDown, "the connector does not run, or waits for a sign-in"},
		{exitUnanswered, "a person's answer is missing: ask again later, or where somebody can be asked"},
	}
}

// verbsOf are all verbs that are shown, in the order of the grammar.
func verbsOf(root *kong.Node) []*kong.Node {
	var verbs []*kong.Node
	for _, child := range root.Children {
		if child.Hidden {
			continue
		}
		if len(shownChildren(child)) == 0 {
			verbs = append(verbs, child)
			continue
		}
		verbs = append(verbs, verbsOf(child)...)
	}
	return verbs
}

func shownChildren(node *kong.Node) []*kong.Node {
	return slices.DeleteFunc(slices.Clone(node.Children), func(n *kong.Node) bool { return n.Hidden })
}

// usageOf is how a verb is written.
func usageOf(verb *kong.Node) string {
	usage := "pillion " + strings.TrimPrefix(verb.Path(), "pillion ")
	usage = strings.TrimSpace(usage)
	for _, argument := range verb.Positional {
		if !strings.Contains(usage, argument.Summary()) {
			usage += " " + argument.Summary()
		}
	}
	return usage
}

// ownFlags are those of a verb itself; the others go with every verb.
func ownFlags(verb *kong.Node) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(verb.Flags), func(f *kong.Flag) bool { return f.Hidden || f.Name == "help" })
}

// flagWords are how a flag is written.
func flagWords(flag *kong.Flag) string {
	words := "--" + flag.Name
	if flag.Short != 0 {
		words = "-" + string(flag.Short) + ", " + words
	}
	if !flag.IsBool() {
		value := flag.FormatPlaceHolder()
		switch {
		case flag.Enum != "" && flag.PlaceHolder == "": // its words are typed as they stand
			value = strings.ReplaceAll(strings.Trim(flag.Enum, ","), ",", "|")
		case !strings.Contains(value, "|"):
			value = strings.ToUpper(value)
		}
		words += "=" + value
	}
	return words
}

// detail is the long help of a verb; examples are indented by two.
func detail(verb *kong.Node) string { return strings.TrimSpace(verb.Detail) }

const generatedNote = "<!-- Made by `make generate` from the grammar of cmd/pillion. Do not edit. -->"

// markdownReference is docs/cli.md.
func markdownReference(model *kong.Application) string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	write("%s\n\n# The command line\n", generatedNote)
	for _, part := range paragraphs(description) {
		write("%s\n", part.markdown())
	}
	write("On a terminal a list is a table, and characters of somebody else's text that would act on the terminal are shown as signs. In a pipe it is one thing a line with tabs between, without colour or heading. With `--json` it is one JSON value, of the shape that [cli.schema.json](cli.schema.json) says for each verb. What is said beside the result goes to standard error.\n")
	write("## Exit codes\n\n| code | meaning |\n| --- | --- |")
	for _, one := range exitCodes() {
		write("| %d | %s |", one.code, one.means)
	}
	write("\n## Flags of every verb\n")
	writeFlags(&b, slices.DeleteFunc(slices.Clone(model.Flags), func(f *kong.Flag) bool { return f.Hidden }))
	write("\n## Verbs\n")
	for _, verb := range verbsOf(model.Node) {
		write("- [`%s`](#%s): %s", verb.Path(), anchor(verb), verb.Help)
	}
	for _, verb := range verbsOf(model.Node) {
		write("\n### %s\n\n%s\n\n```\n%s\n```", verb.Path(), verb.Help, usageOf(verb))
		for _, part := range paragraphs(detail(verb)) {
			write("\n%s", part.markdown())
		}
		for i, argument := range verb.Positional {
			if i == 0 {
				write("")
			}
			write("- `%s`: %s", argument.Summary(), argument.Help)
		}
		if flags := ownFlags(verb); len(flags) > 0 {
			write("")
			writeFlags(&b, flags)
		}
	}
	return b.String()
}

func anchor(verb *kong.Node) string { return strings.ReplaceAll(verb.Path(), " ", "-") }

func writeFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, flag := range flags {
		fmt.Fprintf(b, "- `%s`: %s\n", flagWords(flag), flag.Help)
	}
}

// paragraph is one of a long help: text, or an example to be shown as it is.
type paragraph struct {
	text      string
	isExample bool
}

func paragraphs(text string) []paragraph {
	var parts []paragraph
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if block = strings.Trim(block, "\n"); block != "" {
			parts = append(parts, paragraph{block, strings.HasPrefix(block, "  ")})
		}
	}
	return parts
}

func (p paragraph) markdown() string {
	if p.isExample {
		lines := strings.Split(p.text, "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "  ")
		}
		return "```sh\n" + strings.Join(lines, "\n") + "\n```"
	}
	// What is between angle brackets is a word to replace, not markup.
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(p.text)
}
