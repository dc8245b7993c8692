package host

import (
	"fmt"

	"pillion/mcp/config"
	"pillion/mcp/policy"
)

// PolicyFile is where an administrator's policy is looked for, and whose it must be (O6).
type PolicyFile struct {
	Path  string
	Owner int // user id
}

// policies are the administrator's rules as they were read last. All of them count; one that cannot be read lets nothing run.
type policies struct {
	read  []policy.Policy
	fault string
}

// readPolicies reads files; it must not be called with h.mu held.
func (h *Host) readPolicies() (p policies) {
	for _, file := range h.options.Policies {
		one, err := policy.Read(file.Path, file.Owner)
		if err != nil {
			return policies{fault: err.Error()}
		}
		p.read = append(p.read, one)
	}
	return p
}

// refusal says why a connector may not run, or nil.
func (p policies) refusal(entry *config.Entry, c policy.Connector) *Problem {
	reason := p.fault
	for _, one := range p.read {
		if reason == "" {
			reason = one.Refusal(c)
		}
	}
	if reason == "" {
		return nil
	}
	return &Problem{Kind: "config", Reason: reason, Steps: []string{
		fmt.Sprintf("Ask whoever administers this machine: nothing in Pillion can allow %q.", entry.Name),
	}}
}

// writtenConnector is an entry as a policy sees it before anything of it is expanded.
func writtenConnector(entry *config.Entry) policy.Connector {
	c := policy.Connector{Name: entry.Name, URL: entry.URL, IsWritten: true}
	if entry.Command != "" {
		c.Command = append([]string{entry.Command}, entry.Args...)
	}
	return c
}
