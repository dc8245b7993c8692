package connector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// readAll reads all lines with the bound, in pieces of any size.
func readAll(in io.Reader, maxBytes int) (texts []string, skipped []line) {
	r := newLineReader(in, maxBytes)
	for {
		l, err := r.next()
		if err != nil {
			return texts, skipped
		}
		if l.bytes > int64(len(l.text))+1 {
			skipped = append(skipped, l)
			continue
		}
		texts = append(texts, string(l.text))
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*firstBufferBytes)
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n\nb\r\nc", []string{"a", "", "b", "c"}},
		{"{" + long + "}\nb\n", []string{"{" + long + "}", "b"}},
		{"a\r\r\n", []string{"a\r"}},
	} {
		for name, in := range map[string]io.Reader{
			"whole": strings.NewReader(test.in), "halves": iotest.HalfReader(strings.NewReader(test.in)),
			"bytes": iotest.OneByteReader(strings.NewReader(test.in)), "with the error": iotest.DataErrReader(strings.NewReader(test.in)),
		} {
			got, skipped := readAll(in, 1<<20)
			if fmt.Sprint(got) != fmt.Sprint(test.want) || len(skipped) > 0 {
				t.Errorf("%.20q by %s: %.100q, skipped %d", test.in, name, got, len(skipped))
			}
		}
	}
}

func TestC17_LineReaderSkipsWhatIsTooLong(t *testing.T) {
	const limit = 200_000
	message := `{"jsonrpc":"2.0","result":"` + strings.Repeat("x", limit) + `","id":7}`
	noise := strings.Repeat("y", limit+1)
	texts, skipped := readAll(iotest.HalfReader(strings.NewReader("a\n"+message+"\nb\n"+noise+"\nc\n"+message)), limit)
	if fmt.Sprint(texts) != "[a b c]" || len(skipped) != 3 {
		t.Fatalf("texts %.100q, %d skipped", texts, len(skipped))
	}
	for i, want := range []string{"7", "", "7"} {
		l := skipped[i]
		switch {
		case want == "" && l.over != nil:
			t.Errorf("line %d: noise was taken for a message", i)
		case want != "" && (l.over.id != want || !l.over.isReply() || l.bytes != int64(len(message))):
			t.Errorf("line %d: id %q, %d bytes", i, l.over.id, l.bytes)
		}
		if len(l.text) > sampleBytes {
			t.Errorf("line %d: a sample of %d bytes", i, len(l.text))
		}
	}
}

func TestLineReader_OwnedLinesStay(t *testing.T) {
	first := strings.Repeat("a", ownLineBytes)
	r := newLineReader(strings.NewReader("{"+first+"\n{"+strings.Repeat("b", ownLineBytes)+"\n"), maxFrameBytes)
	one, err := r.next()
	if err != nil || !one.isOwned {
		t.Fatal(one.isOwned, err)
	}
	if _, err := r.next(); err != nil {
		t.Fatal(err)
	}
	if string(one.text) != "{"+first {
		t.Error("an owned line was overwritten")
	}
}

