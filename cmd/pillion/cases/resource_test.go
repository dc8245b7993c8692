package cases

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pillion/editors/editortest"
	"pillion/mcp/mcptest"
	"pillion/rpc/message"
)

// offersAll is what a fake announces that has more than tools.
const offersAll = mcptest.CapabilitiesVar + `={"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}`

// rich is a fake of the user's own with resources, prompts and completion, whose calls ask nobody.
func (w *world) rich(mode string, variables ...string) entry {
	return fake(mode, append([]string{offersAll, readOnly, mcptest.LogVar + "=" + w.log("rich")}, variables...)...)
}

func TestF1_ListedReadAndCompleted(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"", "modern,"} {
		t.Run("era "+era, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user(servers(map[string]entry{"rich": w.rich(era + "pages=3")}))
			e := w.edit()
			c := e.Connector("rich", message.ConnectorReady)
			if c.Resources != 3 || c.Prompts != 3 {
				t.Errorf("%+v", c)
			}
			listed := editortest.Request(e, message.Resources, message.ResourcesParams{Connector: "rich"})
			if len(listed.Resources) != 3 || len(listed.Templates) != 3 || listed.Resources[2].URI != "test://2" || listed.Templates[1].URITemplate != "test://1/{x}" || listed.Resources[0].Connector != c.ID {
				t.Errorf("%+v", listed)
			}
			read := editortest.Request(e, message.ResourceRead, message.ResourceReadParams{Connector: "rich", URI: "test://1"})
			if read.Status != message.CallOK || len(read.Contents) != 1 || read.Contents[0].Text != "what stands at test://1" || read.Contents[0].MIMEType != "text/plain" {
				t.Errorf("%+v", read)
			}
			prompts := editortest.Request(e, message.Prompts, message.PromptsParams{})
			if len(prompts.Prompts) != 3 || prompts.Prompts[1].Name != "p1" || prompts.Prompts[1].Arguments == nil {
				t.Errorf("%+v", prompts)
			}
			got := editortest.Request(e, message.PromptGet, message.PromptGetParams{Connector: "rich", Name: "p1", Arguments: []byte(`{"city":"Bern"}`)})
			if got.Status != message.CallOK || got.Description != "about p1" || len(got.Messages) != 1 || got.Messages[0].Text != `p1 {"city":"Bern"}` || got.Messages[0].Role != message.PromptUser {
				t.Errorf("%+v", got)
			}
			completed := editortest.Request(e, message.Complete, message.CompleteParams{Connector: "rich", Ref: message.CompletionRef{Prompt: "p1"}, Argument: "city", Value: "B"})
			if !slices.Equal(completed.Values, []string{"Ba", "Bb"}) || completed.Total != 3 || !completed.HasMore {
				t.Errorf("%+v", completed)
			}
			if bad := editortest.Request(e, message.PromptGet, message.PromptGetParams{Connector: "rich", Name: "p1", Arguments: []byte(`{"n":1}`)}); bad.Status != message.CallInvalidArguments {
				t.Errorf("%+v", bad)
			}
		})
	}
}

