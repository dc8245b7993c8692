package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestS10_BytesShownAreBytesSent(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"":                                `{}`,
		" \r\n\t":                         `{}`,
		`{}`:                              `{}`,
		" { \"a\" : [ 1 , 2 ] } \n":       `{"a":[1,2]}`,
		`{"z":1,"a":2,"m":{"y":1,"b":2}}`: `{"z":1,"a":2,"m":{"y":1,"b":2}}`,
		`{"n":12345678901234567890123456789012345678901234567890}`: `{"n":12345678901234567890123456789012345678901234567890}`,
		`{"n":[1e400,-0,0.10,1E+2,-0.0e-0]}`:                       `{"n":[1e400,-0,0.10,1E+2,-0.0e-0]}`,
		`{"a":1,"A":2}`:                                            `{"a":1,"A":2}`,
		`{"s":1,"` + "\u017f" + `":2}`:                             `{"s":1,"` + "\u017f" + `":2}`,
		`{"k":1,"` + "\u212a" + `":2}`:                             `{"k":1,"` + "\u212a" + `":2}`,
		`{"a":{"a":{"a":1}}}`:                                      `{"a":{"a":{"a":1}}}`,
		`{"s":"\u0041\/\n\ud83d\ude42é🙂"}`:                         `{"s":"\u0041\/\n\ud83d\ude42é🙂"}`,
		`{"s":"  kept  "}`:                                         `{"s":"  kept  "}`,
		`{"s":"\ufffd\u0000\u2028` + "\u2028" + `"}`:               `{"s":"\ufffd\u0000\u2028` + "\u2028" + `"}`,
	}
	for raw, want := range good {
		in := []byte(raw)
		got, err := CheckArguments(in)
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", raw, got, err, want)
		}
		if string(in) != raw {
			t.Errorf("%q was changed to %q", raw, in)
		}
		if again, err := CheckArguments(got); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%q a second time: %q, %v", got, again, err)
		}
	}
}

func TestS10_UnclearArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	bad := map[string]string{ // and where
		`{"a":1,"a":2}`:                      "/a",
		`{"a":1,"\u0061":2}`:                 "/a",
		`{"a":1,"b":{},"a":1}`:               "/a",
		`{"x":{"a":1,"a":1}}`:                "/x/a",
		`{"x":[0,{"y":[{"a":1,"a":1}]}]}`:    "/x/1/y/0/a",
		`{"":1,"":2}`:                        "/",
		"{\"a\":\"\xff\"}":                   "/a",
		"{\"a\":\"\xed\xa0\x80\"}":           "/a",
		"{\"a\xc3\":1}":                      "",
		`{"a":"\ud800"}`:                     "/a",
		`{"a":"\udc00\ud800"}`:               "/a",
		`{"a":["\ud800x"]}`:                  "/a/0",
		`{"\udfff":1}`:                       "",
		`null`:                               "",
		`[]`:                                 "",
		`"x"`:                                "",
		`1`:                                  "",
		`{`:                                  "",
		`{"a":1}}`:                           "",
		`{"a":1} {}`:                         "",
		`{"a":1,}`:                           "",
		`{'a':1}`:                            "",
		`{"a":01}`:                           "",
		`{"a":NaN}`:                          "/a",
		"{\"a\":\"\n\"}":                     "/a",
		"\ufeff{}":                           "",
		"{\"a\":1}\x00":                      "",
		`{"a":1}//`:                          "",
		strings.Repeat(`{"a":`, 20000) + `1`: "*",
	}
	for raw, path := range bad {
		got, err := CheckArguments([]byte(raw))
		var wrong *ArgumentsError
		if !errors.As(err, &wrong) || got != nil {
			t.Errorf("%.60q: %.60q, %v", raw, got, err)
			continue
		}
		if path != "*" && wrong.Path != path {
			t.Errorf("%q: at %q, want %q (%v)", raw, wrong.Path, path, err)
		}
		if !strings.HasPrefix(err.Error(), "arguments") || strings.Contains(err.Error(), "jsontext") {
			t.Errorf("%q: says %q", raw, err)
		}
	}
}

