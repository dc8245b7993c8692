package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/mcp/redact"
)

func withRedact(secrets ...string) func(*Options) {
	return func(o *Options) { o.Redact = redact.New(secrets...) }
}

func TestE6_ContentPassesByteForByte(t *testing.T) {
	t.Parallel()
	const content = `[ {"type":"text", "text":"a\u0062\/\n", "n":12345678901234567890.10, "annotations":{"x":1e400}} ,{"type":"video","x":[]}]`
	p := project(t, ` {"_meta":{"a":1}, "content": `+content+`, "structuredContent": { "n" : 1.00 } , "isError":false} `)
	if string(p.Content) != content || string(p.Structured) != `{ "n" : 1.00 }` || len(p.Warnings) != 0 {
		t.Errorf("got %s and %s, warnings %q", p.Content, p.Structured, p.Warnings)
	}
	if want := "ab/\n\n[a content block of the unknown type \"video\"]"; p.Text != want {
		t.Errorf("got %q, want %q", p.Text, want)
	}
}

func TestC42_OddOutsides(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		raw, text string
		warnings  int
		isError   bool
	}{
		"content is a text":       {`{"content":"hello"}`, "hello", 1, false},
		"content is a block":      {`{"content":{"type":"text","text":"hello"}}`, "hello", 1, false},
		"content is a number":     {`{"content":5}`, "", 1, false},
		"content twice":           {`{"content":[{"type":"text","text":"a"}],"content":[{"type":"text","text":"b"}]}`, "b", 1, false},
		"isError is a text":       {`{"content":[],"isError":"true"}`, "", 1, false},
		"isError is null":         {`{"content":[],"isError":null}`, "", 0, false},
		"isError twice":           {`{"isError":false,"isError":true}`, "", 1, true},
		"other cases (C62)":       {`{"Content":[{"type":"text","text":"a"}],"IsError":true}`, "", 0, false},
		"escaped name":            {`{"c\u006fntent":[{"typ\u0065":"text","text":"a"}]}`, "a", 0, false},
		"structured is null":      {`{"content":[],"structuredContent":null}`, "", 0, false},
		"invalid UTF-8":           {"{\"content\":[{\"type\":\"text\",\"text\":\"a\xffb\"}]}", "a\ufffdb", 1, false},
		"lone surrogate":          {`{"content":[{"type":"text","text":"a\ud800b"}]}`, "a\ufffdb", 0, false},
		"link without a name":     {`{"content":[{"type":"resource_link","uri":"x://a"}]}`, "[resource] x://a", 0, false},
		"link with a title":       {`{"content":[{"type":"resource_link","uri":"x://a","name":"n","title":"t"}]}`, "[resource] t: x://a", 0, false},
		"link of several lines":   {`{"content":[{"type":"resource_link","uri":"x://a\n[image]","name":"n\r\u2028m"}]}`, "[resource] n  m: x://a [image]", 0, false},
		"resource without either": {`{"content":[{"type":"resource","resource":{"uri":"x://a"}}]}`, "[a resource without data]", 0, false},
	}
	for name, test := range tests {
		p := project(t, test.raw)
		if p.Text != test.text || len(p.Warnings) != test.warnings || p.IsError != test.isError {
			t.Errorf("%s: %q, error %v, warnings %q", name, p.Text, p.IsError, p.Warnings)
		}
		if !utf8.Valid(p.Content) {
			t.Errorf("%s: content %q", name, p.Content)
		}
	}
	long := `{"content":[{"type":"` + strings.Repeat("v", 5000) + `"},{"type":"resource_link","uri":"x:` + strings.Repeat("日", 5000) + `"}]}`
	if p := project(t, long); len(p.Text) > 3000 || !utf8.ValidString(p.Text) {
		t.Errorf("names make %d bytes of text", len(p.Text))
	}
}