// What a list holds that cannot be used costs nobody but itself; what is not offered is said to be so, and nothing is sent.
func TestC33_OddAndAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{
		"rich": w.rich("twice"), "plain": fake("", readOnly, mcptest.LogVar+"="+w.log("plain")),
	}))
	e := w.edit()
	c := e.ConnectorThat("rich is warned of", func(c message.Connector) bool { return c.Name == "rich" && len(c.Warnings) >= 3 })
	if c.Resources != 1 || c.Prompts != 1 || !strings.Contains(strings.Join(c.Warnings, "\n"), "resources/list: 2 entries are left out") {
		t.Errorf("%+v", c)
	}
	e.Connector("plain", message.ConnectorReady)
	followed := editortest.Request(e, message.ResourceSubscribe, message.ResourceParams{Connector: "plain", URI: "test://0"})
	if followed.Status != message.CallConnectorError || !strings.Contains(followed.Message, "offers no subscriptions") {
		t.Errorf("%+v", followed)
	}
	completed := editortest.Request(e, message.Complete, message.CompleteParams{Connector: "plain", Ref: message.CompletionRef{Prompt: "p"}, Argument: "a"})
	if completed.Status != message.CallOK || len(completed.Values) != 0 {
		t.Errorf("%+v", completed)
	}
	if sent := len(requestsOf(t, w.log("plain"), "resources/subscribe")) + len(requestsOf(t, w.log("plain"), "completion/complete")); sent != 0 {
		t.Errorf("%d requests were sent that the connector does not offer", sent)
	}
	unknown := editortest.Request(e, message.ResourceRead, message.ResourceReadParams{Connector: "plain", URI: "test://0"})
	if unknown.Status != message.CallOK { // whether it is there is the connector's to say
		t.Errorf("%+v", unknown)
	}
}

func TestC75_BytesAreAFileOfPillionsOwn(t *testing.T) {
	t.Parallel()
	var parts []string
	bytes := base64.StdEncoding.EncodeToString(picture(t))
	for _, name := range []string{"../../x", "/etc/x", `a\..\b`, "C:\\x", ".", "", "CON", "x.desktop", strings.Repeat("n", 300), "file:///etc/passwd"} {
		quoted, _ := json.Marshal(name)
		parts = append(parts, fmt.Sprintf(`{"uri":%s,"mimeType":"text/html","blob":%q}`, quoted, bytes))
	}
	w := newWorld(t)
	contents := `{"contents":[` + strings.Join(parts, ",") + `,{"uri":"test://t","text":"kept"},{"uri":"test://b","blob":"!"},5]}`
	prompt := fmt.Sprintf(`{"messages":[{"role":"assistant","content":{"type":"image","data":%q,"mimeType":"image/png"}},{"role":"user","content":{"type":"resource","resource":{"uri":"../../y","blob":%q}}},7]}`, bytes, bytes)
	w.user(servers(map[string]entry{"rich": w.rich("", mcptest.ContentsVar+"="+contents, mcptest.PromptVar+"="+prompt)}))
	heard := &heard{}
	e := w.edit(func(o *editortest.Options) { o.Heard = heard.hear })
	e.Connector("rich", message.ConnectorReady)
	read := editortest.Request(e, message.ResourceRead, message.ResourceReadParams{Connector: "rich", URI: "test://0"})
	if read.Status != message.CallOK || len(read.Contents) != 11 || read.Contents[10].Text != "kept" {
		t.Fatalf("%+v", read)
	}
	own := real(t, w.file("state"))
	for _, content := range read.Contents[:10] {
		path := real(t, content.FileURI.FsPath())
		info, err := os.Lstat(path)
		if !strings.HasPrefix(path, own+string(filepath.Separator)) || err != nil || info.Mode().Perm() != 0o600 || filepath.Ext(path) != ".png" || content.MIMEType != "image/png" {
			t.Errorf("%q: %s, %v, %s", content.URI, path, err, content.MIMEType)
		}
	}
	got := editortest.Request(e, message.PromptGet, message.PromptGetParams{Connector: "rich", Name: "p0"})
	if len(got.Messages) != 2 || len(got.Messages[0].Attachments) != 1 || got.Messages[0].Role != message.PromptAssistant || len(got.Messages[1].Attachments) != 1 {
		t.Errorf("%+v", got)
	}
	if strings.Contains(string(heard.bytes()), bytes[:60]) {
		t.Error("bytes stand in a message")
	}
}

