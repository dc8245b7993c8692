package connector

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pillion/mcp/redact"
)

func TestC15_StrayOutputIsSkippedAndTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode, sample string
	}{
		{"banner", `"Starting server..."`},
		{"lines", `"[info] answering"`},
		{"bracenoise", `"{not json at all}"`},
		{"jsonlog", `"{"level":"info","msg":"answering","id":1}"`},
		{"banner=\x1b[2Jred\x07", `"red\u{7}"`},
		{"latin1", "\"caf\ufffd\""},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, test.mode)
			for range 3 {
				if text := f.say(`{}`); text != "ok" {
					t.Errorf("said %q", text)
				}
			}
			warnings := f.Status().Warnings
			if len(warnings) != 1 || !strings.Contains(warnings[0], "no message") || !strings.Contains(warnings[0], test.sample) {
				t.Errorf("warnings %q", warnings)
			}
			if test.mode == "lines" && !strings.Contains(warnings[0], "printed 6 lines") {
				t.Errorf("warning %q", warnings[0])
			}
		})
	}
}

func TestC15_HarmlessOddities(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"bom", "crlf", "blank", "twin", "bom,crlf,blank,twin"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, mode)
			if text := f.say(`{}`); text != "ok" {
				t.Errorf("said %q", text)
			}
			if warnings := f.Status().Warnings; len(warnings) != 0 {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

func TestC15_FloodWithoutNewline(t *testing.T) {
	before := heap()
	f := started(t, fmt.Sprintf("flood=%d", 5<<20))
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
	expectFlatHeap(t, before)
	if !f.warned("xxx") {
		t.Errorf("warnings %q", f.Status().Warnings)
	}
}

// expectFlatHeap fails where what was read stays in memory. What is allocated while a collection runs counts as living until
// the next one, so it looks again a few times.
func expectFlatHeap(t *testing.T, before int64) {
	t.Helper()
	var grown int64
	for range 10 {
		if grown = heap() - before; grown <= 4<<20 {
			return
		}
	}
	t.Errorf("the heap grew by %d bytes", grown)
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestC15_GluedReplyFailsItsCallAlone(t *testing.T) {
	t.Parallel()
	f := started(t, "glue")
	begun := time.Now()
	reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: time.Minute})
	var malformed *MalformedReplyError
	if !errors.As(err, &malformed) || !strings.Contains(err.Error(), "[debug] done") || !reply.MayHaveRun {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	if time.Since(begun) > 10*time.Second {
		t.Error("the call waited for its time to be over")
	}
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("the next call said %q", text)
	}
}

func TestC16_StderrFloodsDoNotBlock(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"stderrflood=300000", "stderrraw=300000", "stderrspin"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, mode)
			for range 3 {
				if text := f.say(`{}`); text != "ok" {
					t.Errorf("said %q", text)
				}
			}
		})
	}
}

func TestC16_MemoryAndLogStayFlat(t *testing.T) {
	total := 16 << 20
	if os.Getenv("PILLION_LONG") != "" {
		total = 1 << 30
	}
	log := filepath.Join(t.TempDir(), "log")
	before := heap()
	f := started(t, fmt.Sprintf("stderrtotal=%d", total), func(d *Definition, o *Options, _ *tuning) {
		d.StartTimeout = 5 * time.Minute
		o.LogFile = log
		o.Redact = redact.New("a secret value")
	}, tune(func(t *tuning) { t.probe = time.Hour }))
	expectFlatHeap(t, before)
	f.Stop(t.Context())
	for _, path := range []string{log, log + OldLogSuffix} {
		info, err := os.Stat(path)
		if err != nil || info.Size() > maxLogFileBytes || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
}

func TestE7_LogIsRedactedAndMarked(t *testing.T) {
	t.Parallel()
	const secret = "sk-verysecretvalue"
	log := filepath.Join(t.TempDir(), "logs", "fake.log")
	f := started(t, "stderr=key "+secret+" read,banner=out "+secret, func(_ *Definition, o *Options, _ *tuning) {
		o.LogFile = log
		o.Redact = redact.New(secret)
	})
	f.say(`{}`)
	f.Stop(t.Context())
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"started, process ", "key [REDACTED] read\n", "stdout: out [REDACTED]\n", "ended: exited (0)"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("%q is not in the log:\n%s", want, content)
		}
	}
	if strings.Contains(string(content), secret) || f.warned(secret) {
		t.Errorf("the secret is in the log or the warnings:\n%s", content)
	}
}

