package host

import (
	"fmt"

	"pillion/mcp/config"
	"pillion/mcp/connector"
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
		steps = append(steps, fix)
	}
	steps = append(steps, fmt.Sprintf("Correct the entry %q in %s and save the file; it is then tried again.", entry.Name, entry.File.Path))
	return &Problem{Kind: "config", Reason: reason, Steps: steps}
}

func programProblem(entry *config.Entry, err error) *Problem {
	return &Problem{Kind: "program", Reason: err.Error(), Steps: []string{
		fmt.Sprintf("Install the program %q, or write its absolute path as \"command\".", entry.Command),
		"If it works in your terminal, start the editor from there, or check that your login shell sets PATH.",
		fmt.Sprintf("Then restart the connector %q.", entry.Name),
	}}
}

func internalProblem(entry *config.Entry, err error) *Problem {
	return &Problem{Kind: "internal", Reason: err.Error(), Steps: []string{fmt.Sprintf("Restart the connector %q.", entry.Name)}}
}

// problemOf takes over what the connector found out about its own end; err is what its start returned, if that is how it ended.
func (h *Host) problemOf(entry *config.Entry, process *connector.Connector, err error) *Problem {
	status := process.Status()
	if status.Problem == nil {
		reason := "the connector ended without a reason"
		if err != nil {
			reason = err.Error()
		}
		return &Problem{Kind: "internal", Reason: h.redacted(reason), Steps: []string{fmt.Sprintf("Restart the connector %q.", entry.Name)}, LogFile: h.logFile(entry)}
	}
	steps := make([]string, len(status.Problem.Steps))
	for i, step := range status.Problem.Steps {
		steps[i] = h.redacted(step)
	}
	return &Problem{Kind: status.Problem.Kind, Reason: h.redacted(status.Problem.Reason), Steps: steps, LogFile: h.logFile(entry)}
}
