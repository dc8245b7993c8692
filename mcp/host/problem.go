package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pillion/mcp/config"
	"pillion/mcp/connector"
	"pillion/mcp/process"
)

// Problem says why a connector is not running and what brings it back.
type Problem struct {
	Kind    string // of the editor protocol: login, program, exited, unreachable, timeout, protocol, config, internal
	Reason  string
	Steps   []string
	LogFile string
}

func configProblem(entry *config.Entry, reason, fix string) *Problem {
	var steps []string
	if fix != "" {
		steps = append(steps, sentence(fix))
	}
	steps = append(steps, correctStep(entry))
	return &Problem{Kind: "config", Reason: reason, Steps: steps}
}

// sentence makes a clause, as findings have them, a step of its own.
func sentence(clause string) string {
	first := clause[:1]
	if strings.ContainsAny(clause[len(clause)-1:], ".!?") {
		return strings.ToUpper(first) + clause[1:]
	}
	return strings.ToUpper(first) + clause[1:] + "."
}

// correctStep says which entry is to be corrected, and what saving it does.
func correctStep(entry *config.Entry) string {
	step := fmt.Sprintf("Correct the entry %q in %s and save the file; it is then tried again", entry.Name, entry.File.Path)
	if entry.File.Source == config.SourceProject {
		return step + ", once you have allowed what it says by then."
	}
	return step + "."
}

func programProblem(entry *config.Entry, err error) *Problem {
	reason, looked := err.Error(), ""
	if missing, is := errors.AsType[*process.NotFoundError](err); is && missing.Path != "" && missing.Detail == "" {
		// The folders are many, and a reason is one line: they stand with the step that needs them.
		folders := filepath.SplitList(missing.Path)
		reason = fmt.Sprintf("program %q not found in the %d folders of PATH", missing.Program, len(folders))
		looked = " It was looked for in " + strings.Join(folders, ", ") + "."
	}
	return &Problem{Kind: "program", Reason: reason, Steps: []string{
		installStep(entry.Command),
		"If it works in your terminal, start the editor from there, or check that your login shell sets PATH." + looked,
		entryStep(entry),
		againStep(entry),
	}}
}

func internalProblem(entry *config.Entry, err error) *Problem {
	return &Problem{Kind: "internal", Reason: err.Error(), Steps: []string{againStep(entry)}}
}

// problemOf takes over what the connector found out about its own end; err is what its start returned, if that is how it ended.
func (h *Host) problemOf(entry *config.Entry, process *connector.Connector, err error) *Problem {
	status := process.Status()
	if status.Problem == nil {
		reason := "the connector ended without a reason"
		if err != nil {
			reason = err.Error()
		}
		return &Problem{Kind: "internal", Reason: h.redacted(reason), Steps: []string{againStep(entry)}, LogFile: h.logFile(entry)}
	}
	return h.explained(entry, process, status.Problem)
}

// explained takes over what a connector found out, with how to bring it back.
func (h *Host) explained(entry *config.Entry, process *connector.Connector, found *connector.Problem) *Problem {
	p := &Problem{Kind: found.Kind, Reason: found.Reason, LogFile: h.logFile(entry)}
	if len(found.Steps) > 0 {
		p.Steps = slices.Clone(found.Steps[:len(found.Steps)-1]) // the last one is said below, with how
	}
	lastWords{
		kind: found.Kind, how: found.Reason, lines: found.LastStderr,
		editorHas: h.hasVariable, childHas: process.HasVariable,
	}.read().explain(p, entry)
	if found.Kind != connector.ProblemInternal {
		p.Steps = append(p.Steps, entryStep(entry))
	}
	p.Steps = append(p.Steps, againStep(entry))
	p.Reason = h.redacted(p.Reason)
	for i, step := range p.Steps {
		p.Steps[i] = h.redacted(step)
	}
	return p
}

// hasVariable reports whether the editor has a variable that says something.
func (h *Host) hasVariable(name string) bool {
	value, _ := lookupIn(h.options.Environ, name)
	return value != ""
}

// againStep is the last of the steps that bring a connector back.
func againStep(entry *config.Entry) string {
	return fmt.Sprintf("Then start the connector %q again: restart it in the editor, or call one of its tools.", entry.Name)
}