func TestC17_LongReplies(t *testing.T) {
	t.Parallel()
	for mode, sizes := range map[string][]int{"": {65_537, 1<<20 + 1, 10 << 20, 17 << 20}, "idlast": {65_537}} {
		t.Run(mode, func(t *testing.T) {
			f := started(t, mode)
			for _, bytes := range sizes {
				reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: fmt.Appendf(nil, `{"bytes":%d}`, bytes)})
				if err != nil || len(reply.Result) < bytes-100 {
					t.Errorf("%d bytes: %d, %v", bytes, len(reply.Result), err)
				}
			}
			reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Arguments: fmt.Appendf(nil, `{"bytes":%d}`, 65<<20)})
			var tooLarge *TooLargeError
			if !errors.As(err, &tooLarge) || tooLarge.Bytes < 65<<20 || !reply.MayHaveRun {
				t.Errorf("65 MiB: %v", err)
			} else if want := fmt.Sprintf("reply of %d bytes exceeds the limit of 64 MiB", tooLarge.Bytes); err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
			if text := f.say(`{}`); text != "ok" {
				t.Errorf("said %q", text)
			}
		})
	}
}

func TestC42_RawResultsReachTheCaller(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"unknown block":  `{"content":[{"type":"text","text":"keep me"},{"type":"video","uri":"x:1"}]}`,
		"bad base64":     `{"content":[{"type":"text","text":"keep me"},{"type":"image","data":"***","mimeType":"image/png"}]}`,
		"no mime type":   `{"content":[{"type":"image","data":"AA=="}]}`,
		"no text":        `{"content":[{"type":"text","text":"keep me"},{"type":"text"}]}`,
		"null block":     `{"content":[null,{"type":"text","text":"keep me"}]}`,
		"single object":  `{"content":{"type":"text","text":"keep me"}}`,
		"no content":     `{}`,
		"order, digits":  `{"structuredContent":{"z":9007199254740993,"a":1.0,"b":1e400},"content":[]}`,
		"error as text":  `{"content":[],"isError":"true"}`,
		"keys by case":   `{"content":[],"isError":false,"IsError":true}`,
		"escapes, space": `{ "content" : [ {"type":"text","text":"<&>\u00e9\/\ud83d\ude00"} ] }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var compact map[string]any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(result, "1e400", "1")), &compact); err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"", "modern"} {
				f := started(t, mode, environment("PILLION_FAKE_RESULT="+result))
				reply, err := f.Call(t.Context(), CallRequest{Tool: "a"})
				if err != nil || string(reply.Result) != result || reply.ResultType != ResultComplete {
					t.Errorf("mode %q: result %s (%s), error %v", mode, reply.Result, reply.ResultType, err)
				}
				if warnings := f.Status().Warnings; len(warnings) > 0 {
					t.Errorf("mode %q: warnings %q", mode, warnings)
				}
			}
		})
	}
}

func TestC42_InvalidTextIsReplacedNotLost(t *testing.T) {
	t.Parallel()
	f := started(t, "surrogate")
	if text := f.say(`{}`); text != "lone \ufffd and caf\ufffd" {
		t.Errorf("said %q", text)
	}
}

func TestCall_MalformedRepliesFailThatCallAlone(t *testing.T) {
	t.Parallel()
	for mode, reason := range map[string]string{
		"noresult":   "neither a result nor an error",
		"nullresult": "its result is not an object: null",
		"both":       "both a result and an error: both (-32603)",
		"badjson":    "it is not JSON",
		"deep=2000":  "nests deeper than 1000 levels",
		"deep=20000": "it is not JSON",
		"ids=null":   "with the id null: invalid request",
		"ids=other":  `with the id "some-other-id"`,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := started(t, mode)
			begun := time.Now()
			reply, err := f.Call(t.Context(), CallRequest{Tool: "a", Timeout: time.Minute})
			var malformed *MalformedReplyError
			if !errors.As(err, &malformed) || !strings.Contains(err.Error(), reason) || !reply.MayHaveRun || time.Since(begun) > 20*time.Second {
				t.Errorf("%v, want %q", err, reason)
			}
			if f.Status().State != StateReady || f.names() != "a" {
				t.Errorf("status %+v", f.Status())
			}
		})
	}
}

func TestC61_IDsOfAnotherTypeAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ids=string", "ids=float"} {
		f := started(t, mode)
		if text := f.say(`{}`); text != "ok" {
			t.Errorf("%s: said %q", mode, text)
		}
		if !f.warned("ids of another type") {
			t.Errorf("%s: warnings %q", mode, f.Status().Warnings)
		}
	}
}

func TestC61_DirectionsHaveTheirOwnIDs(t *testing.T) {
	t.Parallel()
	f := started(t, "collide")
	if text := f.say(`{}`); text != "ok" {
		t.Errorf("said %q", text)
	}
}
