package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"pillion/editors"
	"pillion/mcp/connector"
	"pillion/mcp/consent"
	"pillion/mcp/host"
	"pillion/mcp/process"
	"pillion/rpc"
	"pillion/rpc/message"
	"pillion/sidecar"
	"pillion/sidecar/core"
	"pillion/sidecar/doctor"
)

const (
	// decideTime bounds the writing of a decision.
	decideTime = 10 * time.Second
	// closeTime bounds the ending of connectors.
	closeTime = 6 * time.Second
)

// ownOptions say what a host in this process is for.
type ownOptions struct {
	// allowed are the definitions that may run this once (S6).
	allowed []string
	// hasPerson is set where somebody sits at the terminal who can be asked.
	hasPerson bool
	// depth is how much must be known of what was listed in earlier sessions.
	depth host.Depth
}

// ownHub is a host in this process. Its questions are put on this terminal.
type ownHub struct {
	*core.Core
	subreaper *process.Subreaper
	hasPerson bool
	open      *editors.Questions
	feed      *feed
}

// host opens a host on this folder that starts nothing by itself.
func (p *program) host(o ownOptions) (*ownHub, error) {
	// A child could otherwise read this process's environment (S20); where that cannot be had the rest still holds.
	_ = process.DisallowDump()
	home, _ := os.UserHomeDir()
	var roots []string
	if root := rootOf(workingFolder(), home); root != "" {
		roots = append(roots, root)
	}
	h := &ownHub{hasPerson: o.hasPerson, feed: newFeed(), subreaper: process.NewSubreaper(p.log)}
	h.open = editors.NewQuestions(func(change editors.Change) { h.feed.add(change.Opened, change.Closed) })
	opened, err := core.Open(core.Options{
		Logger: p.log, Version: version(), Environ: p.environ, Executable: p.executable, Subreaper: h.subreaper, Window: core.NewWindow(),
		Roots: roots, Settings: p.settings, IsStill: true, Depth: o.depth, AllowedOnce: o.allowed, Asker: ownAsker{h},
	})
	if err != nil {
		return nil, err
	}
	h.Core = opened
	h.Start()
	if h.Notice != "" {
		p.sayf("pillion: %s.", editors.Visible(h.Notice))
	}
	p.sayNews()
	p.sayFaultsOf(h)
	for _, problem := range h.StoreProblems() {
		if n := len(problem.Doubts); n > 0 {
			p.sayf("pillion: %d decisions in %s do not count: %s. An editor, or pillion answer while one is open, lets them count again.", n, editors.Visible(problem.File), editors.Visible(problem.Reason))
			continue
		}
		p.sayf("pillion: the decisions in %s cannot be read, so everything asks: %s", editors.Visible(problem.File), editors.Visible(problem.Reason))
	}
	return h, nil
}

func (h *ownHub) allowance(c message.Connector) string { return h.OnceHash(string(c.ID)) }

// withOwnHost has a person do something on the state itself, in a host of this process: a window that is open reads it again.
func (p *program) withOwnHost(do func(*ownHub) error) error {
	if err := forPeople(); err != nil {
		return err
	}
	h, err := p.host(ownOptions{})
	if err != nil {
		return err
	}
	defer h.close()
	return do(h)
}

func (h *ownHub) window() string   { return "" }
func (h *ownHub) questions() *feed { return h.feed }

func (h *ownHub) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	h.Close(ctx)
	h.subreaper.Close()
}

func (h *ownHub) connectors(context.Context) ([]message.Connector, error) {
	all := h.Connectors()
	messages := make([]message.Connector, len(all))
	for i, c := range all {
		messages[i] = sidecar.ConnectorMessage(c)
	}
	return messages, nil
}

func (h *ownHub) why(_ context.Context, params message.WhyParams) (message.WhyResult, error) {
	return sidecar.WhyMessage(h.Host, params)
}

func (h *ownHub) doctor(ctx context.Context, sections []message.DoctorSection) ([]message.DoctorRow, error) {
	return doctor.Look(ctx, h.Core, sections), nil
}

func (h *ownHub) asks(context.Context) ([]message.Ask, error) { return h.openAsks(), nil }

func (h *ownHub) openAsks() []message.Ask {
	asks, _ := h.open.Asks()
	return asks
}

func (h *ownHub) tool(_ context.Context, name string) (message.Tool, error) {
	tool, err := h.AnyTool(name)
	return sidecar.ToolMessage(tool, message.ToolSummary), err
}

func (h *ownHub) rules(context.Context) ([]message.PermissionRule, error) {
	rules := []message.PermissionRule{}
	for _, rule := range h.Rules() {
		rules = append(rules, sidecar.RuleMessage(h.Host, rule))
	}
	return rules, nil
}

func (h *ownHub) start(ctx context.Context, connector message.Connector) (message.Connector, error) {
	started, err := h.StartConnector(ctx, string(connector.ID))
	return sidecar.ConnectorMessage(started), err
}

func (h *ownHub) propose(_ context.Context, change message.WantedChange) (message.Ask, bool, error) {
	wanted, err := sidecar.Wanted(change, "")
	if err != nil {
		return message.Ask{}, false, &failure{code: exitUsage, err: err}
	}
	id, err := h.Propose(wanted, host.Caller{Kind: string(message.AskerCLI)})
	if err != nil || id == "" {
		return message.Ask{}, false, err
	}
	for _, ask := range h.openAsks() {
		if string(ask.AskID) == id {
			return ask, true, nil
		}
	}
	return message.Ask{}, false, nil
}