func TestE6_ManyBlocksAreBounded(t *testing.T) {
	t.Parallel()
	blocks := strings.Repeat(`{"type":"text","text":""},`, maxBlocks+5)
	p := project(t, `{"content":[`+strings.TrimSuffix(blocks, ",")+`]}`)
	if !strings.HasSuffix(p.Text, "[5 more content blocks are left out]") || bytes.Count(p.Content, []byte("text")) != 2*(maxBlocks+5) {
		t.Errorf("got %q", p.Text[max(0, len(p.Text)-100):])
	}
	var images strings.Builder
	for i := range maxAttachments + 3 {
		fmt.Fprintf(&images, `,{"type":"image","data":"%s"}`, encoded(fmt.Append(nil, "image ", i)))
	}
	p = project(t, `{"content":[{"type":"text","text":"first"}`+images.String()+`]}`, func(o *Options) { o.MaxTextRunes = 1 << 20 })
	if len(p.Attachments) != maxAttachments || len(p.Warnings) != 1 || strings.Count(p.Text, "[image: ") != maxAttachments+3 {
		t.Errorf("%d attachments, warnings %q", len(p.Attachments), p.Warnings)
	}
}

func TestE6_LargeBlobsAreFilesInTheContent(t *testing.T) {
	t.Parallel()
	large := encoded(append([]byte("%PDF-1.7 "), bytes.Repeat([]byte{1}, maxInlineBlobBytes)...))
	small := encoded(bytes.Repeat([]byte{2}, maxInlineBlobBytes))
	p := project(t, `{"content":[{"type":"text","text":"a"}, {"type":"audio","data":"`+large+`"} ,{"type":"resource","resource":{"uri":"x://p","blob":"`+large+`"}},`+
		`{"type":"resource","resource":{"blob":"`+small+`"}},{"type":"text","text":"z"}]}`)
	if len(p.Attachments) != 2 || p.Attachments[0].MIMEType != "application/pdf" || p.Attachments[0].Bytes != maxInlineBlobBytes+9 {
		t.Fatalf("attachments: %+v", p.Attachments)
	}
	var content []map[string]any
	if err := json.Unmarshal(p.Content, &content); err != nil || len(content) != 5 {
		t.Fatalf("content: %.300s, %v", p.Content, err)
	}
	for i, kind := range []string{"audio", "resource"} {
		got := content[i+1]
		if got["type"] != kind || got["uri"] != fileURI(p.Attachments[0].Path) || got["bytes"] != float64(maxInlineBlobBytes+9) || len(got) != 3 {
			t.Errorf("block %d: %v", i+1, got)
		}
	}
	if content[3]["resource"].(map[string]any)["blob"] != small || content[4]["text"] != "z" {
		t.Errorf("the rest is not as it was: %.200v", content[4])
	}
	if p := project(t, `{"content":[{"type":"audio","data":"`+large+`"}]}`, func(o *Options) { o.Folder = "" }); !bytes.Contains(p.Content, []byte(large)) || len(p.Warnings) != 1 {
		t.Errorf("without a folder: %d bytes, warnings %q", len(p.Content), p.Warnings)
	}
}

func TestC42_Base64AsItIsSeenInTheWild(t *testing.T) {
	t.Parallel()
	image := picture(t, 30, 20)
	plain := encoded(image)
	var lines strings.Builder
	for i := 0; i < len(plain); i += 20 {
		lines.WriteString(plain[i:min(i+20, len(plain))] + `\r\n`)
	}
	for name, data := range map[string]string{
		"plain": plain, "no padding": strings.TrimRight(plain, "="), "url alphabet": strings.NewReplacer("+", "-", "/", "_").Replace(plain),
		"lines": lines.String(), "escaped slashes": strings.ReplaceAll(plain, "/", `\/`), "spaces": " " + strings.ReplaceAll(plain, "A", "A ") + " ",
	} {
		p := project(t, `{"content":[{"type":"image","data":"`+data+`"}]}`)
		if len(p.Attachments) != 1 || p.Attachments[0].Bytes != int64(len(image)) || filepath.Ext(p.Attachments[0].Path) != ".png" {
			t.Errorf("%s: %+v, %q", name, p.Attachments, p.Text)
		}
	}
}

