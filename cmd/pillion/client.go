package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"pillion/editors"
	"pillion/mcp/config"
	"pillion/mcp/config/agents"
	"pillion/mcp/config/imports"
	"pillion/sidecar/core"
)

type clientGrammar struct {
	Status    clientStatusVerb    `cmd:"" default:"1" help:"List agents, and which of them have Pillion."`
	Install   clientInstallVerb   `cmd:"" help:"Tell an agent of Pillion in its own configuration file."`
	Uninstall clientUninstallVerb `cmd:"" help:"Take that back."`
}

// clientPlan is what an agent's files are to become.
type clientPlan struct {
	agent   agents.Agent
	machine agents.Machine
	program string
	// texts are the files as they will be, before are as they are; nil where there is none.
	texts, before map[string][]byte
	changes       []agents.Change
}

func (p *program) clientPlan(name string) (*clientPlan, error) {
	agent, isKnown := agents.Named(name)
	if !isKnown {
		return nil, fail(exitUsage, []string{"The agents are " + strings.Join(agents.Names(), ", ")}, "there is no agent %q that Pillion knows", name)
	}
	return &clientPlan{agent: agent, machine: p.machine(), program: p.executable, texts: map[string][]byte{}, before: map[string][]byte{}}, nil
}

// machine says where the files of agents lie.
func (p *program) machine() agents.Machine {
	look := func(name string) (string, bool) {
		for _, entry := range slices.Backward(p.environ) {
			if key, value, _ := strings.Cut(entry, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
	home, _ := os.UserHomeDir()
	return agents.Machine{Machine: imports.Machine{System: runtime.GOOS, Lookup: look, Home: home}, Exists: exists}
}

// text is a file as it will be.
func (c *clientPlan) text(path string) ([]byte, error) {
	if text, isRead := c.texts[path]; isRead {
		return text, nil
	}
	text, err := readClientFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.texts[path], c.before[path] = text, text
	return text, nil
}

// would are the texts that changes lead to, and those changes that lead anywhere.
func (c *clientPlan) would(changes []agents.Change) (texts map[string][]byte, made []agents.Change, err error) {
	texts = map[string][]byte{}
	for _, change := range changes {
		text, isThere := texts[change.File]
		if !isThere {
			if text, err = c.text(change.File); err != nil {
				return nil, nil, err
			}
		}
		edited, done, err := change.Apply(text)
		if errors.Is(err, agents.ErrNothing) {
			continue
		}
		if err != nil {
			return nil, nil, fail(exitFailed, []string{"Write it there by hand: " + strings.Join(change.Path, ".") + " is " + string(change.Value)}, "%s is left as it is: %w", change.File, err)
		}
		texts[change.File], made = edited, append(made, done)
	}
	return texts, made, nil
}

// take makes them part of the plan.
func (c *clientPlan) take(texts map[string][]byte, made []agents.Change) {
	for path, text := range texts {
		c.texts[path] = text
	}
	c.changes = append(c.changes, made...)
}

// difference shows what becomes of files, lines that go and come alone: others are nobody's business, and may hold secrets.
func (c *clientPlan) difference(texts map[string][]byte) string {
	var b strings.Builder
	for _, path := range sortedKeys(texts) {
		fmt.Fprintf(&b, "%s\n", editors.Visible(path))
		for _, line := range changedLines(c.texts[path], texts[path]) {
			fmt.Fprintf(&b, "| %s\n", editors.Visible(line))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// connectorNames are the names of the project's connectors and of all that there are here, as the files say them.
func (p *program) connectorNames() (ofProject, all []string, err error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil, nil, err
	}
	home, _ := os.UserHomeDir()
	var roots []string
	if root := rootOf(workingFolder(), home); root != "" {
		roots = append(roots, root)
	}
	for _, file := range append(config.ProjectFiles(roots, home), config.File{Path: folders.UserFile, Source: config.SourceUser}) {
		text, err := config.ReadFile(file)
		if err != nil {
			continue // it has none that could be switched off
		}
		for _, entry := range config.Parse(file, text).Entries {
			if config.RunsPillion(entry.Command, entry.Args) || slices.Contains(all, entry.Name) {
				continue
			}
			if file.Source == config.SourceProject {
				ofProject = append(ofProject, entry.Name)
			}
			all = append(all, entry.Name)
		}
	}
	return ofProject, all, nil
}

func sortedKeys(texts map[string][]byte) []string {
	paths := make([]string, 0, len(texts))
	for path := range texts {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