func (h *ownHub) show(_ context.Context, connector message.Connector) (message.Ask, bool, error) {
	waiting, isWaiting := h.WaitingOn(string(connector.ID))
	if !isWaiting {
		return message.Ask{}, false, nil
	}
	ask, err := h.open.Open(editors.Question{
		Body: sidecar.ConsentMessage([]host.Permission{waiting}), Asker: message.Asker{Kind: message.AskerCLI},
		Accept: func(answer message.Answer, by string) error {
			decision, isDecided := answer.(message.ConsentAnswer).Decisions[connector.ID]
			if !isDecided {
				return nil
			}
			ctx, cancel := context.WithTimeout(context.Background(), decideTime)
			defer cancel()
			return h.Decide(ctx, waiting, consent.Decision(decision), by)
		},
	})
	if err == nil {
		h.RecordAsked([]host.Permission{waiting}, string(ask.AskID), host.Caller{Kind: string(message.AskerCLI)})
	}
	return ask, err == nil, err
}

func (h *ownHub) answer(_ context.Context, id message.AskID, answer message.Answer) error {
	raw, err := rpc.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if result := h.open.Answer(id, raw, string(message.AskerCLI)); !result.Accepted {
		return fmt.Errorf("%w: %s", errNotTaken, result.Reason)
	}
	return nil
}

func (h *ownHub) call(ctx context.Context, request message.ToolCallParams, report func(progress)) (message.CallResult, error) {
	outcome, err := h.Call(ctx, host.CallRequest{
		CallID: string(request.CallID), Tool: string(request.Tool), Arguments: request.ArgumentBytes(),
		Caller: host.Caller{Kind: string(message.AskerCLI)}, Timeout: time.Duration(request.TimeoutMS) * time.Millisecond,
		OnProgress: func(said connector.Progress) { report(progressOf(said)) },
	})
	if err == nil && outcome.Status == host.StatusTask {
		outcome, err = h.TaskResult(ctx, outcome.CallID, func(t host.Task) { report(progress{message: t.Message, percent: -1}) })
	}
	if err != nil {
		return message.CallResult{}, err
	}
	return sidecar.ResultMessage(outcome, request.Includes), nil
}

func progressOf(said connector.Progress) progress {
	p := progress{message: said.Message, percent: -1}
	if said.Total > 0 {
		p.percent = int(min(100, max(0, 100*said.Progress/said.Total)))
	}
	return p
}

func (h *ownHub) cancel(_ context.Context, id message.CallID) { h.CancelCall(string(id)) }

func (h *ownHub) fullText(_ context.Context, result message.CallResult) (string, error) {
	if result.FullTextURI == "" {
		return result.Text, nil
	}
	text, err := os.ReadFile(result.FullTextURI.FsPath())
	return string(text), err
}

// ownAsker puts the host's questions on this terminal.
type ownAsker struct{ hub *ownHub }

// Approve implements host.Asker.
func (a ownAsker) Approve(ctx context.Context, approval host.Approval) (host.ApprovalAnswer, error) {
	if !a.hub.hasPerson {
		return host.ApprovalAnswer{}, host.ErrNobody
	}
	return sidecar.Approve(ctx, a.hub.open, approval, nil)
}

// AskInput implements host.Asker.
func (a ownAsker) AskInput(ctx context.Context, q host.InputQuestion) (host.InputAnswer, error) {
	if !a.hub.hasPerson {
		return host.InputAnswer{}, host.ErrNobody
	}
	return sidecar.AskInput(ctx, a.hub.open, message.Asker{Kind: message.AskerCLI}, q, nil)
}

// AskWidening implements host.Asker. The verb puts the question on the terminal.
func (a ownAsker) AskWidening(shown host.Widening, caller host.Caller) (string, error) {
	h := a.hub
	ask, err := h.open.Open(sidecar.WideningQuestion(shown, caller, func(answer message.WidenAnswer, by string) error {
		ctx, cancel := context.WithTimeout(context.Background(), decideTime)
		defer cancel()
		return h.Widen(ctx, shown, answer.Decision == message.WidenMake, by)
	}))
	if err == nil {
		h.RecordProposed(shown, string(ask.AskID), caller)
	}
	return string(ask.AskID), err
}

// Abilities implements host.Asker: there is nobody to ask without a terminal, and never a model.
func (a ownAsker) Abilities() host.Abilities {
	return host.Abilities{Forms: a.hub.hasPerson, Pages: a.hub.hasPerson}
}

// Elicit implements host.Asker.
func (a ownAsker) Elicit(ctx context.Context, q host.Elicitation) (host.ElicitationAnswer, error) {
	if !a.hub.hasPerson {
		return host.ElicitationAnswer{}, host.ErrNobody
	}
	return sidecar.Elicit(ctx, a.hub.open, q, nil)
}

// Sample implements host.Asker.
func (ownAsker) Sample(context.Context, host.Sampling) (host.SamplingAnswer, error) {
	return host.SamplingAnswer{}, host.ErrNobody
}

// AskPermission implements host.Asker. The verb itself asks once the call has come back, and calls again.
func (ownAsker) AskPermission([]host.Permission, host.Caller) {}

// misuse is the failure of a call that could not be made at all.
func misuse(err error) error {
	var unknown *host.UnknownError
	var fault *rpc.Error
	if errors.As(err, &unknown) || errors.As(err, &fault) && fault.Code == rpc.CodeInvalidParams {
		return &failure{code: exitUsage, err: err, steps: []string{"See what there is: pillion mcp list"}}
	}
	return err
}