func TestC46_CopiesOfABlobInTextAreNotShown(t *testing.T) {
	t.Parallel()
	data := encoded(bytes.Repeat([]byte("0123456789"), 300))
	for name, content := range map[string]string{
		"copy in a text":   `{"type":"image","data":"` + data + `"},{"type":"text","text":"see {\"image\":\"` + data + `\"} end"}`,
		"data: URL":        `{"type":"text","text":"see <img src='data:image/png;base64,` + data + `'> end"}`,
		"resource text":    `{"type":"resource","resource":{"uri":"x://a","text":"data:image/png;base64,` + data + ` end"}}`,
		"two data: URLs":   `{"type":"text","text":"data:a;base64,` + data + ` data:b;base64,` + data + ` end"}`,
		"copy in 2nd text": `{"type":"text","text":"no"},{"type":"image","data":"` + data + `"},{"type":"text","text":"` + data + ` end"}`,
	} {
		p := project(t, `{"content":[`+content+`]}`)
		if strings.Contains(p.Text, data[:300]) || !strings.Contains(p.Text, "characters of base64 are left out]") || !strings.Contains(p.Text, " end") || !p.Truncated {
			t.Errorf("%s: %.300q", name, p.Text)
		}
		if whole, err := os.ReadFile(p.FullTextPath); err != nil || !bytes.Contains(whole, []byte(data)) || !strings.Contains(p.Text, p.FullTextPath) {
			t.Errorf("%s: the whole text is not kept: %v", name, err)
		}
	}
	for name, text := range map[string]string{"long word": strings.Repeat("x", 5000), "short data: URL": "data:text/plain;base64,aGVsbG8= end", "mention": ";base64, is a word"} {
		if p := project(t, `{"content":[{"type":"text","text":"`+text+`"}]}`); p.Text != text || p.Truncated {
			t.Errorf("%s: %.200q", name, p.Text)
		}
	}
}

func TestC46_LongTextsInStructuredDataAreShortened(t *testing.T) {
	t.Parallel()
	data, prose := encoded(bytes.Repeat([]byte("0123456789"), 300)), strings.Repeat("Größe und \\\"Form\\\". ", 400)
	raw := `{"n": 1.00, "image":"data:image/png;base64,` + data + `","prose":"` + prose + `","short":"` + strings.Repeat("a ", 500) + `"}`
	p := project(t, `{"structuredContent":`+raw+`}`)
	if string(p.Structured) != raw || !p.Truncated {
		t.Errorf("structured: %.200s", p.Structured)
	}
	text, note, _ := strings.Cut(p.Text, "\n")
	if !json.Valid([]byte(text)) || !strings.HasPrefix(text, `{"n": 1.00, "image":"[`) || strings.Contains(text, data[:100]) || len(text) > 5000 || note == "" {
		t.Errorf("text: %.300q", p.Text)
	}
	if whole, err := os.ReadFile(p.FullTextPath); err != nil || string(whole) != raw {
		t.Errorf("the whole is not kept: %v", err)
	}
}

func TestC43_ATextIsNotJoinedByStructuredData(t *testing.T) {
	t.Parallel()
	p := project(t, `{"content":[{"type":"text","text":"said"}],"structuredContent":{"a":1}}`)
	if p.Text != "said" {
		t.Errorf("got %q", p.Text)
	}
	p = project(t, `{"content":[{"type":"image","data":"`+encoded(picture(t, 1, 1))+`"}],"structuredContent":{"a":1}}`)
	if !strings.HasSuffix(p.Text, "]\n{\"a\":1}") {
		t.Errorf("got %q", p.Text)
	}
	p = project(t, `{"content":[{"type":"text","text":"said"}]}`, func(o *Options) { o.OutputSchema = []byte(`{"type":"object"}`) })
	if len(p.Warnings) != 1 || p.Text != "said" {
		t.Errorf("announced and not there: %q", p.Warnings)
	}
}

