package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/uri"

	"pillion/mcp/config"
	"pillion/rpc"
)

const (
	// typingLimit is what diagnostics after a keystroke may take against parsing the text once.
	typingLimit = 2.0
	// elsewhereLimit is what a keystroke in another file of the same size may add to an empty request, against one in a file of
	// a few bytes.
	elsewhereLimit  = 2.0
	typedConnectors = 2000
	typedBytes      = 1 << 20
)

// measureTyping measures how long diagnostics take after a keystroke in a large file, against the time to parse its text; and
// what a keystroke in a file that is none of Pillion's costs.
func measureTyping(ctx context.Context, r *report, p *programs, n plan) (err error) {
	home, err := newHome(p.folder, 0, "")
	if err != nil {
		return err
	}
	path := filepath.Join(home.workspace, config.ProjectFileName)
	text := largeFile()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	e, err := openEditor(home.environ(), p.pillion, "--stdio")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.leave()) }()
	params, err := initializeParams(home.workspace)
	if err != nil {
		return err
	}
	if err := errors.Join(e.initialize(ctx, params), e.wire.tell("initialized", "{}")); err != nil {
		return err
	}
	b := &typing{e: e, uri: uri.File(path), other: uri.File(filepath.Join(home.workspace, "other.json")), small: uri.File(filepath.Join(home.workspace, "small.json"))}
	if err := b.open(ctx, text); err != nil {
		return err
	}
	return b.measure(ctx, r, n, config.File{Path: path, Source: config.SourceProject, Root: home.workspace}, text)
}

// largeFile is a file of many connectors, all of them different, without a fault.
func largeFile() []byte {
	var b strings.Builder
	b.WriteString("{\n  \"mcpServers\": {\n")
	for i := range typedConnectors {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "    %q: {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@scope/package-%d@1.2.3\", \"--root\", \"/home/somebody/%d\"],\n"+
			"      \"env\": {\"ENDPOINT\": \"https://example.com/%d\"},\n      \"disabled\": true,\n      \"description\": %q\n    }", connectorName(i), i, i, i,
			strings.Repeat("words ", (typedBytes/typedConnectors-250)/6))
	}
	b.WriteString("\n  }\n}\n")
	return []byte(b.String())
}

// typing is a file that somebody types in.
type typing struct {
	e                 *editor
	uri, other, small uri.URI
	version           int
}

func (b *typing) open(ctx context.Context, text []byte) error {
	b.e.diagnosed = make(chan int, 10_000)
	for u, content := range map[uri.URI]string{b.other: string(text), b.small: "{}\n", b.uri: string(text)} {
		params, err := rpc.Marshal(map[string]any{"textDocument": map[string]any{"uri": u, "languageId": "json", "version": 0, "text": content}})
		if err != nil {
			return err
		}
		if err := b.e.wire.tell("textDocument/didOpen", string(params)); err != nil {
			return err
		}
	}
	return b.until(ctx, 0)
}

// until waits for the diagnostics of a version.
func (b *typing) until(ctx context.Context, version int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		select {
		case got := <-b.e.diagnosed:
			if got == version {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("diagnostics of version %d did not come: %w", version, ctx.Err())
		}
	}
}

// key types a blank at the beginning of the first line or takes it back, whatever the file.
func (b *typing) key(u uri.URI) error {
	b.version++
	text, end := " ", 0
	if b.version%2 == 0 {
		text, end = "", 1
	}
	return b.e.wire.tell("textDocument/didChange", fmt.Sprintf(
		`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":%d}},"text":%q}]}`,
		u, b.version, end, text))
}

func (b *typing) measure(ctx context.Context, r *report, n plan, file config.File, text []byte) error {
	var keys, parses, elsewhere, small series
	for round := -1; round < n.rounds; round++ { // the first one only warms up
		parse, key, err := b.pair(ctx, file, text)
		if err != nil {
			return err
		}
		large, err := b.typeElsewhere(ctx, b.other)
		if err != nil {
			return err
		}
		little, err := b.typeElsewhere(ctx, b.small)
		if err != nil {
			return err
		}
		if round >= 0 {
			parses, keys = append(parses, parse), append(keys, key)
			elsewhere, small = append(elsewhere, large), append(small, little)
		}
	}
	r.line("a keystroke in a file of %d connectors and %d KiB until its diagnostics are there, p50", typedConnectors, len(text)>>10)
	r.figure("parse", parses, times)
	r.figure("keystroke", keys, times)
	r.limited("keystroke/parse", keys.over(parses), ratio, typingLimit)
	r.line("%d keystrokes in a file that is none of Pillion's, and a request, p50", keysElsewhere)
	r.figure("in a small one", small, times)
	r.figure("in one of that size", elsewhere, times)
	r.limited("elsewhere", elsewhere.over(small), ratio, elsewhereLimit)
	return nil
}

// pair parses and types by turns.
func (b *typing) pair(ctx context.Context, file config.File, text []byte) (parse, key float64, err error) {
	const turns = 5
	var parses, keys []time.Duration
	for range turns {
		begun := time.Now()
		config.Parse(file, text)
		parses = append(parses, time.Since(begun))
		begun = time.Now()
		if err := errors.Join(b.key(b.uri), b.until(ctx, b.version)); err != nil {
			return 0, 0, err
		}
		keys = append(keys, time.Since(begun))
	}
	return middle(parses), middle(keys), nil
}

const keysElsewhere = 200

// typeElsewhere types a little in a file and waits for an answer behind it.
func (b *typing) typeElsewhere(ctx context.Context, u uri.URI) (float64, error) {
	var all []time.Duration
	for range 5 {
		begun := time.Now()
		for range keysElsewhere {
			if err := b.key(u); err != nil {
				return 0, err
			}
		}
		if _, err := b.e.wire.call(ctx, "pillion/mode", []byte("{}")); err != nil {
			return 0, err
		}
		all = append(all, time.Since(begun))
	}
	return middle(all), nil
}
