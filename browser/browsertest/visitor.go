package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is far above what any call of the suite takes on a busy machine.
const patience = 90 * time.Second

// Setup is what a test wants of the provider that it opens.
type Setup struct {
	Site   *Site
	Output string                       // where downloads go
	Answer func(question string) string // "decline", "allow" or "allowWithParts"
}

// visitor uses a browser as an agent does, and keeps what it was told.
type visitor struct {
	t       *testing.T
	session *mcp.ClientSession
	site    *Site
	output  string
	last    string
	dialect Dialect

	mu     sync.Mutex
	asked  []string
	answer string
}

func visit(t *testing.T, p Provider) *visitor {
	t.Helper()
	v := &visitor{t: t, site: NewSite(t), output: t.TempDir(), answer: "decline"}
	v.dialect = p.Dialect
	v.session = p.Open(t, Setup{Site: v.site, Output: v.output, Answer: v.respond})
	return v
}

func (v *visitor) respond(question string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = append(v.asked, question)
	return v.answer
}

func (v *visitor) answers(with string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer, v.asked = with, nil
}

func (v *visitor) questions() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.asked...)
}

type args map[string]any

// call calls a tool by what it is called in the native browser.
func (v *visitor) call(tool string, arguments args) *mcp.CallToolResult {
	v.t.Helper()
	if v.dialect.translate != nil {
		tool, arguments = v.dialect.translate(tool, arguments)
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		v.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(v.t.Context(), patience)
	defer cancel()
	result, err := v.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(encoded)})
	if err != nil {
		v.t.Fatalf("%s %s: %v", tool, encoded, err)
	}
	v.last = ""
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			v.last += text.Text + "\n"
		}
	}
	return result
}

// do calls a tool that must do what it was asked for.
func (v *visitor) do(tool string, arguments args) *mcp.CallToolResult {
	v.t.Helper()
	result := v.call(tool, arguments)
	if result.IsError {
		v.t.Fatalf("%s %v: %s", tool, arguments, v.last)
	}
	return result
}

// fails calls a tool that must refuse, and say each of the words.
func (v *visitor) fails(tool string, arguments args, words ...string) {
	v.t.Helper()
	result := v.call(tool, arguments)
	if word := v.dialect.failsInWords; !result.IsError && (word == "" || !strings.Contains(v.last, word)) {
		v.t.Errorf("%s %v was done: %s", tool, arguments, v.last)
	}
	v.says(words...)
}

// says wants the last answer to hold each of the words.
func (v *visitor) says(words ...string) {
	v.t.Helper()
	for _, word := range words {
		if !strings.Contains(v.last, word) {
			v.t.Errorf("%q is missing in: %s", word, v.last)
		}
	}
}

func (v *visitor) open(path string) {
	v.t.Helper()
	v.do("browser_navigate", args{"url": v.site.URL + path})
}

// sees wants the page to hold each of the words by now, or soon.
func (v *visitor) sees(words ...string) {
	v.t.Helper()
	for _, word := range words {
		if v.call("browser_wait_for", args{"text": word}).IsError {
			v.do("browser_snapshot", args{})
			v.t.Errorf("%q is not on the page: %s", word, v.last)
		}
	}
}

// ref is that of an element in a new snapshot.
func (v *visitor) ref(role, name string) string {
	v.t.Helper()
	v.do("browser_snapshot", args{})
	return v.refIn(role, name)
}

func (v *visitor) refIn(role, name string) string {
	v.t.Helper()
	for _, pattern := range v.dialect.refs(role, regexp.QuoteMeta(name)) {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(v.last); found != nil {
			return found[1]
		}
	}
	v.t.Fatalf("there is no %s %q in: %s", role, name, v.last)
	return ""
}

func (v *visitor) click(role, name string) {
	v.t.Helper()
	v.do("browser_click", args{"target": v.ref(role, name), "element": name})
}

// evaluates wants a script to return the JSON.
func (v *visitor) evaluates(function, want string) {
	v.t.Helper()
	v.do("browser_evaluate", args{"function": function})
	compact := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if !strings.Contains(compact(v.last), compact(want)) {
		v.t.Errorf("%q is missing in: %s", want, v.last)
	}
}

func picture(result *mcp.CallToolResult) (width, height int, err error) {
	for _, block := range result.Content {
		if image, ok := block.(*mcp.ImageContent); ok && image.MIMEType == "image/png" {
			decoded, err := png.DecodeConfig(bytes.NewReader(image.Data))
			return decoded.Width, decoded.Height, err
		}
	}
	return 0, 0, fmt.Errorf("there is no PNG")
}

// answersDialogs goes through the page of dialogs where each stays until a tool answers it.
func (v *visitor) answersDialogs() {
	v.t.Helper()
	for _, one := range []struct {
		button string
		answer args
		want   string
	}{
		{"Alert", args{"accept": true}, "alert over"},
		{"Confirm", args{"accept": false}, "confirm says false"},
		{"Confirm", args{"accept": true}, "confirm says true"},
		{"Prompt", args{"accept": true, "promptText": "Ada"}, "prompt says Ada"},
	} {
		v.call("browser_click", args{"target": v.ref("button", one.button)})
		v.do("browser_handle_dialog", one.answer)
		if one.answer["accept"] == true && v.dialect.DialogsGetNo {
			continue
		}
		v.sees(one.want)
	}
}
