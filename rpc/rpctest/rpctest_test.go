package rpctest_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pillion/rpc"
	"pillion/rpc/rpctest"
)

// serve serves the small server in memory.
func serve(t testing.TB, o rpc.Options) *rpctest.Peer {
	var c atomic.Pointer[rpc.Conn]
	router := newRouter(c.Load)
	return rpctest.ServeConn(t, func(in io.ReadCloser, out io.WriteCloser) *rpc.Conn {
		c.Store(rpc.NewConn(in, out, router, o))
		return c.Load()
	})
}

// play plays text on a fresh server.
func play(t *testing.T, text string, o rpctest.PlayOptions) (string, error) {
	t.Helper()
	script, err := rpctest.ParseTranscript("script", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	err = script.Play(serve(t, rpc.Options{}), o)
	return string(script.Bytes()), err
}

func TestPlay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, failure string // failure: "" for none, else what the error says
	}{
		{"subset", `
> {"id":1,"method":"echo","params":{"a":1,"b":{"c":[1,2],"d":null}}}
< {"id":1,"result":{"b":{"c":[1,2]}}}`, ""},
		{"other value", `
> {"id":1,"method":"echo","params":{"a":[1,{"b":2}]}}
< {"id":1,"result":{"a":[1,{"b":3}]}}`, "/result/a/1/b is 2, expected 3"},
		{"digits", `
> {"id":1,"method":"echo","params":[1.0]}
< {"id":1,"result":[1]}`, "/result/0 is 1.0, expected 1"},
		{"longer array", `
> {"id":1,"method":"echo","params":[1,2]}
< {"id":1,"result":[1]}`, "/result has 2 elements, expected 1"},
		{"open array", `
> {"id":1,"method":"echo","params":[1,2,3]}
< {"id":1,"result":[1,"$more"]}`, ""},
		{"wildcards", `
> {"id":1,"method":"echo","params":{"s":"x","n":1,"b":true,"o":{},"a":[],"z":null}}
< {"id":1,"result":{"s":"$string","n":"$number","b":"$bool","o":"$object","a":"$array","z":"$any","q":"$absent"}}`, ""},
		{"wrong kind", `
> {"id":1,"method":"echo","params":{"s":1}}
< {"id":1,"result":{"s":"$string"}}`, `/result/s is 1, expected "$string"`},
		{"present", `
> {"id":1,"method":"echo","params":{"s":null}}
< {"id":1,"result":{"s":"$absent"}}`, "/result/s is present"},
		{"missing", `
> {"id":1,"method":"echo","params":{}}
< {"id":1,"result":{"s":"$any"}}`, "/result/s is missing"},
		{"pattern", `
> {"id":1,"method":"echo","params":["abc"]}
< {"id":1,"result":["$match ^a.c$"]}`, ""},
		{"other pattern", `
> {"id":1,"method":"echo","params":["abc"]}
< {"id":1,"result":["$match ^b"]}`, "/result/0"},
		{"names", `
> {"id":1,"method":"echo","params":{"id":12345678901234567890,"text":"a\"b"}}
< {"id":1,"result":{"id":"${number}","text":"${text}"}}
> {"id":2,"method":"echo","params":{"n":"${number}","s":"<${text}> ${number} ${given}"}}
< {"id":2,"result":{"n":12345678901234567890,"s":"<a\"b> 12345678901234567890 ü"}}
> {"id":3,"method":"echo","params":["${text}"]}
< {"id":3,"result":["${text}"]}`, ""},
		{"name with another value", `
> {"id":1,"method":"echo","params":[1,2]}
< {"id":1,"result":["${x}","${x}"]}`, "/result/1 is 2, expected 1"},
		{"unbound name", `
> {"id":1,"method":"echo","params":["${nobody}"]}`, "${nobody} is not bound"},
		{"any order", `
> {"id":1,"method":"count"}
> {"id":2,"method":"echo","params":[]}
< {"id":2,"result":"$any"}
< {"method":"shown","params":{"n":2}}
# a comment is no end of the block

< {"id":1,"result":{"count":3}}
< {"method":"shown","params":{"n":0}}`, ""},
		{"message that does not come", `
> {"id":1,"method":"echo","params":[]}
< {"id":1,"result":"$any"}
< {"method":"never"}`, "line 4 not met: < {\"method\":\"never\"}"},
		{"answer nobody expects", `
> {"id":1,"method":"echo","params":[]}
> {"id":2,"method":"echo","params":[]}
< {"id":2,"result":"$any"}
>eof
= exit 0`, "an answer that no line expects"},
		{"call of the server's", `
> {"id":1,"method":"ask"}
< {"id":"${call}","method":"window/ask"}
> {"id":"${call}","result":"yes"}
< {"id":1,"result":"yes"}`, ""},
		{"continuation, split and body", `
> {"id":1,
   "method":"echo",
	"params":["ä"]}
< {"id":1,
   "result":["ä"]}
>split {"id":2,"method":"echo","params":["ä"]}
< {"id":2,"result":["ä"]}
>body "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"echo\",\"params\":[1]}"
< {"id":3,"result":[1]}
>fill 100
< {"id":null,"error":{"code":-32700}}
>raw "Content-Length: x\r\n\r\n"
= exit 2`, ""},
		{"other exit code", `
> {"method":"quit"}
= exit 1`, "the exit code is 0"},
		{"no exit", `
> {"id":1,"method":"echo","params":[]}
= exit 0`, "has not ended"},
		{"end while waiting", `
> {"method":"quit"}
< {"method":"never"}`, "the peer ended"},
		{"empty line without update", "\n> {\"id\":1,\"method\":\"echo\"}\n<", "line 3 not met"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := rpctest.PlayOptions{Vars: map[string]string{"given": "ü"}}
			if c.failure != "" {
				// Nothing that such a script waits for comes.
				o.Timeout = 300 * time.Millisecond
			}
			text, err := play(t, c.text, o)
			if c.failure == "" && err != nil || c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
				t.Errorf("error %v, expected %q", err, c.failure)
			}
			if text != c.text {
				t.Errorf("the transcript was changed:\n%s", text)
			}
		})
	}
}

func TestParseTranscriptRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x", "<<", "> ", "> [1]", "> {", "< 1", "< {}{}", ">body x", ">raw \"", ">fill x", ">fill -1", "= exit", "= exit zero",
		"= stderr", "= nothing", ">eof now", "> {\"a\":1,\"a\":2}", ">{}",
	} {
		if _, err := rpctest.ParseTranscript("t", []byte("# first\n"+text)); err == nil || !strings.HasPrefix(err.Error(), "t:2: ") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestUpdateRewritesWhatDiffers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "script.txt")
	before := `# kept
> {"id":1,"method":"echo","params":[1,1.0]}
< {"id":1,"result":[2]}
> {"id":2,"method":"echo","params":["x"]}
<
> {"id":3,"method":"echo","params":["y"]}
< {"id":3,   "result":["$string"]}
`
	after := `# kept
> {"id":1,"method":"echo","params":[1,1.0]}
< {"id":1,"result":[1,1.0]}
> {"id":2,"method":"echo","params":["x"]}
< {"id":2,"result":["x"]}
> {"id":3,"method":"echo","params":["y"]}
< {"id":3,   "result":["$string"]}
`
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	rpctest.Play(t, path, serve(t, rpc.Options{}), rpctest.PlayOptions{Update: true})
	got, err := os.ReadFile(path)
	if err != nil || string(got) != after {
		t.Fatalf("the file is\n%s\n%v", got, err)
	}
	rpctest.Play(t, path, serve(t, rpc.Options{}), rpctest.PlayOptions{})
}

// session is played to be traced.
const session = `
> {"id":1,"method":"count"}
< {"id":1,"result":{"count":3}}
< {"method":"shown","params":{"n":0}}
< {"method":"shown","params":{"n":1}}
< {"method":"shown","params":{"n":2}}
>body "{\n \"jsonrpc\": \"2.0\",\n \"id\": \"two\", \"method\":\"ask\"\n}"
< {"id":"${call}","method":"window/ask"}
> {"id":"${call}","result":"yes"}
< {"id":"two","result":"yes"}
>body "{\xff"
< {"id":null,"error":{"code":-32700}}
> {"method":"quit"}
= exit 0
`