func TestScanner_FindsTheIDAtTheTopAlone(t *testing.T) {
	for _, test := range []struct {
		in, id  string
		isReply bool
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"id":8}}`, "7", true},
		{`{"result":{"a":[{"id":8}],"b":"\"id\":9,}"},"jsonrpc":"2.0","id":"x\"y"}`, `"x\"y"`, true},
		{` {"error" : {} , "jsonrpc" : "2.0" , "id" : 3 } trailing {"id":4}`, "3", true},
		{`{"jsonrpc":"2.0","id":7,"method":"m"}`, "7", false},
		{`{"id":7,"result":1}`, "7", false},
		{`{"jsonrpc":"2.0","id":7,"result":{"content":[}}`, "7", true}, // cut short
		{`{"jsonrpc":"2.0","id":{"id":7},"result":1}`, "", false},
		{`["id",7]`, "", false},
		{`x{"jsonrpc":"2.0","id":7,"result":1}`, "", false},
	} {
		whole, pieces := &scanner{}, &scanner{}
		whole.scan([]byte(test.in))
		for i := range len(test.in) {
			pieces.scan([]byte(test.in[i : i+1]))
		}
		for _, s := range []*scanner{whole, pieces} {
			if s.isReply() != test.isReply || test.isReply && s.id != test.id {
				t.Errorf("%s: id %q, reply %v", test.in, s.id, s.isReply())
			}
		}
	}
}

func TestSplice(t *testing.T) {
	for _, test := range []struct {
		params  string
		members []member
		want    string
	}{
		{``, nil, `{}`},
		{`{}`, []member{{"a", []byte(`[ 1 ]`)}}, `{"a":[ 1 ]}`},
		{`{"x":1}`, []member{{"a", []byte(`2`)}, {"b", []byte(`3`)}}, `{"x":1,"a":2,"b":3}`},
		{`{"_meta":{"arguments":1},"name":"arguments","arguments":{},"z":{"arguments":{}}}`, []member{{"arguments", []byte(`{"y":"<"}`)}},
			`{"_meta":{"arguments":1},"name":"arguments","arguments":{"y":"<"},"z":{"arguments":{}}}`},
	} {
		got, err := splice(nil, []byte(test.params), test.members)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.params, got, err, test.want)
		}
	}
	if _, err := splice(nil, []byte(`[1]`), nil); err == nil {
		t.Error("an array was taken for params")
	}
}

func TestValid(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d\ude00"`: `"\ud83d\ude00"`, `"\ud83d"`: `"\ufffd"`, `"\ude00\ud83d"`: `"\ufffd\ufffd"`,
		`"\uD83Dx\uDE00"`: `"\ufffdx\ufffd"`, `"\\ud83d"`: `"\\ud83d"`, `"\ud83d\ud83d\ude00"`: `"\ufffd\ud83d\ude00"`,
		"caf\xe9": "caf\ufffd", `"\ud8`: `"\ud8`, `"\u00e9\`: `"\u00e9\`,
	} {
		if got := string(valid([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é ☃":            "plain é ☃",
		"\x1b[1;31mred\x1b[0m": "red",
		"a\tb\nc\x00":          `a b\u{a}c\u{0}`,
		"\u202eevil\u2066":     `\u{202e}evil\u{2066}`,
		"tag\U000e0041":        `tag\u{e0041}`,
		"\xff\ufffd":           `\xff` + "\ufffd",
		"123456789012345":      "1234567890…",
		"zero\u200bwidth":      `zero\u{200b}w…`,
	} {
		limit := 100
		if strings.HasSuffix(want, "…") {
			limit = 10
		}
		if strings.HasPrefix(in, "zero") {
			limit = 13
		}
		if got := visible(in, limit); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestInteger(t *testing.T) {
	for in, want := range map[string]string{
		`3`: "3 true", `"3"`: "3 false", `3.0`: "3 false", `3e0`: "3 false", `"3.0"`: "3 false", `-4`: "-4 true",
		`3.5`: "no", `null`: "no", `"x"`: "no", `{}`: "no", `1e400`: "no", `9007199254740993`: "9007199254740993 true", `""`: "no", ``: "no", `true`: "no",
	} {
		got := "no"
		if value, isExact, ok := integer(jsontext.Value(in)); ok {
			got = fmt.Sprint(value, isExact)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// quiet is a filter over nothing, whose writer writes nowhere.
func quiet(t testing.TB) *filter {
	f := newFilter(slog.New(slog.DiscardHandler), strings.NewReader(""))
	f.wire = &program{writer: newWriter(io.Discard, &f.alive, time.Hour, func() {})}
	close(f.detached) // nobody reads what is forwarded
	f.detach.Do(func() {})
	t.Cleanup(f.close)
	return f
}

// pending registers an exchange that has been written.
func (f *filter) expect(id int64) *exchange {
	x := newExchange("tools/call")
	x.wireID, x.token = id, id
	x.position.Store(written)
	f.pending[id], f.tokens[id] = x, x
	f.lastID = max(f.lastID, id)
	return x
}

func (f *filter) feed(text string) { f.take(line{text: []byte(text), bytes: int64(len(text))}) }

func TestFilter_OnlyWhatIsAReplyIsOne(t *testing.T) {
	for _, test := range []struct {
		text string
		want string // of exchange 7: result, "refused", "failed", or "" when it still waits
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"a":1}}`, `{"a":1}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"a":1}} trailing text`, `{"a":1}`},
		{`{"jsonrpc":"2.0","method":"x"}{"jsonrpc":"2.0","id":7,"result":{}}`, `{}`},
		{`[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":7,"result":{}}]`, `{}`},
		{`{"id":7,"result":{}}`, `{}`},
		{`{"jsonrpc":"1.0","id":7,"result":{}}`, `{}`},
		{`{"jsonrpc":"2.0","id":7,"result":{},"extra":1}`, `{}`},
		{`{"jsonrpc":"2.0","id":7,"result":{},"error":null}`, `{}`},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`, "refused"},
		{`{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1,"message":"m"}}`, "refused"},
		{`{"jsonrpc":"2.0","id":7,"result":[]}`, "failed"},
		{`{"jsonrpc":"2.0","id":7,"id":8,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","id":7,"id":7,"result":{}}`, "failed"},
		{`{"jsonrpc":"2.0","id":7,"result":{},"result":{"a":1}}`, "failed"},
		{`log {"jsonrpc":"2.0","id":7,"result":{}}`, "failed"},
		{`[log] {"x":1} {"jsonrpc":"2.0","id":7,"result":{}}`, "failed"},
		{`{"level":"error","id":7,"error":"boom"}`, ""},
		{`{"jsonrpc":"2.0","id":8,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":7,"method":5}`, ""},
		{`{"jsonrpc":"2.0","ID":7,"result":{}}`, "failed"}, // a reply without an id, and only one waits
		{`{"jsonrpc":"2.0"}`, ""},
		{`{}`, ""}, {`[]`, ""}, {`[1]`, ""}, {`null`, ""}, {`{`, ""}, {`"x"`, ""}, {"", ""}, {"\xef\xbb\xbf", ""}, {"\x00\xff{", ""},
	} {
		f := quiet(t)
		x := f.expect(7)
		f.feed(test.text)
		got := ""
		if x.isSettled() {
			switch {
			case x.failure != nil:
				got = "failed"
			case x.refusal != nil:
				got = "refused"
			default:
				got = string(x.result)
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q (%v)", test.text, got, test.want, x.failure)
		}
	}
}

func TestFilter_StrayReplyIsNobodysWhenSeveralWait(t *testing.T) {
	f := quiet(t)
	one, two := f.expect(7), f.expect(8)
	f.feed(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
	if one.isSettled() || two.isSettled() {
		t.Error("a reply without an id was given to one of two")
	}
}

func TestFilter_ReplyBeforeItsRequestIsNone(t *testing.T) {
	f := quiet(t)
	x := f.expect(7)
	x.position.Store(queued)
	f.feed(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	if x.isSettled() {
		t.Error("a request that had not left was answered")
	}
}

func TestFilter_NoProgressAfterTheCallReturned(t *testing.T) {
	f := quiet(t)
	x := f.expect(7)
	var got []Progress
	x.onProgress = func(p Progress) { got = append(got, p) }
	for _, params := range []string{
		`{"progressToken":7,"progress":1}`, `{"progressToken":"7","progress":2.5,"total":5,"message":"m"}`,
		`{"progressToken":7.0,"progress":3}`, `{"progressToken":8,"progress":3}`, `{"progressToken":7}`, `{"progressToken":7,"progress":"3"}`,
		`{"progressToken":null,"progress":3}`, `[]`, `{"progress":3}`,
	} {
		f.feed(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + params + `}`)
	}
	x.finish()
	f.feed(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":9}}`)
	if want := "[{1 0 } {2.5 5 m}]"; fmt.Sprint(got) != want {
		t.Errorf("progress %v, want %s", got, want)
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"a":[1,"\ud83d"]}}`, `{"jsonrpc":"2.0","id":"7","error":{"code":1.5}}`, `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`,
		"\ufeff{}", `log {"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1e999}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"content":[}}`, "{\"\x00\xff", `{"jsonrpc":"2.0","id":7,"result":{"resultType":5}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		filter := quiet(t)
		x := filter.expect(7)
		x.onProgress = func(Progress) {}
		reader := newLineReader(iotest.HalfReader(bytes.NewReader(text)), 1<<12)
		for {
			l, err := reader.next()
			if err != nil {
				break
			}
			filter.take(l)
		}
		if x.isSettled() && x.result != nil && (!json.Valid(x.result) || !utf8.Valid(x.result) || x.result[0] != '{') {
			t.Errorf("result %q", x.result)
		}
	})
}

func FuzzReadTools(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},null],"nextCursor":"x"}`))
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"a":{"a":[{}]}}}],"nextCursor":5}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := readPage(raw, "tools")
		if err != nil {
			return
		}
		tools, quarantined := readTools(p.entries, false)
		if len(tools)+len(quarantined) > len(p.entries) {
			t.Errorf("%d tools and %d quarantined of %d", len(tools), len(quarantined), len(p.entries))
		}
		for _, tool := range tools {
			if cut := shallow(tool.InputSchema, 2); !json.Valid(cut) || isTooDeep(cut, 2) {
				t.Errorf("%s cut to %s", tool.InputSchema, cut)
			}
			if tool.Name == "" || len(tool.Hash) != 64 || !json.Valid(tool.InputSchema) {
				t.Errorf("tool %+v", tool)
			}
		}
	})
}

func FuzzHandshake(f *testing.F) {
	f.Add([]byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x"}}`))
	f.Add([]byte(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":true},"_meta":{"io.modelcontextprotocol/serverInfo":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for method, read := range map[string]func(*exchange) (*answer, error){"server/discover": discovered, "initialize": initialized} {
			a, err := read(&exchange{result: raw})
			if err == nil && !json.Valid(a.forSDK(method)) {
				t.Errorf("for the SDK: %s", a.forSDK(method))
			}
		}
	})
}

// gate is a server's stdin that lets through what it is told to.
type gate struct {
	allow chan int // bytes of the next write
	got   bytes.Buffer
}

func (g *gate) Write(b []byte) (int, error) {
	n, ok := <-g.allow
	if !ok {
		return 0, errors.New("closed pipe")
	}
	n = min(n, len(b))
	g.got.Write(b[:n])
	if n < len(b) {
		return n, errors.New("broken pipe")
	}
	return n, nil
}

func TestWriter_KnowsWhatLeft(t *testing.T) {
	g := &gate{allow: make(chan int)}
	w := newWriter(g, &atomic.Int64{}, time.Hour, func() {})
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run()
	}()
	positions := make([]atomic.Int32, 4)
	send := func(i int, text string) {
		if err := w.send(outgoing{frame: []byte(text), position: &positions[i]}); err != nil {
			t.Fatal(err)
		}
	}
	send(0, "first\n")
	g.allow <- 6
	send(1, "second\n") // these two may go in one write
	send(2, "third\n")
	g.allow <- 9
	select {
	case g.allow <- 2: // they went apart
	case <-done:
	}
	<-done
	send3 := w.send(outgoing{frame: []byte("fourth\n"), position: &positions[3]})
	if got := g.got.String(); got != "first\nsecond\nth" {
		t.Errorf("written %q", got)
	}
	third := positions[2].Load()
	if positions[0].Load() != written || positions[1].Load() != written || third != broken {
		t.Errorf("positions %d %d %d", positions[0].Load(), positions[1].Load(), third)
	}
	if send3 == nil || positions[3].Load() != withdrawn {
		t.Errorf("after the end: %v, position %d", send3, positions[3].Load())
	}
}