func FuzzS10_CheckArguments(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u0061"}],"A":1e400}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		got, err := CheckArguments(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		if got[0] != '{' || !json.Valid(got) {
			t.Fatalf("%q became %q", raw, got)
		}
		if again, err := CheckArguments(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q became %q: %v", got, again, err)
		}
		var compact bytes.Buffer
		if len(bytes.TrimSpace(raw)) > 0 && (json.Compact(&compact, raw) != nil || !bytes.Equal(compact.Bytes(), got)) {
			t.Fatalf("%q became %q, not %q", raw, got, compact.Bytes())
		}
		HasRemoteURL(got)
		NewFolders("/home/u/.local/state/pillion").AreNamedIn(got)
	})
}

func TestS14_RemoteURLs(t *testing.T) {
	t.Parallel()
	local := []string{
		``, `{}`, `{"a":1}`, `{"url":"http://localhost:3000/x?y=z"}`, `{"url":"http://127.0.0.1"}`, `{"u":"https://127.255.0.1:8443/"}`,
		`{"u":"http://[::1]:80/"}`, `{"u":"http://[::ffff:127.0.0.1]/"}`, `{"u":"HTTP://LocalHost"}`, `{"u":"ws://user:pw@localhost/"}`,
		`{"u":"file:///etc/passwd"}`, `{"u":"file://localhost/etc/passwd"}`, `{"p":"C:\\Users\\x"}`, `{"p":"/usr/bin"}`, `{"p":"a//b"}`,
		`{"t":"http: is a scheme, https: too"}`, `{"t":"std::string x; // comment"}`, `{"t":"mailto:me@example.test"}`, `{"t":"12:30"}`,
		`{"http":"x"}`, `{"https":{"s":"p:"}}`, `{"t":"unix:///run/x.sock"}`, `{"t":"see http://localhost:3000."}`, `{"t":"(http://localhost)"}`,
		`{"t":"100%"}`, `{"t":"\\\\.\\pipe\\x"}`, `{"t":"\\\\?\\C:\\x"}`, `{"t":"// a comment"}`, `{"t":"data:text/plain,http"}`,
	}
	remote := []string{
		`{"url":"http://example.test"}`, `{"url":"https://example.test/"}`, `{"a":{"b":["x","see wss://example.test"]}}`,
		`{"https://example.test":1}`, `{"u":"http:\/\/example.test"}`, `{"u":"\u0068ttp://example.test"}`, `{"u":"HtTpS://example.test"}`,
		`{"u":"http:/example.test"}`, `{"u":"http:example.test"}`, `{"u":"http:\\\\example.test"}`, `{"u":"http:///example.test"}`,
		`{"u":"ht\ttp://example.test"}`, `{"u":"http:\n//example.test"}`, `{"u":"//example.test/x"}`, `{"u":" //example.test/x"}`,
		`{"u":"\\\\server\\share"}`, `{"u":"file://server/share"}`, `{"u":"ftp://example.test"}`, `{"u":"postgres://u:p@db.example.test/x"}`,
		`{"u":"http://localhost@example.test"}`, `{"u":"http://localhost:80@example.test"}`, `{"u":"http://localhost.example.test"}`,
		`{"u":"http://localhost).example.test/"}`, `{"u":"http://example.test\\@localhost"}`, `{"u":"http://127.0.0.1.example.test"}`,
		`{"u":"http://10.0.0.1"}`, `{"u":"http://169.254.169.254/latest"}`, `{"u":"http://[fe80::1]"}`, `{"u":"http://0x7f.1"}`,
		`{"u":"http://2130706433"}`, `{"u":"http://0.0.0.0"}`, `{"u":"http://localhost。example.test"}`, `{"u":"git+ssh://example.test"}`,
		`{"u":"http://127.0.0.1?u=https://example.test"}`, `{"u":"http://localhost/?u=https%3A%2F%2Fexample.test"}`, `{"u":"https%3a%2f%2fexample.test"}`,
		`{"t":"<img src=\"https://example.test/x\">"}`, `{"t":"[x](https://example.test)"}`, `{"t":"http://localhost and http://example.test"}`,
		`{"u":"http://lo\u00adcalhost"}`, `{"u":"1http://example.test"}`, `{"u":"xhttp://example.test"}`,
		`{`, `{"a":1`, `nonsense`,
	}
	for _, text := range local {
		if HasRemoteURL([]byte(text)) {
			t.Errorf("%s leads off this machine", text)
		}
	}
	for _, text := range remote {
		if !HasRemoteURL([]byte(text)) && json.Valid([]byte(text)) {
			t.Errorf("%s stays on this machine", text)
		}
	}
	if !HasRemoteURL([]byte(`{"a":"%"`)) {
		t.Error("what is no JSON passes")
	}
}