func TestS29_SecretsThatOnlyShowInText(t *testing.T) {
	t.Parallel()
	quoted := `pa"ss\word-0123456789`
	inJSON, _ := json.Marshal(quoted)
	inText, _ := json.Marshal("the config is {\"password\":" + string(inJSON) + "} so far") // JSON in a text in JSON
	tests := map[string]struct{ secret, content string }{
		"escaped twice":       {quoted, `{"type":"text","text":` + string(inText) + `}`},
		"over two blocks":     {"canary-0123456789", `{"type":"text","text":"x canary-01"},{"type":"text","text":"23456789 y"}`},
		"with a block inside": {"canary-0123456789", `{"type":"text","text":"x canary-01"},{"type":"video"},{"type":"text","text":"23456789 y"}`},
		"unforeseen escapes":  {"canary-0123456789", `{"type":"text","text":"x c\u0061nary-0123456789 y"}`},
		"in a resource":       {"canary-0123456789", `{"type":"resource","resource":{"uri":"x://canary-0123456789","text":"canary-0123456789"}}`},
		"in a type":           {"canary-0123456789", `{"type":"canary-0123456789"}`},
		"in a blob":           {"canary-0123456789", `{"type":"resource","resource":{"uri":"x://a","blob":"` + encoded([]byte("KEY=canary-0123456789\n")) + `"}}`},
	}
	for name, test := range tests {
		p := project(t, `{"content":[`+test.content+`]}`, withRedact(test.secret))
		var all strings.Builder
		var content []map[string]any
		if err := json.Unmarshal(p.Content, &content); err != nil {
			t.Fatalf("%s: content %s: %v", name, p.Content, err)
		}
		for _, block := range content {
			fmt.Fprint(&all, block["text"])
		}
		fmt.Fprint(&all, p.Text, string(p.Content), p.Attachments, p.Warnings)
		for _, never := range []string{test.secret, "canary-01", "23456789", encoded([]byte(test.secret))[:12], string(inJSON[1 : len(inJSON)-1])} {
			if strings.Contains(all.String(), never) {
				t.Errorf("%s: %q is in %q", name, never, all.String())
			}
		}
		if !p.Redacted {
			t.Errorf("%s: nothing is said to be redacted", name)
		}
	}
}

func TestC43_ARedactedValueIsCheckedAsItCame(t *testing.T) {
	t.Parallel()
	schema := func(o *Options) {
		o.OutputSchema = []byte(`{"properties":{"pin":{"type":"integer"},"b":{"maxLength":1}}}`)
	}
	p := project(t, `{"structuredContent":{"pin":12345678}}`, schema, withRedact("12345678"))
	if len(p.Warnings) != 0 || string(p.Structured) != `{"pin":"[REDACTED]"}` {
		t.Errorf("got %s, warnings %q", p.Structured, p.Warnings)
	}
	named := func(o *Options) { o.OutputSchema = []byte(`{"additionalProperties":false}`) }
	p = project(t, `{"structuredContent":{"canary-0123456789":1}}`, named, withRedact("canary-0123456789"))
	if len(p.Warnings) != 1 || strings.Contains(p.Warnings[0], "canary") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

func TestC45_WhereNothingCanBeKept(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"none": "", "absent": filepath.Join(shared, "absent"), "a file": file}
	if runtime.GOOS != "windows" {
		folders["shared"] = shared
	}
	for name, folder := range folders {
		p := project(t, `{"content":[{"type":"text","text":"0123456789日本"},{"type":"image","data":"AAAA"}]}`, func(o *Options) { o.Folder, o.MaxTextRunes = folder, 11 })
		if p.Text[:13] != "0123456789日" || !strings.HasSuffix(p.Text, " more characters are left out]") || !p.Truncated || p.FullTextPath != "" || len(p.Attachments) != 0 || len(p.Warnings) != 2 {
			t.Errorf("%s: %q, warnings %q", name, p.Text, p.Warnings)
		}
	}
}

func TestC45_FilesOfOneCallDoNotReplaceEachOther(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	seen := map[string]bool{}
	for i := range 20 {
		p := project(t, fmt.Sprintf(`{"content":[{"type":"text","text":"%d %s"}]}`, i, strings.Repeat("x", 50)), func(o *Options) { o.Folder, o.MaxTextRunes = folder, 20 })
		if seen[p.FullTextPath] || !strings.HasPrefix(filepath.Base(p.FullTextPath), strings.Split(filepath.Base(p.FullTextPath), "-")[0]+"-text-") {
			t.Fatalf("%s a second time", p.FullTextPath)
		}
		seen[p.FullTextPath] = true
		if info, err := os.Stat(p.FullTextPath); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestC45_CutsStandBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 100), strings.Repeat("é", 100), strings.Repeat("日本", 50), strings.Repeat("a😀", 50), strings.Repeat("ab日😀é", 20)} {
		all := []rune(text)
		for n := range len(all) + 2 {
			shown, left := cut(text, n)
			want := string(all[:min(n, len(all))])
			if shown != want || left != len(all)-min(n, len(all)) {
				t.Fatalf("%d of %.20q: %q and %d more", n, text, shown, left)
			}
		}
	}
	shown, left := cut(strings.Repeat("x", 90)+"\n"+strings.Repeat("y", 50), 100)
	if shown != strings.Repeat("x", 90) || left != 51 {
		t.Errorf("%q and %d more", shown, left)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
}