func TestWriter_WithdrawnIsNeverWritten(t *testing.T) {
	g := &gate{allow: make(chan int, 10)}
	w := newWriter(g, &atomic.Int64{}, time.Hour, func() {})
	one, two := newExchange("x"), newExchange("y")
	for _, x := range []*exchange{one, two} {
		if err := w.send(outgoing{frame: []byte(x.method + "\n"), position: &x.position}); err != nil {
			t.Fatal(err)
		}
	}
	if !one.withdraw() || one.mayHaveRun() {
		t.Error("a queued request could not be withdrawn")
	}
	g.allow <- 100
	close(g.allow)
	batch, _ := w.take()
	if len(batch) != 1 || string(batch[0].frame) != "y\n" || two.withdraw() || !two.mayHaveRun() {
		t.Errorf("%d messages were taken", len(batch))
	}
}

func TestWriter_AnswersHaveABound(t *testing.T) {
	w := newWriter(io.Discard, &atomic.Int64{}, time.Hour, func() {})
	count := 0
	for w.answer([]byte("x\n")) {
		count++
	}
	if count != maxAnswersQueued {
		t.Errorf("%d answers are queued", count)
	}
}

func TestJournal_HoldsTheLastLinesWhateverComes(t *testing.T) {
	j, err := newJournal("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		j.write(bytes.Repeat([]byte("z"), random.IntN(3*maxTailLine)))
		j.write([]byte{"\n\r "[random.IntN(3)]})
	}
	j.write([]byte("\rone\r\ntwo\nthr"))
	j.write([]byte("ee"))
	last := j.last()
	if len(last) != maxTailLines || strings.Join(last[maxTailLines-3:], "|") != "one|two|three" {
		t.Errorf("last %q", last)
	}
	for _, line := range last {
		if len(line) > maxTailLine+len("…") {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if cap(j.tail.current) > 4*maxTailLine {
		t.Errorf("%d bytes are held for the current line", cap(j.tail.current))
	}
}
