package result

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/mcp/redact"
)

func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encoded(content []byte) string { return base64.StdEncoding.EncodeToString(content) }

func project(t *testing.T, raw string, change ...func(*Options)) Projection {
	t.Helper()
	o := Options{Folder: t.TempDir(), CallID: "call", Schemas: &Schemas{}}
	for _, f := range change {
		f(&o)
	}
	p, err := Project([]byte(raw), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestC41_EveryKindOfBlockArrives(t *testing.T) {
	p := project(t, `{"content":[
		{"type":"text","text":"hello","annotations":{"audience":["user"]}},
		{"type":"image","mimeType":"image/png","data":"`+encoded(picture(t, 3, 2))+`"},
		{"type":"audio","mimeType":"audio/wav","data":"`+encoded([]byte("RIFF\x24\x00\x00\x00WAVEfmt "))+`"},
		{"type":"resource","resource":{"uri":"x://text","text":"inside"}},
		{"type":"resource","resource":{"uri":"x://pdf","mimeType":"application/pdf","blob":"`+encoded([]byte("%PDF-1.7 x"))+`"}},
		{"type":"resource_link","uri":"file:///etc/passwd","name":"users"}]}`)
	for _, want := range []string{"hello", "[image: image/png, ", "x://text", "inside", "application/pdf", "users: file:///etc/passwd"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, p.Text)
		}
	}
	for _, never := range []string{"0x", "%!", "iVBOR"} {
		if strings.Contains(p.Text, never) {
			t.Errorf("the text holds %q:\n%s", never, p.Text)
		}
	}
	if len(p.Attachments) != 3 {
		t.Fatalf("%d attachments: %+v", len(p.Attachments), p.Attachments)
	}
	for i, want := range []string{"image/png", "audio/wave", "application/pdf"} {
		a := p.Attachments[i]
		info, err := os.Stat(a.Path)
		if err != nil || a.MIMEType != want || info.Size() != a.Bytes || info.Mode().Perm() != 0o600 {
			t.Errorf("attachment %d is %+v, want %s; %v", i, a, want, err)
		}
	}
}

func TestC42_AnOddBlockLosesNothingElse(t *testing.T) {
	for name, odd := range map[string]string{
		"unknown type": `{"type":"video","data":"x"}`, "bad base64": `{"type":"image","mimeType":"image/png","data":"***"}`,
		"no mime type": `{"type":"image","data":"` + encoded(picture(t, 1, 1)) + `"}`, "text without text": `{"type":"text"}`,
		"null": `null`, "number": `5`, "no type": `{}`, "text is a number": `{"type":"text","text":5}`, "type is a number": `{"type":7}`,
		"resource is text": `{"type":"resource","resource":"x"}`, "duplicate keys": `{"type":"text","type":"text","text":"a","text":"b"}`,
	} {
		p := project(t, `{"content":[{"type":"text","text":"keep me"},`+odd+`]}`)
		if !strings.HasPrefix(p.Text, "keep me\n") || p.IsError {
			t.Errorf("%s: %q, error %v", name, p.Text, p.IsError)
		}
	}
}

func TestC43_StructuredContentAloneIsShown(t *testing.T) {
	for _, content := range []string{`"content":[],`, ``, `"content":null,`} {
		p := project(t, `{`+content+`"structuredContent":{"n":9007199254740993,"b":1,"a":1e400}}`)
		if !strings.Contains(p.Text, "9007199254740993") || string(p.Structured) != `{"n":9007199254740993,"b":1,"a":1e400}` {
			t.Errorf("with %q: %q, %s", content, p.Text, p.Structured)
		}
	}
	if p := project(t, `{"content":[],"structuredContent":[1,2]}`); !strings.Contains(p.Text, "1") {
		t.Errorf("an array at the root: %q", p.Text)
	}
	schema := func(o *Options) { o.OutputSchema = []byte(`{"type":"object","required":["x"]}`) }
	p := project(t, `{"content":[],"structuredContent":{"y":1}}`, schema)
	if len(p.Warnings) != 1 || !strings.Contains(p.Text, `"y"`) {
		t.Errorf("a mismatch: warnings %q, text %q", p.Warnings, p.Text)
	}
	if p := project(t, `{"content":[],"structuredContent":{"x":1}}`, schema); len(p.Warnings) != 0 {
		t.Errorf("a match warns: %q", p.Warnings)
	}
	remote := func(o *Options) { o.OutputSchema = []byte(`{"$ref":"http://127.0.0.1:1/x"}`) }
	if p := project(t, `{"structuredContent":{"x":1}}`, remote); len(p.Warnings) != 0 {
		t.Errorf("a schema that leads out warns: %q", p.Warnings)
	}
}