func FuzzS14_RemoteURL(f *testing.F) {
	f.Add("example.test", "x", true)
	f.Add("localhost", "", false)
	f.Fuzz(func(t *testing.T, host, before string, escape bool) {
		u, err := url.Parse("http://" + host + "/")
		if err != nil || u.Hostname() == "" || strings.ContainsAny(host, "\t\r\n ?#\"'<>`") || strings.HasPrefix(host, "/") {
			return
		}
		h := strings.ToLower(u.Hostname())
		if h == "localhost" || strings.HasPrefix(h, "127.") || strings.Contains(h, ":") || strings.Trim(h, ".,;!)}/\\") == "" ||
			strings.TrimRight(h, ".,;!)}") == "localhost" {
			return
		}
		raw, _ := json.Marshal(map[string]string{"u": strings.ToValidUTF8(before, "") + "http://" + host + "/"})
		if escape {
			raw = bytes.ReplaceAll(raw, []byte("/"), []byte(`\/`))
		}
		if !HasRemoteURL(raw) {
			t.Fatalf("%s stays on this machine", raw)
		}
	})
}

func TestS20_OwnFolders(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder")
	}
	own := filepath.Join(home, ".local", "state", "pillion")
	slash := filepath.ToSlash(own)
	quote := func(s string) []byte {
		raw, _ := json.Marshal(map[string]any{"args": []string{"x", s}})
		return raw
	}
	for _, text := range []string{
		own, own + "/consents.json", "cat " + own + "/x", "~/.local/state/pillion/x", "$HOME/.local/state/pillion", "${HOME}/.local/state/pillion",
		"file://" + slash + "/x", "file://" + strings.ReplaceAll(slash, "state", "st%61te"), filepath.Dir(own) + "/./pillion//x",
		filepath.Dir(own) + "/x/../pillion/consents.json", strings.ToUpper(own), `rm -rf "` + own + `"`, strings.ReplaceAll(own, "/", `\`),
	} {
		if !NewFolders("/elsewhere", own).AreNamedIn(quote(text)) {
			t.Errorf("%q does not name %s", text, own)
		}
	}
	folder := NewFolders(own)
	for _, text := range []string{"", "pillion", "/tmp/pillion", own + "s", own + "-old/x", filepath.Dir(own)} {
		if folder.AreNamedIn(quote(text)) {
			t.Errorf("%q names %s", text, own)
		}
	}
	if !folder.AreNamedIn([]byte(`{`)) {
		t.Error("what is no JSON passes")
	}
	if folder.AreNamedIn(nil) || folder.AreNamedIn([]byte(`{"a":1}`)) {
		t.Error("nothing names it")
	}
}

func BenchmarkCheckArguments(b *testing.B) {
	small := []byte(`{"path":"/tmp/x","limit":10}`)
	big, _ := json.Marshal(map[string]string{"text": strings.Repeat("The quick brown fox jumps over the lazy dog. ", 364)})
	for name, raw := range map[string][]byte{"small": small, "16KiB": big} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got, err := CheckArguments(raw)
				if err != nil || HasRemoteURL(got) {
					b.Fatal(err)
				}
			}
		})
	}
}
