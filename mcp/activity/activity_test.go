package activity

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"pillion/mcp/audit"
	"pillion/mcp/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// begin is when what these tests record begins.
var begin = time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC)

type world struct {
	t      *testing.T
	log    *audit.Log
	folder string // of the log
	cache  string // of the index
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, folder: filepath.Join(t.TempDir(), "state"), cache: filepath.Join(t.TempDir(), "cache # 100%?")}
	f, err := state.Open(w.folder)
	if err != nil {
		t.Fatal(err)
	}
	w.log = audit.New(f, audit.Options{Window: "w1", Keep: 2})
	t.Cleanup(func() { _ = w.log.Close() })
	return w
}

func (w *world) add(records ...audit.Record) {
	w.t.Helper()
	for _, r := range records {
		if err := w.log.AppendNow(r); err != nil {
			w.t.Fatal(err)
		}
	}
}

// open opens the index, and returns with it how many records had to be read.
func (w *world) open(isAnew bool) (*Index, int) {
	w.t.Helper()
	x, err := Open(w.t.Context(), Options{Log: w.log, Folder: w.cache, IsAnew: isAnew})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = x.Close() })
	var kept int
	if err := x.db.QueryRow("SELECT count(*) FROM record").Scan(&kept); err != nil {
		w.t.Fatal(err)
	}
	return x, kept
}

// oneCall are the records of a call that was asked about, allowed, sent and answered.
func oneCall(id string, at time.Time) []audit.Record {
	r := audit.Record{At: at, CallID: id, SessionID: "s1", Asker: `agent "claude"`, Connector: "github", Tool: "create_issue", Arguments: jsontext.Value(`{"n":12345678901234567890}`)}
	ask, answer, written, end := r, r, r, r
	ask.Kind = audit.KindAsk
	answer.Kind, answer.Asker, answer.Status, answer.Arguments, answer.At = audit.KindAnswer, "editor", "once", nil, at.Add(time.Second)
	written.Kind, written.Allowed, written.MayHaveRun, written.At = audit.KindWritten, "answer", true, at.Add(time.Second)
	end.Kind, end.Allowed, end.MayHaveRun, end.Arguments, end.Status, end.DurationMS, end.At = audit.KindCall, "answer", true, nil, "ok", 250, at.Add(2*time.Second)
	return []audit.Record{ask, answer, written, end}
}

func TestN1_ACallIsPutTogetherFromItsRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(oneCall("c1", begin)...)
	w.add(oneCall("c2", begin.Add(time.Hour))[:3]...) // its window died
	w.add(audit.Record{At: begin, Kind: audit.KindConsent, Connector: "github", Status: "allow"})
	x, _ := w.open(false)
	calls, err := x.Calls(t.Context(), Filter{}, 10)
	if err != nil || len(calls) != 2 {
		t.Fatalf("%+v, %v", calls, err)
	}
	want := Call{
		CallID: "c1", At: begin, Window: "w1", SessionID: "s1", Asker: `agent "claude"`, Connector: "github", Tool: "create_issue",
		Arguments: jsontext.Value(`{"n":12345678901234567890}`), Allowed: "answer", AnsweredBy: "editor", Status: "ok", Duration: 250 * time.Millisecond, MayHaveRun: true,
	}
	if got := calls[1]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if calls[0].CallID != "c2" || calls[0].Status != StatusOpen || !calls[0].MayHaveRun {
		t.Errorf("%+v", calls[0])
	}
	chain, err := x.Records(t.Context(), Filter{CallID: "c1"}, 10)
	if err != nil || len(chain) != 4 || chain[0].Kind != audit.KindAsk || chain[3].Kind != audit.KindCall {
		t.Errorf("%+v, %v", chain, err)
	}
}