func TestS27_PicturesBySizeAndHeader(t *testing.T) {
	t.Parallel()
	webp := func(chunk string, rest ...byte) []byte {
		return append(append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk+"\x00\x00\x00\x00"), rest...), make([]byte, 20)...)
	}
	gif := []byte("GIF89a\x10\x00\x10\x00\x00\x00\x00\x3b")
	huge := bytes.Clone(gif)
	copy(huge[6:], "\xff\xff\xff\xff")
	flat := picture(t, 1, 1)
	copy(flat[16:24], []byte{0, 0, 0, 0, 0, 0, 0, 1})
	tests := map[string]struct {
		content        []byte
		mime, ext, why string
	}{
		"png":            {picture(t, 7, 5), "image/png", ".png", ""},
		"gif":            {gif, "image/gif", ".gif", ""},
		"huge gif":       {huge, "application/octet-stream", ".bin", "65535 × 65535 pixels"},
		"png of nothing": {flat, "application/octet-stream", ".bin", ""},
		"webp lossy":     {webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 9, 0, 9, 0), "image/webp", ".webp", ""},
		"webp lossless":  {webp("VP8L", 0x2f, 9, 0, 0, 0), "image/webp", ".webp", ""},
		"webp extended":  {webp("VP8X", 0, 0, 0, 0, 9, 0, 0, 9, 0, 0), "image/webp", ".webp", ""},
		"webp no frame":  {webp("VP8 ", 0, 0, 0, 0, 0, 0, 9, 0, 9, 0), "application/octet-stream", ".bin", ""},
		"webp huge":      {webp("VP8X", 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "application/octet-stream", ".bin", "16777216 × 16777216"},
		"bmp":            {append([]byte("BM"), make([]byte, 60)...), "application/octet-stream", ".bin", ""},
		"tiff":           {append([]byte("II*\x00"), make([]byte, 60)...), "application/octet-stream", ".bin", ""},
		"mp3":            {append([]byte("ID3\x03"), make([]byte, 60)...), "audio/mpeg", ".bin", ""},
		"zip":            {append([]byte("PK\x03\x04"), make([]byte, 60)...), "application/octet-stream", ".bin", ""},
		"empty":          {nil, "application/octet-stream", ".bin", ""},
	}
	for name, test := range tests {
		if got := sniff(test.content); got.mimeType != test.mime || got.extension != test.ext || !strings.Contains(got.reason, test.why) {
			t.Errorf("%s is %+v", name, got)
		}
	}
	p := project(t, `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"`+encoded([]byte("<svg/>"))+`"}]}`)
	if !strings.Contains(p.Text, `said to be "image/svg+xml"`) || p.Attachments[0].MIMEType != "application/octet-stream" {
		t.Errorf("%q, %+v", p.Text, p.Attachments)
	}
}

func FuzzE6_Secrets(f *testing.F) {
	f.Add("canary-0123456789", "x canary-0123456789 y", uint8(4))
	f.Add(`pa"ss\word-0123456789`, `{"p":"pa\"ss\\word-0123456789"}`, uint8(9))
	f.Fuzz(func(t *testing.T, secret, text string, at uint8) {
		if len(secret) < redact.MinBytes || !utf8.ValidString(secret) || !utf8.ValidString(text) || strings.Contains(redact.Marker+redact.Marker, secret) {
			return
		}
		text = strings.ReplaceAll(text, "]", "")
		i := min(int(at), len(text))
		for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
			i--
		}
		raw, err := json.Marshal(map[string]any{"content": []any{
			map[string]any{"type": "text", "text": text[:i]}, map[string]any{"type": "text", "text": text[i:]},
		}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Project(raw, Options{Redact: redact.New(secret), MaxTextRunes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var content []struct{ Text string }
		if err := json.Unmarshal(p.Content, &content); err != nil || len(content) != 2 {
			t.Fatalf("content %s: %v", p.Content, err)
		}
		joined := content[0].Text + content[1].Text
		if strings.Contains(joined, secret) && !strings.ContainsAny(secret, "[]") {
			t.Fatalf("%q holds %q", joined, secret)
		}
		if !strings.Contains(text, redact.Marker) && strings.Contains(text, secret) && !p.Redacted {
			t.Fatalf("%q is not said to be redacted", text)
		}
	})
}