func TestC44_AnErrorIsNotCheckedAgainstTheSchema(t *testing.T) {
	for _, structured := range []string{``, `,"structuredContent":{"y":1}`} {
		p := project(t, `{"isError":true,"content":[{"type":"text","text":"quota exceeded"}]`+structured+`}`,
			func(o *Options) { o.OutputSchema = []byte(`{"type":"object","required":["x"]}`) })
		if p.Text != "quota exceeded" || !p.IsError || len(p.Warnings) != 0 {
			t.Errorf("got %+v", p)
		}
	}
	if p := project(t, `{"IsError":true,"isError":"true","content":[]}`); p.IsError {
		t.Error("something that is not true is taken for an error (C62)")
	}
}

func TestC45_NothingIsCutWithoutAWord(t *testing.T) {
	for _, size := range []int{9 << 10, 11 << 10, 2 << 20, 12 << 20} {
		whole := strings.Repeat("aé😀\n", size/8) + "END"
		raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": whole}}})
		if err != nil {
			t.Fatal(err)
		}
		p := project(t, string(raw))
		if !utf8.ValidString(p.Text) {
			t.Errorf("%d bytes: cut inside a character", size)
		}
		if utf8.RuneCountInString(whole) <= defaultMaxTextRunes {
			if p.Truncated || p.Text != whole {
				t.Errorf("%d bytes: cut though short", size)
			}
			continue
		}
		if !p.Truncated || !strings.Contains(p.Text, "more characters are left out") || !strings.Contains(p.Text, p.FullTextPath) {
			t.Errorf("%d bytes: %q", size, p.Text[max(0, len(p.Text)-200):])
		}
		kept, err := os.ReadFile(p.FullTextPath)
		if err != nil || string(kept) != whole {
			t.Errorf("%d bytes: the whole text is not kept: %v", size, err)
		}
	}
}

func TestC46_APictureIsShownOnceAndNeverAsText(t *testing.T) {
	data := encoded(append(picture(t, 600, 600), bytes.Repeat([]byte{7}, 1<<20)...))
	both := `{"content":[{"type":"image","mimeType":"image/png","data":"` + data + `"}],"structuredContent":{"picture":"` + data + `"}}`
	p := project(t, both)
	if len(p.Attachments) != 1 || strings.Contains(p.Text, data[:100]) {
		t.Errorf("%d attachments, text %q", len(p.Attachments), p.Text)
	}
	if len(p.Content) > 1000 || !bytes.Contains(p.Content, []byte(`"uri":"file://`)) {
		t.Errorf("the canonical content has %d bytes", len(p.Content))
	}
	alone := project(t, `{"content":[],"structuredContent":{"picture":"`+data+`"}}`)
	if strings.Contains(alone.Text, data[:100]) || !strings.Contains(alone.Text, "base64 are left out") {
		t.Errorf("the preview is %d characters long", len(alone.Text))
	}
}