func TestN1_FiltersChoose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(oneCall("c1", begin)...)
	w.add(oneCall("c2", begin.Add(time.Hour))...)
	w.add(audit.Record{At: begin.Add(2 * time.Hour), Kind: audit.KindRule, Window: "w2", Connector: "notes", Status: "added"})
	x, _ := w.open(false)
	for _, test := range []struct {
		filter Filter
		want   int
	}{
		{Filter{}, 9},
		{Filter{Since: begin.Add(time.Hour)}, 5},
		{Filter{Until: begin.Add(time.Hour)}, 4},
		{Filter{Kinds: []string{"ask", "call"}}, 4},
		{Filter{Connector: "notes"}, 1},
		{Filter{Tool: "create_issue"}, 8},
		{Filter{Tool: "create"}, 0},
		{Filter{Asker: "claude"}, 6},
		{Filter{Asker: "'; DROP TABLE record; --"}, 0},
		{Filter{Status: "ok", Connector: "github"}, 2},
		{Filter{Window: "w2"}, 1},
	} {
		if got, err := x.Records(t.Context(), test.filter, 100); err != nil || len(got) != test.want {
			t.Errorf("%+v: %d records, want %d (%v)", test.filter, len(got), test.want, err)
		}
		held := 0
		if err := w.log.Each(func(r audit.Record) bool {
			if test.filter.Holds(r) {
				held++
			}
			return true
		}); err != nil || held != test.want {
			t.Errorf("%+v holds for %d records, want %d (%v)", test.filter, held, test.want, err)
		}
	}
	if got, err := x.Records(t.Context(), Filter{}, 2); err != nil || len(got) != 2 || got[1].Kind != audit.KindRule {
		t.Errorf("the newest two: %+v, %v", got, err)
	}
	if got, err := x.Calls(t.Context(), Filter{Status: "ok"}, 1); err != nil || len(got) != 1 || got[0].CallID != "c2" || len(got[0].Arguments) == 0 {
		t.Errorf("the newest call: %+v, %v", got, err)
	}
}

// TestN1_TheIndexIsWhatTheLogSays holds it to the log whatever happened to either: rotation, deletion, a broken or foreign index.
func TestN1_TheIndexIsWhatTheLogSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.cache, FileName)
	number := 0
	more := func(n int) {
		for range n {
			number++
			w.add(audit.Record{At: begin.Add(time.Duration(number) * time.Second), Kind: audit.KindCall, CallID: strconv.Itoa(number), Connector: "c", Status: "ok"})
		}
	}
	isEqual := func(what string) {
		t.Helper()
		x, _ := w.open(false)
		records, err := x.Records(t.Context(), Filter{}, 1000)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var got, want []string
		for _, r := range records {
			got = append(got, r.CallID)
		}
		if err := w.log.Each(func(r audit.Record) bool { want = append(want, r.CallID); return true }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the index has %q, the log %q", what, got, want)
		}
		_ = x.Close()
	}
	isEqual("an empty log")
	more(3)
	isEqual("a first file")
	more(2)
	isEqual("more of it")
	for n := 1; n >= 0; n-- { // as rotation does
		_ = os.Rename(filepath.Join(w.folder, strings.Replace("audit.N.jsonl", ".N", map[int]string{0: "", 1: ".1"}[n], 1)), filepath.Join(w.folder, fmt.Sprintf("audit.%d.jsonl", n+1)))
	}
	more(2)
	isEqual("a rotated log")
	_ = os.Remove(filepath.Join(w.folder, "audit.1.jsonl"))
	isEqual("a file that is gone")
	for what, text := range map[string]string{"nonsense": strings.Repeat("nonsense", 1000), "nothing": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		isEqual("an index of " + what)
	}
	x, _ := w.open(false)
	if _, err := x.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	_ = x.Close()
	isEqual("an index of another version")
	if err := os.Truncate(filepath.Join(w.folder, "audit.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	isEqual("a log that was emptied")
	more(1)
	isEqual("and begun anew")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.RemoveAll(w.cache); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.cache, nil, 0o600); err != nil { // no folder can be made
		t.Fatal(err)
	}
	isEqual("no index that can be kept")
}

