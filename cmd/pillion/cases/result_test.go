package cases

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// everything asks for all forms of a result.
var everything = []message.CallPart{message.CallPartText, message.CallPartContent, message.CallPartStructured}

// resultOf is what comes of a call whose result is given, and the editor that made it.
func resultOf(t *testing.T, result string) (message.CallResult, *editortest.Editor) {
	t.Helper()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly, mcptest.ResultVar+"="+result)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	return ended(t, e, begin(t, e, message.ToolCallParams{Tool: "mine.a", Include: everything})), e
}

func picture(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestC42_AnOddBlockHidesNothing(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]string{
		"unknown kind":   `{"type":"video","data":"AAAA","mimeType":"video/mp4"}`,
		"bad base64":     `{"type":"image","data":"no base64!","mimeType":"image/png"}`,
		"no mimeType":    `{"type":"image","data":"AAAA"}`,
		"text no text":   `{"type":"text"}`,
		"no type":        `{"text":"who am I"}`,
		"null":           `null`,
		"a number":       `7`,
		"resource link":  `{"type":"resource_link","uri":"file:///etc/passwd","name":"passwords"}`,
		"empty resource": `{"type":"resource","resource":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []string{`{"type":"text","text":"keep me"},` + odd, odd + `,{"type":"text","text":"keep me"}`} {
				result, _ := resultOf(t, `{"content":[`+content+`]}`)
				if result.Status != message.CallOK || !strings.Contains(result.Text, "keep me") {
					t.Errorf("%+v", result)
				}
				if shown := strings.TrimSpace(strings.Replace(result.Text, "keep me", "", 1)); shown == "" {
					t.Errorf("nothing stands for the odd block: %q", result.Text)
				}
				if strings.Contains(result.Text, "0x") || strings.Contains(result.Text, "%!") || strings.Contains(result.Text, "root:") {
					t.Errorf("%q", result.Text)
				}
				if !strings.Contains(result.ContentText, odd) {
					t.Errorf("the canonical value lacks it: %s", result.ContentText)
				}
			}
		})
	}
}

// Every kind of block reaches the editor with its fields: words as words, bytes as a file with a kind and a size.
func TestC41_EveryKindOfBlockArrives(t *testing.T) {
	t.Parallel()
	shot, sound, page := picture(t), []byte("RIFF\x24\x00\x00\x00WAVEfmt "), []byte("%PDF-1.4\n%%EOF\n")
	encode := base64.StdEncoding.EncodeToString
	const notes = `"annotations":{"audience":["user"],"priority":0.5}`
	blocks := []string{
		`{"type":"text","text":"some words",` + notes + `}`,
		fmt.Sprintf(`{"type":"image","data":%q,"mimeType":"image/png",%s}`, encode(shot), notes),
		fmt.Sprintf(`{"type":"audio","data":%q,"mimeType":"audio/wav",%s}`, encode(sound), notes),
		`{"type":"resource","resource":{"uri":"test://notes","mimeType":"text/plain","text":"embedded words"},` + notes + `}`,
		fmt.Sprintf(`{"type":"resource","resource":{"uri":"test://paper.pdf","mimeType":"application/pdf","blob":%q},%s}`, encode(page), notes),
		`{"type":"resource_link","uri":"test://link","name":"linked","title":"A title","description":"What it is","mimeType":"text/csv","size":42,` + notes + `}`,
	}
	result, _ := resultOf(t, `{"content":[`+strings.Join(blocks, ",")+`]}`)
	if result.Status != message.CallOK {
		t.Fatalf("%+v", result)
	}
	for _, part := range []string{"some words", "embedded words", "test://notes", "image/png", "audio/", "test://paper.pdf", "application/pdf", "test://link", "A title"} {
		if !strings.Contains(result.Text, part) {
			t.Errorf("the text lacks %q:\n%s", part, result.Text)
		}
	}
	for _, part := range []string{"0x", "%!", "&{", "map[", "<nil>", encode(shot)[:40], encode(page)} {
		if strings.Contains(result.Text, part) {
			t.Errorf("the text holds %q:\n%s", part, result.Text)
		}
	}
	for _, block := range blocks {
		if !strings.Contains(result.ContentText, block) {
			t.Errorf("the canonical value lacks %s:\n%s", block, result.ContentText)
		}
	}
	if len(result.Attachments) != 3 {
		t.Fatalf("%+v", result.Attachments)
	}
	for i, want := range []struct {
		mime string
		file []byte
	}{{"image/png", shot}, {"audio/", sound}, {"application/pdf", page}} {
		attached := result.Attachments[i]
		if !strings.HasPrefix(attached.MIMEType, want.mime) || attached.Bytes != len(want.file) || !bytes.Equal(read(t, attached.URI.FsPath()), want.file) {
			t.Errorf("%d: %+v", i, attached)
		}
	}
}

func TestC45_NothingIsCutWithoutAWord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": w.puppet("mine")}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	const end = "THE END"
	for _, size := range []struct {
		text  string
		times int
	}{{"x", 9 << 10}, {"é", 11000}, {"日本", 6001}, {"a😀", 8000}, {"line\n", 400_000}, {"€", 4 << 20}} {
		whole := strings.Repeat(size.text, size.times) + end
		id := message.CallID(fmt.Sprintf("call-%d", size.times))
		params := message.ToolCallParams{Tool: "mine.look", CallID: id, ArgumentsText: told(t, map[string]any{"text": size.text, "times": size.times, "end": end})}
		result := ended(t, e, begin(t, e, params))
		if result.Status != message.CallOK || !utf8.ValidString(result.Text) || strings.ContainsRune(result.Text, utf8.RuneError) {
			t.Fatalf("%d times %q: %s, %d bytes of text", size.times, size.text, result.Status, len(result.Text))
		}
		isLong := utf8.RuneCountInString(whole) > 12000
		if result.Truncated != isLong || (result.FullTextURI != "") != isLong {
			t.Errorf("%d times %q: truncated %t, whole in %q", size.times, size.text, result.Truncated, result.FullTextURI)
		}
		if !isLong && result.Text != whole {
			t.Errorf("%d times %q is changed", size.times, size.text)
		}
		if isLong {
			path := result.FullTextURI.FsPath()
			if utf8.RuneCountInString(result.Text) > 13000 || !strings.HasPrefix(result.Text, strings.Repeat(size.text, 100)) || !strings.Contains(result.Text, path) {
				t.Errorf("%d characters, which end in %q", utf8.RuneCountInString(result.Text), tailOf(result.Text))
			}
			if string(read(t, path)) != whole {
				t.Errorf("%s is not the whole text", path)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			defer func() { // once the session is over
				e.End()
				if exists(path) {
					t.Errorf("%s is left", path)
				}
			}()
		}
		// An odd limit, so that pages end within characters.
		if paged := pages(t, e, id, 0x10001); paged != whole {
			t.Errorf("%d times %q: the pages are %d bytes of %d", size.times, size.text, len(paged), len(whole))
		}
	}
	for _, params := range []message.ResultReadParams{{CallID: "none"}, {CallID: "call-9216", Offset: -1}, {CallID: "call-9216", Limit: -1}, {CallID: "call-6001", Offset: 1}} {
		_, err := editortest.TryRequest(e, message.ResultRead, params)
		if code, _ := errorOf(err); code != int(rpc.CodeInvalidParams) {
			t.Errorf("%+v: %v", params, err)
		}
	}
	// Behind the end there is nothing, and no further page.
	if past := editortest.Request(e, message.ResultRead, message.ResultReadParams{CallID: "call-9216", Offset: 1 << 40}); past.Text != "" || past.NextOffset != nil {
		t.Errorf("%+v", past)
	}
	// A limit below one character goes on all the same.
	if first := editortest.Request(e, message.ResultRead, message.ResultReadParams{CallID: "call-6001", Limit: 1}); first.NextOffset == nil || first.Text != "日" || *first.NextOffset != 3 {
		t.Errorf("%+v", first)
	}
}

func tailOf(text string) string { return text[max(0, len(text)-300):] }

// pages reads a text whole, page by page.
func pages(t testing.TB, e *editortest.Editor, id message.CallID, limit int) string {
	t.Helper()
	var whole strings.Builder
	for offset := 0; ; {
		page := editortest.Request(e, message.ResultRead, message.ResultReadParams{CallID: id, Offset: offset, Limit: limit})
		if !utf8.ValidString(page.Text) || len(page.Text) > limit {
			t.Fatalf("a page of %d bytes at %d", len(page.Text), offset)
		}
		whole.WriteString(page.Text)
		if page.NextOffset == nil {
			return whole.String()
		}
		if *page.NextOffset <= offset {
			t.Fatalf("the page at %d is followed by %d", offset, *page.NextOffset)
		}
		offset = *page.NextOffset
	}
}

func TestC46_AnImageIsAFileAndNoText(t *testing.T) {
	t.Parallel()
	file := picture(t)
	data := base64.StdEncoding.EncodeToString(file)
	result, _ := resultOf(t, fmt.Sprintf(
		`{"content":[{"type":"text","text":"a chart"},{"type":"image","data":%q,"mimeType":"image/png"}],"structuredContent":{"chart":%q,"n":1}}`, data, data))
	if result.Status != message.CallOK || len(result.Attachments) != 1 {
		t.Fatalf("%+v", result)
	}
	attached := result.Attachments[0]
	path := attached.URI.FsPath()
	if attached.MIMEType != "image/png" || attached.Bytes != len(file) || filepath.Ext(path) != ".png" || !bytes.Equal(read(t, path), file) {
		t.Errorf("%+v", attached)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if !strings.Contains(result.Text, "a chart") || strings.Contains(result.Text, data[:40]) {
		t.Errorf("the text is %q", result.Text)
	}
	if !strings.Contains(result.StructuredText, data) || !strings.Contains(result.ContentText, data) {
		t.Error("the canonical value lost it")
	}
	// What calls itself a picture and is none is no picture (S27).
	liar, _ := resultOf(t, fmt.Sprintf(`{"content":[{"type":"image","data":%q,"mimeType":"image/png"}]}`, base64.StdEncoding.EncodeToString([]byte("<svg onload=x>"))))
	if len(liar.Attachments) != 1 || strings.HasPrefix(liar.Attachments[0].MIMEType, "image/") || strings.HasSuffix(liar.Attachments[0].URI.FsPath(), ".png") {
		t.Errorf("%+v", liar.Attachments)
	}
}

// Digits survive in both directions (E6).
func TestE6_DigitsSurvive(t *testing.T) {
	t.Parallel()
	const numbers = `{"big":9007199254740993,"negative":-9007199254740993,"long":123456789012345678901234567890,"zero":1.10,"small":1E-400,"minus":-0}`
	result, _ := resultOf(t, `{"content":[{"type":"text","text":"n"}],"structuredContent":`+numbers+`}`)
	if result.StructuredText != numbers {
		t.Errorf("structuredText is %s", result.StructuredText)
	}

	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("echo", mcptest.LogVar+"="+w.log("mine"))}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	for _, params := range []message.ToolCallParams{{Tool: "mine.a", ArgumentsText: numbers}, {Tool: "mine.a", Arguments: []byte(numbers)}} {
		answer := begin(t, e, params)
		if shown := approvalOf(t, e.Approve(message.ApproveOnce)).ArgumentsText; shown != numbers {
			t.Errorf("shown were %s", shown)
		}
		if result := ended(t, e, answer); result.Text != numbers {
			t.Errorf("%s came back", result.Text)
		}
	}
	for _, sent := range argumentsOf(t, w.log("mine")) {
		if sent != numbers {
			t.Errorf("sent were %s", sent)
		}
	}
}

// Only what is asked for crosses the wire.
func TestE6_TheFormsThatAreWanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"mine": fake("", readOnly, mcptest.ResultVar+`={"content":[{"type":"text","text":"words"}],"structuredContent":{"a":1},"isError":true}`)}))
	e := w.edit()
	e.Connector("mine", message.ConnectorReady)
	for _, include := range [][]message.CallPart{nil, {message.CallPartText}, {message.CallPartContent}, {message.CallPartStructured}, everything, {}, {"something new"}} {
		result := ended(t, e, begin(t, e, message.ToolCallParams{Tool: "mine.a", Include: include}))
		wants := func(part message.CallPart) bool { return message.ToolCallParams{Include: include}.Includes(part) }
		if result.Status != message.CallToolError || result.Attachments == nil {
			t.Errorf("%q: %+v", include, result)
		}
		if (result.Text != "") != wants(message.CallPartText) || (result.ContentText != "") != wants(message.CallPartContent) || (result.StructuredText != "") != wants(message.CallPartStructured) {
			t.Errorf("%q: %+v", include, result)
		}
		if wants(message.CallPartContent) && !json.Valid([]byte(result.ContentText)) {
			t.Errorf("%s", result.ContentText)
		}
	}
}
