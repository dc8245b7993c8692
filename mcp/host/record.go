package host

import (
	"cmp"
	"strconv"
	"time"

	"pillion/mcp/audit"
	"pillion/mcp/consent"
)

// record puts one line into the audit log (E9).
func (h *Host) record(r audit.Record) {
	r.Redact = h.knownSecrets()
	h.audit.Append(r)
}

// Record is the audit log, to read it. The host closes it.
func (h *Host) Record() *audit.Log { return h.audit }

// recordWritten says that a call is about to leave. For a tool that may change something the line is in the file first, so
// that after the end of this process, however it came, it is known that the call may have run.
func (h *Host) recordWritten(c *call, mustLast bool) {
	r := c.record(audit.KindWritten)
	r.Allowed, r.Rule, r.MayHaveRun = c.allowedBy, c.rule, true
	if !mustLast {
		h.record(r)
		return
	}
	r.Redact = h.knownSecrets()
	if err := h.audit.AppendNow(r); err != nil {
		h.log.Warn("audit record not written", "call", c.request.CallID, "error", err)
	}
}

func (c *call) record(kind string) audit.Record {
	return audit.Record{
		Kind: kind, CallID: c.request.CallID, SessionID: c.request.SessionID, Asker: c.request.Caller.String(),
		Connector: c.tool.ConnectorName, Tool: cmp.Or(c.tool.Name, c.request.Tool), Arguments: c.arguments,
	}
}

func (c *call) endRecord(outcome Result) audit.Record {
	r := c.record(audit.KindCall)
	r.Arguments = nil // the record of the written call has them
	if !outcome.MayHaveRun {
		r.Arguments = c.arguments
	}
	r.Allowed, r.Rule, r.Status, r.Message = outcome.AllowedBy, outcome.Rule, string(outcome.Status), outcome.Message
	r.DurationMS, r.MayHaveRun = outcome.Duration.Milliseconds(), outcome.MayHaveRun
	return r
}

func (c *call) askRecord(reason string) audit.Record {
	r := c.record(audit.KindAsk)
	r.Message = reason
	return r
}

func (c *call) answerRecord(answer ApprovalAnswer) audit.Record {
	r := c.record(audit.KindAnswer)
	r.Arguments = answer.Arguments
	r.Asker, r.Status, r.Message = answer.By, answer.Decision, answer.Text
	return r
}

func consentAskRecord(p Permission, askID string, caller Caller) audit.Record {
	return audit.Record{Kind: audit.KindAsk, AskID: askID, Asker: caller.String(), Connector: p.Entry.Name, Message: p.Root + " " + p.Hash}
}

func consentRecord(p Permission, decision consent.Decision, by string) audit.Record {
	return audit.Record{Kind: audit.KindConsent, Asker: by, Connector: p.Entry.Name, Status: string(decision), Message: p.Root + " " + p.Hash}
}

func revokeRecord(root, connector string) audit.Record {
	return audit.Record{Kind: audit.KindConsent, Connector: connector, Status: "revoked", Message: root}
}

// String names the caller in a listing.
func (c Caller) String() string {
	text := c.Kind
	if c.Name != "" {
		text += " " + strconv.Quote(c.Name)
	}
	if c.Program != "" {
		text += " " + c.Program
	}
	if c.PID != 0 {
		text += " (pid " + strconv.Itoa(c.PID) + ")"
	}
	return text
}

// FindCall tells what became of a call, of this session or, from the audit log, of an earlier one (O4).
func (h *Host) FindCall(id string) (CallEntry, error) {
	if entry, isKnown := h.calls.find(id); isKnown {
		return entry, nil
	}
	records, err := h.audit.Find(id)
	if err != nil {
		return CallEntry{CallID: id, State: CallUnknown}, err
	}
	entry := CallEntry{CallID: id, State: CallUnknown}
	for _, r := range records {
		entry.At, entry.Tool = r.At, Label(r.Connector, r.Tool)
		switch r.Kind {
		case audit.KindWritten:
			entry.State = CallMayHaveRun
		case audit.KindCall:
			entry.State = CallFinished
			entry.Result = &Result{CallID: id, Tool: entry.Tool, Status: Status(r.Status), Message: r.Message, MayHaveRun: r.MayHaveRun, AllowedBy: r.Allowed, Rule: r.Rule, Duration: time.Duration(r.DurationMS) * time.Millisecond}
		}
	}
	return entry, nil
}

// recordRule keeps what a person changed about which calls run: a rule, the mode, a store.
func (h *Host) recordRule(connector, tool, change, detail string) {
	h.record(audit.Record{Kind: audit.KindRule, Connector: connector, Tool: tool, Status: change, Message: detail})
}

// RecordJoin keeps what a person said of a program that wants to join.
func (h *Host) RecordJoin(caller Caller, decision, by string) {
	h.record(audit.Record{Kind: audit.KindAnswer, Asker: by, Status: decision, Message: "join: " + caller.String()})
}