func TestTraceIsReplayed(t *testing.T) {
	t.Parallel()
	var trace bytes.Buffer // both goroutines of a connection write through one lock
	redact := func(body []byte) []byte { return bytes.ReplaceAll(body, []byte("2026"), []byte("[REDACTED]")) }
	script, err := rpctest.ParseTranscript("session", []byte(session))
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Play(serve(t, rpc.Options{Trace: rpc.NewTracer(&trace, redact)}), rpctest.PlayOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"\n> {\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"ask\"}\n", "\n>body \"{\\xff\"\n",
		"\n< {\"jsonrpc\":\"2.0\",\"id\":\"two\",\"result\":\"yes\"}\n", "[REDACTED]",
	} {
		if !strings.Contains(trace.String(), line) {
			t.Errorf("the trace has no %q:\n%s", line, trace.String())
		}
	}
	// The numbers of calls differ from session to session.
	text := strings.ReplaceAll(trace.String(), `"id":1,"method":"window`, `"id":17,"method":"window`)
	text = strings.ReplaceAll(text, `"method":"window/ask","params":{"q":"?"},"id":1}`, `"method":"window/ask","params":{"q":"?"},"id":17}`)
	text = strings.ReplaceAll(text, `{"jsonrpc":"2.0","id":1,"result":"yes"}`, `{"jsonrpc":"2.0","id":17,"result":"yes"}`)
	if !strings.Contains(text, `"id":17`) {
		t.Fatalf("the trace has no call of the server's:\n%s", text)
	}
	replay, err := rpctest.ParseTranscript("trace", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.Play(serve(t, rpc.Options{}), rpctest.PlayOptions{Replay: true}); err != nil {
		t.Error(err)
	}
	// A replay still notices another outcome.
	other, err := rpctest.ParseTranscript("trace", []byte(strings.Replace(text, "-32700", "-32600", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Play(serve(t, rpc.Options{}), rpctest.PlayOptions{Replay: true, Timeout: 300 * time.Millisecond}); err == nil {
		t.Error("the replay took one error code for another")
	}
}

// start starts this test binary as a server.
func start(t *testing.T) *rpctest.Peer {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverVar+"=1")
	return rpctest.Start(t, cmd)
}

func TestProcess(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		session + "= stderr empty\n",
		"> {\"id\":1,\"method\":\"echo\",\"params\":[1]}\n< {\"id\":1,\"result\":[1]}\n>eof\n= exit 0\n= stderr empty\n",
		">raw \"Content-Length: -1\\r\\n\\r\\n\"\n= exit 2\n= stderr \"Content-Length\"\n",
	} {
		script, err := rpctest.ParseTranscript("process", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := script.Play(start(t), rpctest.PlayOptions{}); err != nil {
			t.Error(err)
		}
	}
	silent, err := rpctest.ParseTranscript("process", []byte(">raw \"x\\n\"\n= exit 2\n= stderr empty\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := silent.Play(start(t), rpctest.PlayOptions{}); err == nil || !strings.Contains(err.Error(), "expected nothing") {
		t.Errorf("output on stderr was not noticed: %v", err)
	}
}

func TestNothingButFrames(t *testing.T) {
	t.Parallel()
	for _, out := range []string{"hello\n", "Content-Length: 3\r\n\r\n{}", "Content-Length: x\r\n\r\n{}", "Content-Length: 1\r\n\r\n7", "Content-Length: 1\r\n\r\n{"} {
		script, err := rpctest.ParseTranscript("t", []byte("< {\"id\":1}"))
		if err != nil {
			t.Fatal(err)
		}
		p := &rpctest.Peer{In: nopCloser{io.Discard}, Out: strings.NewReader(out), Wait: func() (int, error) { return 0, nil }}
		if err := script.Play(p, rpctest.PlayOptions{}); err == nil || strings.Contains(err.Error(), "the peer ended") {
			t.Errorf("%q passed for frames: %v", out, err)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func FuzzTranscript(f *testing.F) {
	f.Add(session)
	f.Add("<\n= stderr empty\n>fill 3\n>split {}\n  {")
	f.Add("> {\"a\":\"${b}\"}\r\n# c\r\n\t{}")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := rpctest.ParseTranscript("fuzz", []byte(text))
		if err != nil {
			return
		}
		if got := string(script.Bytes()); got != text {
			t.Fatalf("the text changed:\n%q\n%q", text, got)
		}
		if strings.Contains(text, ">fill") || strings.Contains(text, "exit") {
			return
		}
		// Against a peer that has ended, everything it can do is fail.
		p := &rpctest.Peer{In: nopCloser{io.Discard}, Out: strings.NewReader(""), Wait: func() (int, error) { return 0, nil }}
		_ = script.Play(p, rpctest.PlayOptions{Timeout: time.Second})
	})
}