func TestC75_NoNameOfAConnectorBecomesAPath(t *testing.T) {
	names := []string{"../../x", "/etc/x", `a\..\b`, `C:\x`, ".", "", "nul\x00", strings.Repeat("n", 300), "CON", "x.desktop"}
	for _, name := range names {
		folder := filepath.Join(t.TempDir(), "private")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		uri, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		p := project(t, `{"content":[{"type":"resource","resource":{"uri":`+string(uri)+`,"blob":"AAAA"}}]}`, func(o *Options) {
			o.Folder, o.CallID = folder, name
		})
		if len(p.Attachments) != 1 || filepath.Dir(p.Attachments[0].Path) != folder {
			t.Errorf("%q: %+v", name, p.Attachments)
		}
		if beside, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(beside) != 1 {
			t.Errorf("%q: something was made beside the folder: %v %v", name, beside, err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	target := t.TempDir()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	p := project(t, `{"content":[{"type":"image","data":"AAAA"}]}`, func(o *Options) { o.Folder = link })
	if left, err := os.ReadDir(target); err != nil || len(left) != 0 || len(p.Attachments) != 0 {
		t.Errorf("written through a link: %v %v", left, p.Attachments)
	}
}

func TestS27_OnlyRealPicturesArePictures(t *testing.T) {
	for name, content := range map[string][]byte{
		"svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>`), "html": []byte("<html><script>x</script>"),
		"script": []byte("#!/bin/sh\nx"), "cut png": picture(t, 9, 9)[:12], "elf": []byte("\x7fELF\x02\x01\x01"),
	} {
		p := project(t, `{"content":[{"type":"image","mimeType":"image/png","data":"`+encoded(content)+`"}]}`)
		if a := p.Attachments[0]; a.MIMEType != "application/octet-stream" || filepath.Ext(a.Path) != ".bin" {
			t.Errorf("%s is taken for %+v", name, a)
		}
	}
	huge := picture(t, 1, 1)
	copy(huge[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536 × 65536 by its header
	if got := sniff(huge); got.extension == ".png" {
		t.Error("a picture of four gigapixels is taken for one")
	}
	webp := append([]byte("RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"), 9, 0, 0, 9, 0, 0)
	if got := sniff(webp); got.mimeType != "image/webp" {
		t.Errorf("a WebP picture is %+v", got)
	}
}

func TestE7_SecretsAreReplacedEverywhere(t *testing.T) {
	const secret = "hunter2-is-long-enough"
	p := project(t, `{"content":[{"type":"text","text":"a `+secret+` b"}],"structuredContent":{"k":"`+secret+`"}}`, func(o *Options) { o.Redact = redact.New(secret) })
	if !p.Redacted {
		t.Error("nothing is said to be redacted")
	}
	for name, text := range map[string]string{"text": p.Text, "content": string(p.Content), "structured": string(p.Structured)} {
		if strings.Contains(text, secret) || !strings.Contains(text, redact.Marker) || (name != "text" && !json.Valid([]byte(text))) {
			t.Errorf("the %s is %q", name, text)
		}
	}
}

func TestWhatIsNoResultIsAnError(t *testing.T) {
	for _, raw := range []string{``, `null`, `[]`, `5`, `"x"`, `{`, `{"content":`} {
		if _, err := Project([]byte(raw), Options{}); err == nil {
			t.Errorf("%q is taken for a result", raw)
		}
	}
	if p := project(t, `{}`); p.Text != "" || p.Content != nil {
		t.Errorf("an empty result: %+v", p)
	}
}

func FuzzProject(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA"}],"structuredContent":{"a":[1,{"b":2}]},"isError":false}`))
	f.Add([]byte(`{"content":[{"type":"resource","resource":{"uri":"x","blob":"!"}}]}`))
	f.Add([]byte("{\"content\":[{\"type\":\"text\",\"text\":\"\\ud800\xff\"}]}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Project(raw, Options{MaxTextRunes: 50, OutputSchema: []byte(`{"required":["a"]}`)})
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is taken for a result", raw)
		}
		if !utf8.ValidString(p.Text) || !utf8.Valid(p.Content) || !utf8.Valid(p.Structured) {
			t.Fatalf("%q gives text that is not valid: %q, %q, %q", raw, p.Text, p.Content, p.Structured)
		}
		for _, part := range [][]byte{p.Content, p.Structured} {
			if part != nil && (!json.Valid(part) || utf8.Valid(raw) && !bytes.Contains(raw, part)) {
				t.Fatalf("%q gives %q", raw, part)
			}
		}
	})
}

func BenchmarkProject(b *testing.B) {
	secrets := redact.New("sk-0123456789abcdefghijklmnopqrstuvwxyz")
	for name, one := range map[string]struct {
		text string
		max  int
	}{
		"32B":          {strings.Repeat("x", 32), 0},
		"16KiB":        {strings.Repeat("x", 16<<10), 1 << 20},
		"16KiB lines":  {strings.Repeat("The quick brown \"fox\" jumps over it.\n", (16<<10)/38), 1 << 20},
		"16KiB cut":    {strings.Repeat("x", 16<<10), 0},
		"16KiB umlaut": {strings.Repeat("größer ", (16<<10)/9), 1 << 20},
	} {
		raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": one.text}}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			o := Options{MaxTextRunes: one.max, Redact: secrets, Folder: b.TempDir()}
			for i := 0; b.Loop(); i++ {
				o.CallID = strconv.Itoa(i)
				if _, err := Project(raw, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
