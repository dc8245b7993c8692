package connector

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"pillion/mcp/process"
)

// program is the link to a server that is a process of Pillion's own.
type program struct {
	*writer
	session  *session
	process  *process.Process
	quiet    chan struct{} // stderr has ended
	isWedged atomic.Bool   // it was killed because it did not read
}

// spawn starts the program.
func (c *Connector) spawn() (*session, error) {
	c.setPhase("starting the program")
	d := &c.definition
	if info, err := os.Stat(d.Dir); err != nil || !info.IsDir() {
		return nil, c.folderProblem()
	}
	var guard *process.Guard
	if c.options.Guard != nil {
		var err error
		if guard, err = c.options.Guard(); err != nil {
			return nil, c.internalProblem(err)
		}
	}
	journal := c.openJournal()
	p, err := process.Start(process.Spec{Path: d.Program, Args: d.Args, Env: d.Env, Dir: d.Dir, Marker: process.NewMarker(d.ID)}, guard)
	if err != nil {
		journal.close()
		return nil, c.programProblem(err)
	}
	journal.note(fmt.Sprintf("started, process %d", p.PID()))
	s := newSession(c, journal, p.Stdout)
	link := &program{session: s, process: p, quiet: make(chan struct{})}
	link.writer = newWriter(p.Stdin, &s.filter.alive, c.tuning.stall, link.stalled)
	c.begin(s, link)
	return s, nil
}

// begin starts what moves the bytes.
func (p *program) begin() {
	s := p.session
	s.workers.Go(s.filter.read)
	s.workers.Go(p.run)
	s.workers.Go(func() {
		defer close(p.quiet)
		s.journal.copyFrom(p.process.Stderr, func(n int) {
			s.talk()
			s.filter.alive.Add(int64(n))
		})
	})
	s.workers.Go(p.watch)
}

func (p *program) agree(*answer) {}

// cancel sends the notification.
func (p *program) cancel(_ *exchange, notice outgoing) { _ = p.send(notice) }

// stalled ends a server that has stopped reading while somebody waits for it to, and that says nothing either.
func (p *program) stalled() {
	p.session.journal.note("has not read its stdin for too long, killing it")
	p.isWedged.Store(true)
	p.process.Kill()
}

// watch waits for the program's end, or the end of its stdout, and says why calls cannot be answered any longer.
func (p *program) watch() {
	s := p.session
	select {
	case <-s.filter.ended:
	case <-p.process.Exited():
		// What it printed last may hold answers.
		wait(s.filter.ended, s.connector.tuning.settle)
	case <-s.ctx.Done():
		return
	}
	s.lose(p.obituary())
}

// hasEnded reports whether the program, or its stdout, has.
func (p *program) hasEnded() bool {
	select {
	case <-p.session.filter.ended:
		return true
	case <-p.process.Exited():
		return true
	default:
		return false
	}
}

func (p *program) end() {
	p.process.Stop(context.Background(), p.session.connector.options.Timing)
	<-p.process.Gone()
	code, signal := p.process.ExitCode()
	p.session.journal.note("ended: " + exitPhrase(code, signal))
}

func (p *program) hurry() { p.process.Kill() }

func (p *program) describe(status *Status) {
	status.PID, status.StartedAt = p.process.PID(), p.process.StartedAt()
}

func (p *program) refused(err *refusedError) *Problem {
	c := p.session.connector
	return c.newProblem(ProblemProtocol, "it refused the handshake: "+visible(err.Error(), maxReasonBytes),
		"Check that the program is an MCP server over stdio and that its arguments are right.", c.logStep(), c.terminalStep())
}

// unanswered is about a program that runs and has not answered.
func (p *program) unanswered(silent *silentError) *Problem {
	c, s := p.session.connector, p.session
	within := fmt.Sprintf("within %s", silent.after.Round(time.Millisecond))
	if printed := s.filter.noise.first(); printed != "" && s.filter.messages.Load() == 0 {
		return c.newProblem(ProblemProtocol, fmt.Sprintf(`speaks no MCP: it printed "%s" and no answer %s`, printed, within),
			"Check that the program is an MCP server over stdio; many need an argument such as \"mcp\", \"serve\" or \"--stdio\".", c.terminalStep())
	}
	reason := "no answer " + within
	if lines := s.journal.last(); len(lines) > 0 {
		reason += "; it said last: " + visible(lastWords(lines), maxReasonBytes)
	}
	return c.newProblem(ProblemTimeout, reason, c.logStep(),
		"If it only needs longer, raise \"startTimeout\" under \"pillion\" in the entry.", c.terminalStep())
}

// obituary says how the program ended, from its exit and what it wrote.
func (p *program) obituary() *Problem {
	c, s := p.session.connector, p.session
	if !wait(p.process.Exited(), c.tuning.settle) {
		problem := c.newProblem(ProblemProtocol, "closed its stdout but is still running", c.logStep(), c.terminalStep())
		problem.LastStderr = s.journal.last()
		return problem
	}
	wait(p.quiet, c.tuning.settle)
	if p.isWedged.Load() {
		problem := c.newProblem(ProblemTimeout, fmt.Sprintf("did not read its stdin for %s and was ended", c.tuning.stall), c.logStep())
		problem.LastStderr = s.journal.last()
		return problem
	}
	code, signal := p.process.ExitCode()
	reason := "server " + exitPhrase(code, signal)
	lines := s.journal.last()
	if len(lines) > 0 {
		reason += ": " + visible(s.journal.telling(), maxReasonBytes)
	} else if printed := s.filter.noise.first(); printed != "" && s.filter.messages.Load() == 0 {
		reason += fmt.Sprintf(`; it printed "%s"`, printed)
	}
	problem := c.newProblem(ProblemExited, reason, c.logStep(), c.terminalStep())
	problem.ExitCode, problem.LastStderr = code, lines
	return problem
}

// exitPhrase says how a program ended.
func exitPhrase(code int, signal string) string {
	if signal != "" {
		return "was ended by " + signal
	}
	return fmt.Sprintf("exited (%d)", code)
}

func (c *Connector) logStep() string {
	if c.options.LogFile == "" {
		return "Read the last lines that it wrote to stderr."
	}
	return fmt.Sprintf("Read the end of its log, %s.", c.options.LogFile)
}

func (c *Connector) terminalStep() string {
	line := shellLine(append([]string{c.definition.Program}, c.definition.Args...))
	if line == "" {
		return "Run the command of its entry in a terminal, and see what it says."
	}
	return "Run its command in a terminal and see what it says: " + line
}

// shellLine is a command as a POSIX shell takes it for exactly these words. It is meant to be pasted, and somebody else wrote it
// (S17): one that is too long to be shown whole, or that no quotes make safe, is left out.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		switch {
		case word != "" && strings.Trim(word, shellSafe) == "":
			quoted[i] = word
		case runtime.GOOS == "windows" || visible(word, maxReasonBytes) != word:
			return ""
		default:
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	if line := strings.Join(quoted, " "); len(line) <= maxReasonBytes {
		return line
	}
	return ""
}

// shellSafe are the characters that mean nothing to any shell.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/@+="
