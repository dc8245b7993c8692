//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// verbSchemas compiles what docs/cli.schema.json says of each verb.
var verbSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	file, err := os.Open(filepath.Join("..", "..", "docs", "cli.schema.json"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("cli.json", document); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	for verb := range document.(map[string]any)["$defs"].(map[string]any) {
		if all[verb], err = compiler.Compile("cli.json#/$defs/" + strings.ReplaceAll(verb, " ", "%20")); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// isOfItsShape holds what a verb printed as JSON to what is documented: every run of every test is one.
func (w *world) isOfItsShape(arguments []string, stdout string) {
	w.t.Helper()
	if !slices.Contains(arguments, "--json") || stdout == "" || arguments[0] == completeWord {
		return
	}
	schemas, err := verbSchemas()
	if err != nil {
		w.t.Fatal(err)
	}
	var g grammar
	parser, err := newProgram().parser(&g)
	if err != nil {
		w.t.Fatal(err)
	}
	node := walkTo(parser.Model.Node, arguments).node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil {
		w.t.Errorf("%q prints no JSON: %v\n%s", arguments, err, stdout)
		return
	}
	if schema := schemas[node.Path()]; schema != nil {
		if err := schema.Validate(value); err != nil {
			w.t.Errorf("%q prints something else than docs/cli.schema.json says: %v\n%s", arguments, err, stdout)
		}
	}
}

// TestI6_TheReferenceIsWhatTheGrammarSays compares the documents with the command line that they are made from.
func TestI6_TheReferenceIsWhatTheGrammarSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for form, name := range map[string]string{"markdown": "cli.md", "schema": "cli.schema.json"} {
		kept, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if o := w.expect(exitOK, "reference", form); strings.TrimSpace(o.stdout) != strings.TrimSpace(string(kept)) {
			t.Errorf("docs/%s is stale: run make generate", name)
		}
	}
}

func TestTheManualPageIsRoff(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff")
	}
	w := newWorld(t)
	page := w.expect(exitOK, "reference", "man").stdout
	command := exec.Command("groff", "-man", "-Tutf8", "-ww", "-P-cbu")
	command.Stdin = strings.NewReader(page)
	var out, complaints strings.Builder
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	for _, want := range []string{"pillion client install", "EXIT STATUS", "75"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// TestEveryVerbTeaches holds that each has a long help with its exit or JSON told, and nothing is left to guess.
func TestEveryVerbTeaches(t *testing.T) {
	t.Parallel()
	var g grammar
	parser, err := newProgram().parser(&g)
	if err != nil {
		t.Fatal(err)
	}
	known := shapes()
	for _, verb := range verbsOf(parser.Model.Node) {
		if verb.Help == "" {
			t.Errorf("%s has no help", verb.Path())
		}
		if _, isKnown := known[verb.Path()]; !isKnown {
			t.Errorf("reference_schema.go does not say what %s --json prints", verb.Path())
		}
		for _, flag := range ownFlags(verb) {
			if flag.Help == "" {
				t.Errorf("%s --%s has no help", verb.Path(), flag.Name)
			}
		}
		for _, argument := range verb.Positional {
			if argument.Help == "" {
				t.Errorf("%s %s has no help", verb.Path(), argument.Summary())
			}
		}
	}
}

func TestTheWordsOfAFlagAreWrittenAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	page := newWorld(t).expect(exitOK, "reference", "markdown").stdout
	for _, want := range []string{"`--expose=meta|all`", "`--scope=project|user`", "`--format=json-schema|typescript|openapi|mcp`", "`-n, --limit=N`"} {
		if !strings.Contains(page, want) {
			t.Errorf("it does not say %s", want)
		}
	}
}
