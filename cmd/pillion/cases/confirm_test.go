package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pillion/editors"
	"pillion/editors/editortest"
	"pillion/rpc"
	"pillion/rpc/message"
)

// asksAbout raises the question about a connector that waits, and returns it with the part about that connector.
func asksAbout(t testing.TB, e *editortest.Editor, name string) (message.Ask, message.ConsentItem) {
	t.Helper()
	waiting := e.Connector(name, message.ConnectorWaiting)
	shown := editortest.Request(e, message.AskShow, message.AskShowParams{Connector: message.ConnectorRef(waiting.ID)})
	for _, ask := range editortest.Request(e, message.Asks, message.Empty{}).Asks {
		if shown.AskID == nil || ask.AskID != *shown.AskID {
			continue
		}
		for _, item := range bodyOf[message.ConsentBody](t, ask).Items {
			if item.Connector == waiting.ID {
				return ask, item
			}
		}
	}
	t.Fatalf("there is no question about %s", name)
	return message.Ask{}, message.ConsentItem{}
}

// decides answers a question about one connector.
func decides(t testing.TB, e *editortest.Editor, ask message.Ask, answer message.ConsentAnswer) message.AskAnswerResult {
	t.Helper()
	text, err := rpc.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return e.Answer(ask.AskID, string(text))
}

// S11: each secret is confirmed by its name, with where it goes; an unchanged one that goes where it went is not asked about
// again, and another repository, or another destination, asks.
func TestS11_EachSecretIsConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "WORK_TOKEN=t0ps3cret-value", "PLAIN=x", "OTHER=y0ur-s3cret-here")
	definition := fake("", "GITHUB_TOKEN=${WORK_TOKEN}", "LEVEL=${PLAIN}", "API_KEY=${OTHER}")
	w.project(servers(map[string]entry{"f": definition}))
	e := w.edit()
	ask, item := asksAbout(t, e, "f")
	if len(item.Secrets) != 2 || item.Secrets[0] != (message.ConsentSecret{Name: "OTHER", Destination: fakestdio}) || item.Secrets[1].Name != "WORK_TOKEN" {
		t.Fatalf("%+v", item.Secrets)
	}
	if text := editors.ReviewText(ask, ""); !strings.Contains(text, "| reads: WORK_TOKEN → "+fakestdio) || strings.Contains(text, "t0ps3cret") {
		t.Errorf("%s", text)
	}
	allow := map[message.ConnectorID]message.ConsentDecision{item.Connector: message.ConsentAllow}
	for _, named := range [][]string{nil, {"WORK_TOKEN"}, {"work_token", "OTHER"}} {
		result := decides(t, e, ask, message.ConsentAnswer{Decisions: allow, Secrets: map[message.ConnectorID][]string{item.Connector: named}})
		if result.Accepted || !strings.Contains(result.Reason, "is not confirmed") {
			t.Errorf("%v: %+v", named, result)
		}
	}
	e.Connector("f", message.ConnectorWaiting)
	all := map[message.ConnectorID][]string{item.Connector: {"WORK_TOKEN", "OTHER"}}
	if result := decides(t, e, ask, message.ConsentAnswer{Decisions: allow, Secrets: all}); !result.Accepted {
		t.Errorf("%+v", result)
	}
	e.Connector("f", message.ConnectorReady)

	w.project(servers(map[string]entry{"f": definition.withEnv("LEVEL=2")}))
	if ask, item = asksAbout(t, e, "f"); len(item.Secrets) != 0 {
		t.Errorf("what was confirmed is asked about again: %+v", item.Secrets)
	}
	if result := decides(t, e, ask, message.ConsentAnswer{Decisions: allow}); !result.Accepted {
		t.Errorf("%+v", result)
	}
	e.Connector("f", message.ConnectorReady)

	w.project(servers(map[string]entry{"f": definition.with("args", []string{"--to", "elsewhere"})}))
	if _, item = asksAbout(t, e, "f"); len(item.Secrets) != 2 || item.Secrets[0].Destination != fakestdio+" --to elsewhere" {
		t.Errorf("another destination: %+v", item.Secrets)
	}
	e.End()

	second := filepath.Join(w.home, "second")
	if err := os.Mkdir(second, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(second, ".mcp.json"), servers(map[string]entry{"f": definition}))
	other := w.edit(func(o *editortest.Options) { o.Roots = []string{second} })
	if _, item = asksAbout(t, other, "f"); len(item.Secrets) != 2 {
		t.Errorf("another repository: %+v", item.Secrets)
	}
}
