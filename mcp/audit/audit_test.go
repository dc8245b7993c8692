package audit

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"pillion/mcp/redact"
	"pillion/mcp/state"
)

func folder(t testing.TB, dir string) *state.Folder {
	t.Helper()
	f, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func newLog(t testing.TB, o Options) (l *Log, path string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	l = New(folder(t, dir), o)
	l.Start()
	t.Cleanup(func() { _ = l.Close() })
	return l, filepath.Join(dir, "audit.jsonl")
}

func flush(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func callIDs(t *testing.T, l *Log) []string {
	t.Helper()
	all := []string{}
	if err := l.Each(func(r Record) bool {
		all = append(all, r.CallID)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestE9_OneLineARecord(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{Window: "w1"})
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	l.Append(Record{
		At: at, Kind: KindCall, CallID: "c1", AskID: "a1", Asker: "editor", Connector: "github", Tool: "get",
		Arguments: jsontext.Value("{ \"n\":12345678901234567890,\n\"s\":\"x\" }"), Allowed: "answer", Status: "ok", DurationMS: 12, MayHaveRun: true,
	})
	l.Append(Record{Kind: KindRule, Window: "w2", Message: "a\nb\xff"})
	flush(t, l)
	raw, err := os.ReadFile(path)
	lines := strings.SplitAfter(string(raw), "\n")
	const want = `{"at":"2026-01-02T03:04:05.000006Z","window":"w1","kind":"call","callId":"c1","askId":"a1","asker":"editor",` +
		`"connector":"github","tool":"get","arguments":{"n":12345678901234567890,"s":"x"},"allowed":"answer","status":"ok","durationMs":12,"mayHaveRun":true}` + "\n"
	if err != nil || len(lines) != 3 || lines[0] != want || !strings.Contains(lines[1], `"window":"w2","kind":"rule","message":"a\nb`+"\ufffd"+`"}`) {
		t.Errorf("got %q, %v", raw, err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	got, err := l.Find("c1")
	if err != nil || len(got) != 1 || !got[0].At.Equal(at) || string(got[0].Arguments) != `{"n":12345678901234567890,"s":"x"}` || !got[0].MayHaveRun {
		t.Errorf("found %+v, %v", got, err)
	}
	for _, id := range []string{"", "c", "c2", "github"} {
		if got, err := l.Find(id); err != nil || len(got) > 0 {
			t.Errorf("found %+v, %v for %q", got, err, id)
		}
	}
}

func TestE7_SecretsStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{})
	const secret = "canary-0123456789"
	set := redact.New(secret)
	l.Append(Record{Kind: KindCall, Arguments: jsontext.Value(`{"token":"` + secret + `","n":1}`), Message: "bad " + secret, Asker: secret, Redact: set})
	// The end of what is kept would cut the secret in two.
	long := `{"a":"` + strings.Repeat("x", maxArgumentsBytes-15) + secret + `"}`
	if err := l.AppendNow(Record{Kind: KindCall, Arguments: jsontext.Value(long), Redact: set}); err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile(path)
	if bytes.Contains(raw, []byte("canary")) || bytes.Count(raw, []byte(redact.Marker)) < 3 {
		t.Errorf("got %.300s", raw)
	}
}

func TestE9_ArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t, Options{})
	for _, arguments := range []string{
		`{"a":"` + strings.Repeat("日", maxArgumentsBytes) + `"}`, `{"torn`, "\xff\xfe", `{"a":1,"a":2}`, `{"a":"\ud800"}`,
	} {
		id := strconv.Itoa(len(arguments))
		l.Append(Record{Kind: KindCall, CallID: id, Arguments: jsontext.Value(arguments)})
		got, err := l.Find(id)
		if err != nil || len(got) != 1 {
			t.Errorf("%.20q: %+v, %v", arguments, got, err)
			continue
		}
		if len(arguments) > maxArgumentsBytes && (got[0].ArgumentsBytes != len(arguments) || len(got[0].Arguments) > maxArgumentsBytes+100 || got[0].Arguments.Kind() != '"') {
			t.Errorf("%.20q: kept %d of %d bytes", arguments, len(got[0].Arguments), got[0].ArgumentsBytes)
		}
	}
}

func TestE9_AppendIsWrittenSoon(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	f := folder(t, dir)
	synctest.Test(t, func(t *testing.T) {
		l := New(f, Options{})
		l.Append(Record{Kind: KindCall, CallID: "before start"})
		l.Start()
		l.Start()
		l.Append(Record{Kind: KindCall, CallID: "after"})
		time.Sleep(linger) // of the fake clock
		synctest.Wait()
		raw, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
		if err != nil || bytes.Count(raw, []byte("\n")) != 2 {
			t.Errorf("got %s, %v", raw, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestO4_WhatMayHaveRunIsKnownAfterACrash(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{Window: "w1"})
	l.Append(Record{Kind: KindAnswer, CallID: "c1"})
	if err := l.AppendNow(Record{Kind: KindWritten, CallID: "c1"}); err != nil {
		t.Fatal(err)
	}
	// Nothing of this process is asked from here on: its memory is gone.
	raw, err := os.ReadFile(path)
	if err != nil || bytes.Count(raw, []byte("\n")) != 2 {
		t.Fatalf("got %s, %v", raw, err)
	}
	got, err := New(folder(t, filepath.Dir(path)), Options{Window: "w2"}).Find("c1")
	if err != nil || len(got) != 2 || got[0].Kind != KindAnswer || got[1].Kind != KindWritten || got[1].Window != "w1" {
		t.Errorf("found %+v, %v", got, err)
	}
}

func TestO2_TornLinesCostThemselvesAlone(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{})
	if err := l.AppendNow(Record{Kind: KindCall, CallID: "1"}); err != nil {
		t.Fatal(err)
	}
	tear := func(text string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	tear(`{"at":"2026-01-02T03:04:05Z","kind":"call","callId":"torn`) // another window dies while this one has the file open
	if err := l.AppendNow(Record{Kind: KindCall, CallID: "2"}); err != nil {
		t.Fatal(err)
	}
	tear(`{"at":"2026`)
	other := New(folder(t, filepath.Dir(path)), Options{}) // and this one finds it there
	if err := other.AppendNow(Record{Kind: KindCall, CallID: "3"}); err != nil {
		t.Fatal(err)
	}
	tear("\n\x00\x00{\"at\":\"\n[]\nnull\n{}\n{\"AT\":\"\",\"KIND\":\"call\"}\n" + strings.Repeat("x", 2*maxLineBytes) + "\n" + strings.Repeat("y", 100<<10) + "\n")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := l.AppendNow(Record{Kind: KindCall, CallID: "4"}); err != nil {
		t.Fatal(err)
	}
	tear(`{"at":"2026-01-02T03:04:05Z","kind":"call","callId":"unfinished"`)
	if got := callIDs(t, l); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
		t.Errorf("got %q", got)
	}
}

func TestE9_RotationKeepsWhatItShould(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{MaxSize: 1000, Keep: 2})
	for i := range 200 {
		l.Append(Record{Kind: KindCall, CallID: strconv.Itoa(i)})
		flush(t, l)
		l.writing.Lock()
		l.rotate()
		l.writing.Unlock()
	}
	got := callIDs(t, l)
	if n := len(got); n < 20 || n > 60 || got[n-1] != "199" || got[0] != strconv.Itoa(200-n) {
		t.Errorf("got %q", got)
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "audit*.jsonl"))
	if len(files) > 3 {
		t.Errorf("files: %q", files)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > 1200 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	for _, id := range got {
		if found, err := l.Find(id); err != nil || len(found) != 1 {
			t.Errorf("call %s: %+v, %v", id, found, err)
		}
	}
}

func TestE9_RotationByAppendNowAlone(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t, Options{MaxSize: 200})
	for range 10 {
		if err := l.AppendNow(Record{Kind: KindWritten, CallID: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil { // waits for the writer
		t.Fatal(err)
	}
	if found, err := l.Find("c"); err != nil || len(found) != 10 {
		t.Errorf("%d records, %v", len(found), err)
	}
}

func TestE9_AFullQueueIsCounted(t *testing.T) {
	t.Parallel()
	l := New(folder(t, filepath.Join(t.TempDir(), "state")), Options{}) // not started: nothing empties the queue
	for range maxQueued + 7 {
		l.Append(Record{Kind: KindCall, CallID: "c"})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var last Record
	n := 0
	if err := l.Each(func(r Record) bool { last, n = r, n+1; return true }); err != nil {
		t.Fatal(err)
	}
	if n != maxQueued+1 || last.Kind != KindLost || last.Count != 7 {
		t.Errorf("%d records, the last %+v", n, last)
	}
	l.Append(Record{Kind: KindCall, CallID: "late"})
	if err := l.AppendNow(Record{Kind: KindCall, CallID: "late"}); err == nil {
		t.Error("written after the end")
	}
	if found, _ := l.Find("late"); len(found) > 0 || l.Close() != nil {
		t.Errorf("found %+v", found)
	}
}

func TestE9_WhatCannotBeWrittenIsSaidAndCounted(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	l, path := newLog(t, Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := l.AppendNow(Record{Kind: KindWritten, CallID: "c"}); err == nil {
			t.Error("no error")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.AppendNow(Record{Kind: KindWritten, CallID: "d"}); err != nil {
		t.Error(err)
	}
	if found, err := l.Find("d"); err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	var counts []int
	_ = l.Each(func(r Record) bool { counts = append(counts, r.Count); return true })
	if !slices.Equal(counts, []int{3, 0}) || strings.Count(said.String(), "audit log not written") != 1 {
		t.Errorf("counted %d, said %s", counts, said.String())
	}
}

func TestE9_ADeletedLogBeginsAnew(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{})
	for _, id := range []string{"1", "2"} {
		if err := l.AppendNow(Record{Kind: KindWritten, CallID: id}); err != nil {
			t.Fatal(err)
		}
		if id == "1" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := callIDs(t, l); !slices.Equal(got, []string{"2"}) {
		t.Errorf("got %q", got)
	}
}

// TestN1_WhatIsNewIsReadAlone follows the log through a rotation, as an index does.
func TestN1_WhatIsNewIsReadAlone(t *testing.T) {
	t.Parallel()
	l, path := newLog(t, Options{Keep: 2})
	read := map[string]int64{}
	next := func() (ids []string, files int) {
		t.Helper()
		found, err := l.EachSince(func(f File) int64 { return read[f.ID] }, func(f File, end int64, r Record) bool {
			read[f.ID] = end
			ids = append(ids, r.CallID)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids, len(found)
	}
	expect := func(files int, want ...string) {
		t.Helper()
		if got, n := next(); !slices.Equal(got, want) || n != files {
			t.Errorf("got %q in %d files, want %q in %d", got, n, want, files)
		}
	}
	add := func(id string) {
		t.Helper()
		if err := l.AppendNow(Record{Kind: KindCall, CallID: id}); err != nil {
			t.Fatal(err)
		}
	}
	expect(0)
	add("1")
	add("2")
	expect(1, "1", "2")
	expect(1)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"at":"2026-01-02T03:04:05Z","kind":"call","callId":"3"}`); err != nil {
		t.Fatal(err)
	}
	expect(1) // it may still be written on
	if _, err := f.WriteString("\nnonsense\n"); err != nil {
		t.Fatal(err)
	}
	expect(1, "3")
	if err := os.Rename(path, strings.TrimSuffix(path, "jsonl")+"1.jsonl"); err != nil {
		t.Fatal(err)
	}
	add("4")
	if _, err := f.WriteString(`{"at":"2026-01-02T03:04:05Z","kind":"call","callId":"late"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	expect(2, "late", "4")
	expect(2)
}

// TestMain lets the test binary be another window that appends.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PILLION_TEST_FOLDER"); dir != "" {
		os.Exit(windowAppends(dir))
	}
	goleak.VerifyTestMain(m)
}

const windows, records = 3, 1500

func manyFiles(name string) Options { return Options{Window: name, MaxSize: 8 << 10, Keep: 500} }

func windowAppends(dir string) int {
	f, err := state.Open(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	l := New(f, manyFiles(os.Getenv("PILLION_TEST_NAME")))
	l.Start()
	for i := range records {
		r := Record{Kind: KindCall, CallID: fmt.Sprintf("%s-%d", l.o.Window, i), Arguments: jsontext.Value(`{"pad":"` + strings.Repeat("x", i%200) + `"}`)}
		if i%50 == 0 { // more often than the writer would
			l.writing.Lock()
			l.rotate()
			l.writing.Unlock()
		}
		if i%3 > 0 {
			if err := l.AppendNow(r); err != nil {
				fmt.Println(err)
				return 1
			}
			continue
		}
		l.Append(r)
	}
	if err := l.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func TestC76_WindowsRotateUnderEachOther(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	l := New(folder(t, dir), manyFiles("reader"))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range windows {
		wg.Go(func() {
			out, err := window(exe, dir, strconv.Itoa(i)).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	seen := map[string]int{}
	if err := l.Each(func(r Record) bool { seen[r.CallID]++; return true }); err != nil {
		t.Fatal(err)
	}
	for i := range windows {
		for j := range records {
			if n := seen[fmt.Sprintf("%d-%d", i, j)]; n != 1 {
				t.Fatalf("record %d of window %d is there %d times", j, i, n)
			}
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "audit.*.jsonl")); len(files) < 5 {
		t.Errorf("hardly rotated: %q", files)
	}
}

func FuzzO2_ParseLine(f *testing.F) {
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","kind":"call","callId":"c"}`), []byte(`{"at":"2026`))
	f.Fuzz(func(t *testing.T, line, before []byte) {
		parseLine(line)
		if bytes.Contains(before, []byte("\n")) {
			return
		}
		good := Record{At: time.Unix(1, 0).UTC(), Kind: KindCall, CallID: string(line), Message: string(before)}.appendLine(nil)
		for _, in := range [][]byte{good, append(bytes.Clone(before), good...)} {
			got, ok := parseLine(bytes.TrimSuffix(in, []byte("\n")))
			if !ok || got.CallID != strings.ToValidUTF8(string(line), "\ufffd") && len(line) < 2 {
				t.Fatalf("%q: %+v, %v", in, got, ok)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	r := Record{Kind: KindCall, CallID: "c-123456", Asker: "editor", Connector: "github", Tool: "get", Arguments: jsontext.Value(`{"a":1}`), Status: "ok"}
	b.Run("Append", func(b *testing.B) {
		l, _ := newLog(b, Options{})
		b.ReportAllocs()
		for b.Loop() {
			l.Append(r)
		}
	})
	b.Run("AppendNow", func(b *testing.B) {
		l, _ := newLog(b, Options{})
		b.ReportAllocs()
		for b.Loop() {
			if err := l.AppendNow(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one call", func(b *testing.B) { // a record before and one after, at the pace of calls
		l, _ := newLog(b, Options{})
		b.ReportAllocs()
		for b.Loop() {
			_ = l.AppendNow(r)
			l.Append(r)
		}
	})
}

func window(exe, dir, name string) *exec.Cmd {
	c := exec.Command(exe)
	c.Env = append(os.Environ(), "PILLION_TEST_FOLDER="+dir, "PILLION_TEST_NAME="+name)
	return c
}
