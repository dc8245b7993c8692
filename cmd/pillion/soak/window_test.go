//go:build linux

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// window is one editor with its Pillion, and somebody who answers whatever it asks.
type window struct {
	*editortest.Editor
	name  string
	tally *tally
	calls sync.WaitGroup
	stop  context.CancelFunc
	done  chan struct{} // closed once nobody answers any more

	mu      sync.Mutex
	answers map[string]int // by the id of the request
}

func (s *soak) open(t *testing.T, name string, seed uint64) *window {
	t.Helper()
	w := &window{name: name, tally: s.tally, done: make(chan struct{}), answers: map[string]int{}}
	w.Editor = editortest.Start(t, editortest.Options{
		Command: []string{pillion, "--stdio"}, Environ: s.environ, Roots: []string{s.files.repository}, Heard: w.heard, IsBrief: true,
	})
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go w.answer(ctx, rand.New(rand.NewPCG(seed, 1)))
	return w
}

// heard counts the answers to each request: none may have two.
func (w *window) heard(body []byte) {
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(body, &head) != nil || head.Method != "" || len(head.ID) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers[string(head.ID)]++; w.answers[string(head.ID)] == 2 {
		w.tally.fault("%s answered request %s twice: %.300s", w.name, head.ID, body)
	}
}

// answer is the person in front of the editor, who looks up now and then and mostly says yes.
func (w *window) answer(ctx context.Context, random *rand.Rand) {
	defer close(w.done)
	for pause := time.NewTicker(15 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		asks, err := editortest.TryRequest(w.Editor, message.Asks, message.Empty{})
		if err != nil {
			continue // the window is being killed
		}
		for _, ask := range asks.Asks {
			given := reply(ask, random)
			if result, err := editortest.TryRequest(w.Editor, message.AskAnswer, message.AskAnswerParams{AskID: ask.AskID, Answer: given}); err == nil {
				w.tally.add("answer to "+string(ask.Kind), result.Accepted)
			}
		}
	}
}

func reply(ask message.Ask, random *rand.Rand) []byte {
	switch ask.Kind {
	case message.AskConsent:
		var body message.ConsentBody
		_ = json.Unmarshal(ask.Body, &body)
		decisions := map[string]string{}
		for _, item := range body.Items {
			decisions[string(item.Connector)] = pick(random, "allow", "allow", "allow", "later")
		}
		text, _ := json.Marshal(map[string]any{"decisions": decisions})
		return text
	case message.AskStore:
		return []byte(`{"decision":"confirm"}`)
	}
	return fmt.Appendf(nil, `{"decision":%q}`, pick(random, "once", "once", "once", "decline", "session"))
}

func pick[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }

// call calls a tool and waits elsewhere for what comes of it; after within, if that is not zero, it cancels.
func (w *window) call(id message.CallID, tool string, within time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	params := message.ToolCallParams{Tool: message.ToolRef(tool), ArgumentsText: `{"n":"` + string(id) + `"}`, CallID: id}
	if strings.HasPrefix(tool, "sessions.") { // more of them than may have a process at once
		params.SessionID = message.SessionID("s" + id[len(id)-1:])
	}
	answered := editortest.Go(ctx, w.Editor, message.ToolCall, params)
	var hasty *time.Timer
	if within > 0 {
		hasty = time.AfterFunc(within, func() {
			_, _ = editortest.TryRequest(w.Editor, message.CallCancel, message.CallParams{CallID: id})
		})
	}
	w.calls.Go(func() {
		defer cancel()
		outcome := <-answered
		if hasty != nil {
			hasty.Stop()
		}
		if outcome.Err != nil {
			w.tally.refused(id, outcome.Err)
			return
		}
		w.tally.ended(id, outcome.Result)
	})
}

// settle waits until every call has its answer; false if one has none.
func (w *window) settle(within time.Duration) bool {
	settled := make(chan struct{})
	go func() { w.calls.Wait(); close(settled) }()
	select {
	case <-settled:
		return true
	case <-time.After(within):
		return false
	}
}

// leave stops answering.
func (w *window) leave() {
	w.stop()
	<-w.done
}

// isUnknown reports whether what was named is not there any more, as after the last edit of a file.
func isUnknown(err error) bool {
	var answer *rpc.Error
	return errors.As(err, &answer) && answer.Code == rpc.CodeInvalidParams
}

// quiet stops every connector.
func (w *window) quiet() {
	var all sync.WaitGroup
	list, err := editortest.TryRequest(w.Editor, message.Connectors, message.Empty{})
	if err != nil {
		w.tally.fault("%s lists nothing: %v", w.name, err)
		return
	}
	for _, c := range list.Connectors {
		all.Go(func() {
			if _, err := editortest.TryRequest(w.Editor, message.ConnectorStop, message.ConnectorParams{Connector: message.ConnectorRef(c.ID)}); err != nil && !isUnknown(err) {
				w.tally.fault("%s does not stop %s: %v", w.name, c.Name, err)
			}
		})
	}
	all.Wait()
}

// autopsy ends Pillion so that it prints its goroutines, and counts them.
func (w *window) autopsy() (count int, stacks string) {
	_ = syscall.Kill(w.PID(), syscall.SIGQUIT)
	w.Wait()
	for line := range strings.Lines(w.Stderr()) {
		if strings.HasPrefix(line, "goroutine ") {
			count++
		}
	}
	return count, w.Stderr()
}

// residentMiB is the memory of a process, as the kernel has it.
func residentMiB(pid int) float64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// descriptors is how many files a process has open.
func descriptors(pid int) int {
	entries, _ := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	return len(entries)
}

// end shuts the window down as an editor does.
func (w *window) end() {
	_, err := editortest.TryRequest(w.Editor, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	if err != nil {
		w.tally.fault("%s: shutdown: %v", w.name, err)
	}
	editortest.Notify(w.Editor, rpc.Notification[message.Empty]{Method: "exit"}, message.Empty{})
	if code := w.Wait(); code != 0 || w.Stderr() != "" {
		w.tally.fault("%s ended with code %d and said %q", w.name, code, w.Stderr())
	}
}