func TestC51_SubscriptionsSurviveARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.file("gone")
	w.user(servers(map[string]entry{"rich": w.rich("refuse="+gone+",pid="+w.file("pids"), readOnly)}))
	e := w.edit()
	c := e.Connector("rich", message.ConnectorReady)
	for _, uri := range []string{"x://1", "x://2", "x://1"} { // two views show the first
		if followed := editortest.Request(e, message.ResourceSubscribe, message.ResourceParams{Connector: "rich", URI: uri}); followed.Status != message.CallOK {
			t.Fatalf("%s: %+v", uri, followed)
		}
	}
	if sent := requestsOf(t, w.log("rich"), "resources/subscribe"); len(sent) != 2 {
		t.Errorf("subscribed %d times", len(sent))
	}
	w.write(gone, "x://2")
	running, err := os.FindProcess(pidOf(t, e, "rich"))
	if err != nil || running.Kill() != nil {
		t.Fatal("the connector was not killed")
	}
	// Somebody follows what it has, so that it comes back by itself.
	eventually(t, "both were renewed", func() bool { return len(requestsOf(t, w.log("rich"), "resources/subscribe")) == 4 })
	e.ConnectorThat("the lost one is told", func(c message.Connector) bool {
		return c.Name == "rich" && strings.Contains(strings.Join(c.Warnings, "\n"), `the resource "x://2" is not followed any more`)
	})
	before := editortest.Notices(e, message.ResourceUpdated, c.ID, "x://1")
	update := `{"notify":[{"method":"notifications/resources/updated","params":{"uri":"x://1"}},{"method":"notifications/resources/updated","params":{"uri":"x://9"}}]}`
	approved(t, e, "rich.a", update, message.ApproveOnce)
	editortest.Noticed(e, message.ResourceUpdated, c.ID, "x://1", before+1)
	// The connector is told when the last view has gone.
	editortest.Request(e, message.ResourceUnsubscribe, message.ResourceParams{Connector: "rich", URI: "x://1"})
	if sent := requestsOf(t, w.log("rich"), "resources/unsubscribe"); len(sent) != 0 {
		t.Errorf("unsubscribed while a view is left")
	}
	editortest.Request(e, message.ResourceUnsubscribe, message.ResourceParams{Connector: "rich", URI: "x://1"})
	if sent := requestsOf(t, w.log("rich"), "resources/unsubscribe"); len(sent) != 1 {
		t.Errorf("unsubscribed %d times", len(sent))
	}
	if n := editortest.Notices(e, message.ResourceUpdated, c.ID, "x://9"); n != 0 {
		t.Errorf("%d notices of what nobody follows", n)
	}
}

func TestC31_AFloodOfUpdatesIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"rich": w.rich("")}))
	e := w.edit()
	c := e.Connector("rich", message.ConnectorReady)
	editortest.Request(e, message.ResourceSubscribe, message.ResourceParams{Connector: "rich", URI: "x://1"})
	approved(t, e, "rich.a", `{"notify":[{"method":"notifications/resources/updated","params":{"uri":"x://1"},"times":20000},{"method":"notifications/resources/list_changed","times":500}]}`, message.ApproveOnce)
	editortest.Noticed(e, message.ResourceUpdated, c.ID, "x://1", 1)
	call(t, e, "rich.a", `{}`)
	if n := editortest.Notices(e, message.ResourceUpdated, c.ID, "x://1"); n > 100 {
		t.Errorf("%d notices of 20,000 updates", n)
	}
	if n := len(requestsOf(t, w.log("rich"), "resources/list")); n > 4 {
		t.Errorf("resources were listed %d times", n)
	}
}

// What others list has changed is told, of each list by itself.
func TestF1_ListChangesAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user(servers(map[string]entry{"rich": w.rich("grow")}))
	e := w.edit()
	c := e.Connector("rich", message.ConnectorReady)
	call(t, e, "rich.a", `{"notify":[{"method":"notifications/prompts/list_changed"},{"method":"notifications/resources/list_changed"}]}`)
	editortest.Noticed(e, message.PromptsChanged, c.ID, "", 2)
	editortest.Noticed(e, message.ResourcesChanged, c.ID, "", 2)
}
