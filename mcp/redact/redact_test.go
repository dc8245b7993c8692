package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// canaries hold everything that the forms escape.
var canaries = []string{
	"s3cr3tvalue-0123456789",
	`pa"ss\w/ord<&>+ =%é日本🙂`,
	"12345678",
	"-----BEGIN KEY-----\nMIIEvAIBADANBgkqhkiG9w0BAQEF\nAASCBKYwggSiAgEAAoIBAQC7\n-----END KEY-----\n",
	`{"type":"service_account","private_key_id":"0123456789abcdef"}`,
	"Bearer tok_live_ABCDEFGH12345678",
}

// spellings are the forms of S29, each made by the encoder that others use.
func spellings(secret string) map[string]string {
	std, _ := json.Marshal(secret)
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(secret)
	minimal := strings.TrimSuffix(plain.String(), "\n")
	ascii := ""
	for _, r := range minimal[1 : len(minimal)-1] {
		if r < 0x80 {
			ascii += string(r)
		} else if r > 0xffff {
			ascii += fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		} else {
			ascii += fmt.Sprintf(`\u%04x`, r)
		}
	}
	all := map[string]string{
		"plain":       secret,
		"query":       url.QueryEscape(secret),
		"query lower": lowerHex(url.QueryEscape(secret)),
		"path":        url.PathEscape(secret),
		"path lower":  lowerHex(url.PathEscape(secret)),
		"json html":   string(std[1 : len(std)-1]),
		"json":        minimal[1 : len(minimal)-1],
		"json ascii":  ascii,
		"json slash":  strings.ReplaceAll(minimal[1:len(minimal)-1], "/", `\/`),
		"hex":         hex.EncodeToString([]byte(secret)),
		"HEX":         strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	for offset := range 3 {
		text := strings.Repeat("u", offset) + secret
		all[fmt.Sprintf("base64 %d", offset)] = base64.StdEncoding.EncodeToString([]byte(text))
		all[fmt.Sprintf("base64url %d", offset)] = base64.URLEncoding.EncodeToString([]byte(text))
	}
	return all
}

// leaks reports whether what the secret alone decides of a spelling is left in text.
func leaks(secret, name, spelling, text string) bool {
	if strings.HasPrefix(name, "base64") {
		offset := int(name[len(name)-1] - '0')
		spelling = spelling[(offset*8+5)/6 : (offset+len(secret))*8/6]
	}
	return strings.Contains(text, spelling)
}

func TestS29_EveryFormInText(t *testing.T) {
	t.Parallel()
	for _, secret := range canaries {
		set := New("unrelated-secret", secret)
		for name, spelling := range spellings(secret) {
			out, redacted := set.Text("before " + spelling + " after")
			if !redacted || leaks(secret, name, spelling, out) || !strings.Contains(out, Marker) {
				t.Errorf("%s of %q: redacted %v, %q", name, secret, redacted, out)
			}
			if !strings.HasPrefix(out, "before ") || !strings.HasSuffix(out, " after") {
				t.Errorf("%s of %q: more than the secret is gone: %q", name, secret, out)
			}
		}
	}
}

func TestS29_BasicCredentialsHideTheirPassword(t *testing.T) {
	t.Parallel()
	set := New("Basic " + base64.StdEncoding.EncodeToString([]byte("user:correct-horse")))
	for _, text := range []string{"login user:correct-horse refused", "password correct-horse"} {
		if out, _ := set.Text(text); strings.Contains(out, "correct-horse") {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestC63_FirstTwentyCharacters(t *testing.T) {
	t.Parallel()
	secret := "sk-ant-REALLYLONGKEY0123456789abcdef"
	out, redacted := New(secret).Text("using key " + secret[:20] + "…")
	if !redacted || strings.Contains(out, secret[:20]) {
		t.Errorf("got %q", out)
	}
}

func TestS29_ShortAndAbsentSecrets(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]*Set{"nil": nil, "none": New(), "short": New("", "1234567")} {
		if out, redacted := set.Text("1234567 text"); redacted || out != "1234567 text" {
			t.Errorf("%s: %q, %v", name, out, redacted)
		}
		in := []byte("1234567")
		if out, redacted := set.Bytes(in); redacted || &out[0] != &in[0] {
			t.Errorf("%s: %q, %v", name, out, redacted)
		}
		var b bytes.Buffer
		w := set.Writer(&b)
		_, _ = w.Write(in)
		if err := w.Close(); err != nil || b.String() != "1234567" {
			t.Errorf("%s: wrote %q, %v", name, b.String(), err)
		}
	}
	if out, _ := (*Set)(nil).With("12345678").Text("12345678"); out != Marker {
		t.Errorf("with one more: %q", out)
	}
	if out, _ := New("abcdefgh").With("12345678").Text("abcdefgh12345678"); out != Marker+Marker {
		t.Errorf("with one more: %q", out)
	}
}

func TestS29_JSONStaysJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		secrets  []string
		in, want string
	}{
		"string":               {[]string{"abcdefgh"}, `{"a": "x abcdefgh y"}`, `{"a": "x [REDACTED] y"}`},
		"number":               {[]string{"12345678"}, `{"a":12345678,"b":1}`, `{"a":"[REDACTED]","b":1}`},
		"digits kept":          {[]string{"abcdefgh"}, `[1.0e400, 12345678901234567890, "abcdefgh"]`, `[1.0e400, 12345678901234567890, "[REDACTED]"]`},
		"part of a number":     {[]string{"12345678"}, `[-12345678901]`, `["[REDACTED]"]`},
		"name":                 {[]string{"abcdefgh"}, `{"abcdefgh" : 1}`, `{"[REDACTED]" : 1}`},
		"names stay apart":     {[]string{"abcdefgh"}, `{"abcdefgh":1,"abcdefgh2":2,"c":{"abcdefgh":3}}`, `{"[REDACTED]":1,"[REDACTED]2":2,"c":{"[REDACTED] 2":3}}`},
		"trailing backslash":   {[]string{`abcdefg\`}, `["abcdefg\\", "abcdefg\"x"]`, `["[REDACTED]", "abcdefg\"x"]`},
		"start in an escape":   {[]string{"n1234567"}, `["\n1234567"]`, `["\n1234567"]`},
		"structure":            {[]string{`","b":"x`}, `{"a":"","b":"x"}`, `{"a":"[REDACTED]","[REDACTED]":"[REDACTED]"}`},
		"secret is JSON":       {[]string{`{"key":"v","n":5}`}, `[{"key":"v","n":5}]`, `[{"[REDACTED]":"[REDACTED]","[REDACTED] 2":"[REDACTED]"}]`},
		"unforeseen escape":    {[]string{"abcdefgh"}, `["\u0061bcd\u0065fgh\n"]`, `["[REDACTED]\n"]`},
		"JSON in JSON":         {[]string{"12345678"}, `{"text":"{\"n\":12345678}"}`, `{"text":"{\"n\":\"[REDACTED]\"}"}`},
		"quotes, twice":        {[]string{`say "abc" now`}, `{"t":"{\"n\":\"say \\\"abc\\\" now\"}"}`, `{"t":"{\"n\":\"[REDACTED]\"}"}`},
		"unforeseen, twice":    {[]string{"abcdefgh"}, `{"t":"[\"\\u0061bcdefgh\"]"}`, `{"t":"[\"[REDACTED]\"]"}`},
		"lone surrogate kept":  {[]string{"abcdefgh"}, `["\ud800", "abcdefgh"]`, `["\ud800", "[REDACTED]"]`},
		"duplicate names kept": {[]string{"abcdefgh"}, `{"a":1,"a":"abcdefgh"}`, `{"a":1,"a":"[REDACTED]"}`},
		"no JSON":              {[]string{"abcdefgh"}, `{"a": abcdefgh`, `{"a": [REDACTED]`},
		"lone number":          {[]string{"12345678"}, `12345678`, `"[REDACTED]"`},
		"overlapping":          {[]string{"abcdefgh", "efghijkl"}, `"_abcdefghijkl_"`, `"_[REDACTED]_"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []byte(test.in)
			out, redacted := New(test.secrets...).Bytes(in)
			if string(out) != test.want || redacted != (test.in != test.want) {
				t.Errorf("got  %s, %v\nwant %s", out, redacted, test.want)
			}
			if string(in) != test.in {
				t.Errorf("the input was changed to %s", in)
			}
		})
	}
}

func TestS29_Escapes(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]bool{
		"sk-0123456789_abc": false, "Bearer 0123456789": false, "pass\"word12": true, "pass/word12": true, "pässword12": true, "pass\nword12": true, "short\"": false,
	} {
		if got := New("another-secret", secret).Escapes(); got != want {
			t.Errorf("%q: %v", secret, got)
		}
	}
	if (*Set)(nil).Escapes() {
		t.Error("nothing escapes")
	}
}

func TestS29_TextIsNoLoneScalar(t *testing.T) {
	t.Parallel()
	if out, _ := New("12345678").Text("12345678"); out != Marker {
		t.Errorf("got %q", out)
	}
}

func TestS29_SplitOverBlocks(t *testing.T) {
	t.Parallel()
	secret := canaries[0]
	set := New(secret)
	for i := 1; i < len(secret); i++ {
		for j := i; j <= len(secret); j++ {
			in := []string{"x " + secret[:i], secret[i:j], secret[j:] + " y"}
			out, redacted := set.Parts(in)
			if got := strings.Join(out, ""); !redacted || got != "x "+Marker+" y" {
				t.Fatalf("split at %d and %d: %q", i, j, out)
			}
			if in[0] != "x "+secret[:i] {
				t.Fatal("the input was changed")
			}
		}
	}
	in := []string{"nothing", "here"}
	if out, redacted := set.Parts(in); redacted || &out[0] != &in[0] {
		t.Errorf("got %q, %v", out, redacted)
	}
}

func TestS29_SplitOverWrites(t *testing.T) {
	t.Parallel()
	for _, secret := range canaries {
		set := New(secret, "unrelated-secret")
		for name, spelling := range spellings(secret) {
			text := "before " + spelling + " after"
			whole, _ := replaceAll(text, set.matcher.find(text))
			for at := range len(text) {
				if got := throughWriter(t, set, text[:at], text[at:]); got != whole {
					t.Fatalf("%s of %q split at %d: %q, want %q", name, secret, at, got, whole)
				}
			}
			if got := throughWriter(t, set, strings.Split(text, "")...); got != whole {
				t.Fatalf("%s of %q byte by byte: %q, want %q", name, secret, got, whole)
			}
		}
	}
}

func throughWriter(t testing.TB, set *Set, pieces ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := set.Writer(&b)
	for _, piece := range pieces {
		if n, err := w.Write([]byte(piece)); err != nil || n != len(piece) {
			t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestS29_WriterHoldsLittleBack(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := New(canaries[0], "aaaaaaaa").Writer(&b)
	_, _ = w.Write([]byte("a line that has nothing to do with it\n"))
	if b.String() != "a line that has nothing to do with it\n" {
		t.Errorf("passed on %q", b.String())
	}
	for range 1000 {
		_, _ = w.Write(bytes.Repeat([]byte("a"), 1000))
	}
	if held := cap(w.(*writer).held); held > 8192 {
		t.Errorf("holds %d bytes of a repeated beginning", held)
	}
	_ = w.Close()
	if got := b.String(); strings.Count(got, Marker) != 1 || strings.Contains(got, "aaaaaaaa") {
		t.Errorf("got %.200q", got)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestS29_WriterSaysWhenItCannotWrite(t *testing.T) {
	t.Parallel()
	w := New("abcdefgh").Writer(failingWriter{})
	if _, err := w.Write([]byte("x y z")); err == nil {
		t.Error("no error")
	}
	if err := w.Close(); err == nil {
		t.Error("no error at close")
	}
}

func TestE7_LooksSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key, value string
		want       bool
	}{
		{"GITHUB_TOKEN", "whatever", true},
		{"GitHubToken", "whatever", true},
		{"githubToken", "whatever", true},
		{"X-Api-Key", "abc", true},
		{"apiKey", "abc", true},
		{"OPENAI_API_KEY", "abc", true},
		{"DB_PASSWORD", "abc", true},
		{"PGPASSWORD", "abc", true},
		{"DB_PASS", "abc", true},
		{"Authorization", "abc", true},
		{"AWS_ACCESS_KEY_ID", "abc", true},
		{"AWS_SECRET_ACCESS_KEY", "abc", true},
		{"SLACK_TEAM_ID", "T0123", false},
		{"SENTRY_DSN", "https://x@sentry", true},
		{"MAX_TOKENS", "4096", false},
		{"TOKEN_LIMIT", "4096", false},
		{"TOKEN_URL", "https://example.test/token", false},
		{"GOOGLE_CREDENTIALS_FILE", "/home/u/key.json", false},
		{"KEYBOARD", "us", false},
		{"AUTHOR", "me", false},
		{"PUBLIC_KEY", "abc", false},
		{"AUTH", "disabled", false},
		{"TOKEN", "", false},
		{"HOME", "/home/u", false},
		{"", "plain text", false},
		{"X", "sk-proj-abcdefghijklmnop", true},
		{"X", "ghp_0123456789abcdefghij", true},
		{"X", "github_pat_0123456789abcdefghij", true},
		{"X", "xoxb-123456-abcdef", true},
		{"X", "AKIAIOSFODNN7EXAMPLE", true},
		{"X", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", true},
		{"X", "Bearer 0123456789abcdef", true},
		{"X", "Bearer of good news", false},
		{"X", "postgres://user:hunter22@db/prod", true},
		{"X", "postgres://user@db/prod", false},
		{"X", "https://example.test:8443/a@b", false},
		{"X", "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n", true},
		{"X", "skipping", false},
	}
	for _, test := range tests {
		if got := LooksSecret(test.key, test.value); got != test.want {
			t.Errorf("LooksSecret(%q, %q) = %v", test.key, test.value, got)
		}
	}
}

func FuzzS29_Bytes(f *testing.F) {
	f.Add("abcdefgh", `{"a":"abcdefgh","b":[12345678]}`)
	f.Add("12345678", `{"a":"\u0031\u00322345678","b":[12345678]}`)
	f.Add(`abcdefg\`, `["abcdefg\\"]`)
	f.Add(`{"a":"b"}`, `[{"a":"b"}]`)
	f.Fuzz(func(t *testing.T, secret, text string) {
		set := New(secret)
		in := []byte(text)
		valid := isJSON(text)
		out, redacted := set.Bytes(in)
		if string(in) != text {
			t.Fatal("the input was changed")
		}
		if redacted == (string(out) == text) && !strings.Contains(text, Marker) {
			t.Fatalf("redacted %v: %q became %q", redacted, text, out)
		}
		if valid && !isJSON(string(out)) {
			t.Fatalf("JSON %q became %q with secret %q", text, out, secret)
		}
		if strict := jsontext.Value(text); valid && strict.IsValid() && !jsontext.Value(out).IsValid() {
			t.Fatalf("JSON %q became %q with secret %q", text, out, secret)
		}
	})
}

func FuzzS29_Writer(f *testing.F) {
	f.Add("abcdefgh", "x abcdefgh y", uint8(4), uint8(9))
	f.Add("aaaaaaaa", "aaaaaaaaaaaaaaaaaaaaa", uint8(3), uint8(11))
	f.Add("abababab", "abababababacabababab", uint8(3), uint8(11))
	f.Fuzz(func(t *testing.T, secret, text string, first, second uint8) {
		set := New(secret)
		i := min(int(first), len(text))
		j := min(i+int(second), len(text))
		want, _ := replaceAll(text, set.matcher.find(text))
		if got := throughWriter(t, set, text[:i], text[i:j], text[j:]); got != want {
			t.Fatalf("%q split at %d and %d: %q, want %q", text, i, j, got, want)
		}
	})
}

func BenchmarkText(b *testing.B) {
	var secrets []string
	for i := range 10 {
		secrets = append(secrets, fmt.Sprintf("sk-%02d-abcdefghijklmnopqrstuvwxyz0123456789", i))
	}
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, 42 times.\n", 16384/55)
	for name, secrets := range map[string][]string{"short secret": append(secrets, "hunter2!"), "long secrets": secrets} {
		set := New(secrets...)
		b.Run("16KiB no hit/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(prose)))
			for b.Loop() {
				if _, hit := set.Text(prose); hit {
					b.Fatal("hit")
				}
			}
		})
	}
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			New(secrets...)
		}
	})
}
