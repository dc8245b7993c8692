package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"pillion/editors"
	"pillion/mcp/connector"
	"pillion/rpc/message"
)

type logVerb struct {
	Name  string `arg:"" help:"The connector, by its name or id."`
	Lines int    `short:"n" default:"50" placeholder:"N" help:"How many of the last lines to print; 50 if not given."`
}

// Help explains the verb.
func (logVerb) Help() string {
	return `Prints what a connector wrote to its standard error last, secrets replaced, with a line for each of its starts. It starts nothing. Where nothing was written it prints nothing.

With --json: {"connector": string, "path": string, "lines": [string]}.`
}

// logShape is what mcp log --json prints.
type logShape struct {
	Connector message.ConnectorID `json:"connector"`
	Path      string              `json:"path"` // the file, which need not exist
	Lines     []string            `json:"lines"`
}

// maxLogBytes bounds how much of the end of a log is looked through.
const maxLogBytes = 1 << 20

// Run prints it.
func (v logVerb) Run(p *program) error {
	if v.Lines < 1 {
		return fail(exitUsage, nil, "%d lines cannot be printed", v.Lines)
	}
	h, err := p.host(ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	all, err := h.connectors(p.ctx)
	if err != nil {
		return err
	}
	found, err := connectorNamed(all, v.Name)
	if err != nil {
		return err
	}
	shape := logShape{Connector: found.ID, Path: h.LogFile(string(found.ID))}
	if shape.Lines, err = lastLines(shape.Path, v.Lines); err != nil {
		return err
	}
	if p.isJSON {
		return p.printJSON(shape)
	}
	for _, line := range shape.Lines {
		if p.isTerminal {
			line = editors.Visible(line)
		}
		p.print(line)
	}
	if len(shape.Lines) == 0 && p.isTerminal {
		p.sayf("The connector %s has written no log.", editors.Quoted(found.Name))
	}
	return nil
}

// lastLines are the last lines of a log, with those of the file that was set aside for it where it holds too few.
func lastLines(path string, most int) ([]string, error) {
	lines := []string{}
	for _, one := range []string{path, path + connector.OldLogSuffix} {
		text, err := endOf(one)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSuffix(text, "\n"); text != "" {
			lines = slices.Concat(strings.Split(text, "\n"), lines)
		}
		if len(lines) >= most {
			break
		}
	}
	return lines[max(0, len(lines)-most):], nil
}

// endOf is the end of a file, from the beginning of a line on.
func endOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	start := max(0, info.Size()-maxLogBytes)
	text, err := io.ReadAll(io.NewSectionReader(file, start, maxLogBytes))
	if err != nil {
		return "", err
	}
	if start > 0 {
		_, rest, _ := strings.Cut(string(text), "\n")
		return rest, nil
	}
	return string(text), nil
}