func TestN1_OnlyWhatIsNewIsTakenIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(oneCall("c1", begin)...)
	w.open(false)
	x, _ := w.open(false)
	if _, err := x.db.Exec("UPDATE record SET status = 'kept'"); err != nil {
		t.Fatal(err)
	}
	w.add(oneCall("c2", begin)...)
	x, n := w.open(false)
	if kept, err := x.Records(t.Context(), Filter{Status: "kept"}, 10); err != nil || len(kept) != 4 || n != 8 {
		t.Errorf("%d of %d records are the earlier ones, %v", len(kept), n, err)
	}
	x, _ = w.open(true)
	if kept, err := x.Records(t.Context(), Filter{Status: "kept"}, 10); err != nil || len(kept) != 0 {
		t.Errorf("made anew it still has %d, %v", len(kept), err)
	}
}

func TestN1_StatsCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := func(tool, status, message string, ms int64, ran bool, at time.Time) audit.Record {
		return audit.Record{At: at, Kind: audit.KindCall, CallID: fmt.Sprint(tool, ms, status), Connector: "c", Tool: tool, Status: status, Message: message, DurationMS: ms, MayHaveRun: ran}
	}
	for ms := int64(1); ms <= 100; ms++ {
		w.add(end("fast", "ok", "", ms, true, begin))
	}
	w.add(
		end("slow", "ok", "", 5000, true, begin),
		end("slow", "toolError", `no issue "PILL-7" in /home/me/repo: 404`, 4000, true, begin.Add(2*time.Hour)),
		end("slow", "toolError", `no issue "PILL-81" in /home/other/x.git: 503`, 10, true, begin.Add(2*time.Hour)),
		end("slow", "timeout", "no answer in 30s", 30000, true, begin.Add(2*time.Hour)),
		end("slow", "declined", "no", 90000, false, begin.Add(2*time.Hour)),
		audit.Record{At: begin, Kind: audit.KindLost, Count: 3},
	)
	x, _ := w.open(false)
	s, err := x.Stats(t.Context(), Filter{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if s.Calls != 105 || s.Lost != 3 || s.LogBytes == 0 || !s.First.Equal(begin) || !s.Last.Equal(begin.Add(2*time.Hour)) {
		t.Errorf("%+v", s)
	}
	if d := s.Durations; d.Calls != 104 || d.P50 != 51*time.Millisecond || d.P99 != 5*time.Second || d.Most != 30*time.Second {
		t.Errorf("durations %+v", d)
	}
	if d := s.Tools[0]; d.Tool != "fast" || d.Durations.P50 != 50*time.Millisecond || d.Durations.P95 != 95*time.Millisecond || d.Durations.P99 != 99*time.Millisecond {
		t.Errorf("%+v", d)
	}
	if c := s.Connectors[0]; len(s.Connectors) != 1 || c.Calls != 105 || c.Failed != 3 || c.Refused != 1 {
		t.Errorf("%+v", s.Connectors)
	}
	if len(s.Slowest) != 3 || s.Slowest[0].Duration != 30*time.Second || s.Slowest[2].Duration != 4*time.Second {
		t.Errorf("%+v", s.Slowest)
	}
	if len(s.Faults) != 2 || s.Faults[0].Template != `no issue "…" in <path>: <n>` || s.Faults[0].Calls != 2 || s.Faults[1].Template != "no answer in <n>s" {
		t.Errorf("%+v", s.Faults)
	}
	if len(s.Days) != 2 || s.Days[0].Day != "2026-03-04" || s.Days[0].Calls != 101 || s.Days[1].Failed != 3 {
		t.Errorf("%+v", s.Days)
	}
}

// TestN1_PercentilesAreExact holds them to their definition.
func TestN1_PercentilesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * time.Millisecond
		}), 1, 300).Draw(t, "all")
		d := durationsOf(slices.Clone(all))
		for percent, got := range map[int]time.Duration{50: d.P50, 95: d.P95, 99: d.P99, 100: d.Most} {
			below, within := 0, 0
			for _, one := range all {
				if one < got {
					below++
				}
				if one <= got {
					within++
				}
			}
			if !slices.Contains(all, got) || within*100 < percent*len(all) || below*100 >= percent*len(all) {
				t.Fatalf("p%d of %v is %v", percent, all, got)
			}
		}
	})
}
