package browsertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Opener starts a provider and connects to it, until the test ends. Names that end in .test are the setup's site to it, at a public
// address.
type Opener func(t *testing.T, s Setup) *mcp.ClientSession

// Questions is the part of the suite in which somebody is asked, for providers that do that in more than one way.
func Questions(t *testing.T, p Provider) {
	for name, test := range map[string]func(*testing.T, Provider){
		"offers the core tools":                    suiteTools,
		"S14 asks before a new origin":             suiteAsks,
		"S14 goes where the answer was yes":        suiteAllows,
		"S14 asks whatever way a page leads there": suiteLeave,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
}

// Provider is what is tried.
type Provider struct {
	Open    Opener
	Dialect Dialect
}

// Suite is what every browser must do, whatever it is made of.
func Suite(t *testing.T, p Provider) {
	for name, test := range map[string]func(*testing.T, Provider){
		"offers the core tools":                      suiteTools,
		"opens and reads a page":                     suiteReads,
		"fills a form":                               suiteForm,
		"types and presses keys":                     suiteKeys,
		"follows a router, and goes back":            suiteRouter,
		"shows the console and the requests":         suiteConsole,
		"is not held up by dialogs":                  suiteDialogs,
		"lists new tabs":                             suiteTabs,
		"reads and clicks in frames":                 suiteFrames,
		"reads and clicks in shadow trees":           suiteShadow,
		"clicks what only a script makes clickable":  suiteClickable,
		"says what is in the way":                    suiteCovered,
		"points at things":                           suiteHover,
		"reads 5,000 nodes in parts":                 suiteMany,
		"H4 takes pictures":                          suitePictures,
		"runs scripts":                               suiteScripts,
		"lets refs die with the next snapshot":       suiteRefs,
		"waits for slow pages for a while alone":     suiteSlow,
		"says what could not be reached":             suiteUnreachable,
		"S14 asks before a new origin":               suiteAsks,
		"S14 goes where the answer was yes":          suiteAllows,
		"S14 asks whatever way a page leads there":   suiteLeave,
		"S14 loads nothing from elsewhere":           suiteLeak,
		"S22 reaches no private address":             suitePrivate,
		"S22 keeps this machine from public pages":   suiteInside,
		"S27 keeps downloads under names of its own": suiteDownload,
		"S17 shows the words of a page as its own":   suiteWords,
		"H5 keeps two sessions apart":                suiteApart,
		"goes on after a script that does not end":   suiteHang,
		"starts another browser after it was closed": suiteClose,
	} {
		t.Run(name, func(t *testing.T) {
			if why := p.Dialect.Cannot[name]; why != "" {
				t.Skip("CANNOT: " + why)
			}
			test(t, p)
		})
	}
}

func suiteTools(t *testing.T, p Provider) {
	v := visit(t, p)
	list, err := v.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
		if tool.Annotations == nil || tool.Annotations.Title == "" || tool.Description == "" {
			t.Errorf("%s says too little of itself", tool.Name)
		}
	}
	for name, isReadOnly := range p.Dialect.tools() {
		if tool := tools[name]; tool == nil {
			t.Errorf("%s is missing", name)
		} else if tool.Annotations.ReadOnlyHint != isReadOnly {
			t.Errorf("%s: readOnlyHint is %v", name, tool.Annotations.ReadOnlyHint)
		}
	}
	for _, never := range []string{
		"browser_file_upload", "browser_run_code", "browser_run_code_unsafe", "browser_drop", "browser_install",
		"upload_file", "take_heapsnapshot", "lighthouse_audit", "screencast_start",
	} {
		if tools[never] != nil {
			t.Errorf("H3: %s is offered", never)
		}
	}
}

func suiteReads(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/")
	v.do("browser_snapshot", args{})
	v.says(`heading "Welcome"`, "Hello there.", `link "The form"`)
	v.click("link", "The form")
	v.sees("A form")
}

func suiteForm(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/form")
	v.do("browser_type", args{"target": v.ref("textbox", "Name"), "text": "Ada „L“ 😀"})
	v.do("browser_snapshot", args{})
	field := func(role, name, kind, value string) args {
		return args{"target": v.refIn(role, name), "name": name, "type": kind, "value": value}
	}
	v.do("browser_fill_form", args{"fields": []args{
		field("textbox", "Notes", "textbox", "two\nlines"), field("checkbox", "News", "checkbox", "true"),
		field("radio", "Large", "radio", "true"), field("slider", "Amount", "slider", "7"), field("combobox", "Colour", "combobox", "Green"),
	}})
	v.do("browser_select_option", args{"target": v.ref("combobox", "Colour"), "values": []string{"r"}})
	v.do("browser_select_option", args{"target": v.ref("combobox", "Colour"), "values": []string{"Green"}})
	v.fails("browser_select_option", args{"target": v.ref("combobox", "Colour"), "values": []string{"Blue"}})
	if fixed := v.ref("textbox", "Fixed"); p.Dialect.FixedIsSilent {
		v.do("browser_type", args{"target": fixed, "text": "x"})
	} else {
		v.fails("browser_type", args{"target": fixed, "text": "x"})
	}
	v.click("button", "Save")
	v.sees("Saved", "name=Ada+%E2%80%9EL%E2%80%9C+%F0%9F%98%80", "notes=two%0D%0Alines", "news=yes", "size=l", "amount=7", "colour=g")
}

func suiteKeys(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/keys")
	v.do("browser_type", args{"target": v.ref("textbox", "Field"), "text": "ab", "slowly": true})
	for _, key := range []string{"ArrowLeft", "Control+a", "Backspace", "x", "Shift+Tab"} {
		v.do("browser_press_key", args{"key": key})
	}
	v.sees("keys: a b ArrowLeft", "Backspace x")
	v.evaluates("() => document.querySelector('input').value", `"x"`)
	v.fails("browser_press_key", args{"key": "NoSuchKey"})
}

func suiteRouter(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/router")
	v.click("link", "One")
	v.sees("View One")
	v.click("link", "Two")
	v.sees("View Two")
	v.do("browser_navigate_back", args{})
	v.sees("Back at /router/one")
	v.open("/other")
	v.do("browser_navigate_back", args{})
	v.evaluates("() => location.pathname", `"/router/one"`)
}

func suiteConsole(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/console")
	v.click("button", "Fail")
	v.do("browser_console_messages", args{"level": "info"})
	v.says("a plain word", "a warning", "an error of the page", "nothing is not defined")
	v.do("browser_console_messages", args{"level": "error"})
	if strings.Contains(v.last, "a plain word") {
		t.Errorf("errors alone: %s", v.last)
	}
	v.do("browser_network_requests", args{"static": false})
	v.says("/broken", "500", "/absent", "404", "/data", "200")
}

func suiteDialogs(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/dialogs")
	if p.Dialect.DialogsWait {
		v.answersDialogs()
		return
	}
	v.click("button", "Alert")
	v.says("mind the gap")
	v.sees("alert over")
	v.click("button", "Confirm")
	v.says("Delete everything?", "dismissed")
	v.sees("confirm says false")
	v.do("browser_handle_dialog", args{"accept": true, "promptText": "Ada"})
	v.click("button", "Prompt")
	v.sees("prompt says Ada")
	v.click("button", "Confirm")
	v.sees("confirm says false")
}

func suiteTabs(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/windows")
	v.click("link", "New tab")
	v.says(p.Dialect.opened(2))
	v.click("button", "Popup")
	v.do("browser_tabs", args{"action": "list"})
	v.says(p.Dialect.tab(1, true), p.Dialect.tab(2, false), p.Dialect.tab(3, false), "/other", "Other")
	v.do("browser_tabs", args{"action": "select", "index": 2})
	v.sees("The other page")
	v.do("browser_tabs", args{"action": "new", "url": v.site.URL + "/form"})
	v.sees("A form")
	v.do("browser_tabs", args{"action": "close", "index": 2})
	v.do("browser_tabs", args{"action": "close", "index": p.Dialect.lastTab()})
	v.do("browser_tabs", args{"action": "list"})
	if strings.Contains(v.last, "/form") || strings.Count(v.last, "/other") != 1 {
		t.Errorf("closed tabs are listed: %s", v.last)
	}
	v.fails("browser_tabs", args{"action": "select", "index": 9})
}

func suiteFrames(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/frames")
	v.do("browser_snapshot", args{})
	if !p.Dialect.FramesAreNameless {
		v.last = strings.ToLower(v.last)
		v.says(`iframe "inner frame"`, `iframe "other host"`)
	}
	for n := range 2 {
		v.do("browser_snapshot", args{})
		frames := strings.Split(strings.ToLower(v.last), "iframe ")
		if len(frames) != 3 {
			t.Fatal(v.last)
		}
		v.last = v.last[len(v.last)-len(strings.Join(frames[n+1:], "iframe ")):]
		v.do("browser_click", args{"target": v.refIn("button", "Inside")})
	}
	v.do("browser_snapshot", args{})
	v.says("pressed in 127.0.0.1:"+v.site.Port, "pressed in localhost:"+v.site.Port)
	if !p.Dialect.FramesAreNameless {
		v.sees("pressed in localhost")
	}
}

func suiteShadow(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/shadow")
	v.click("button", "In the shadow")
	v.sees("touched")
	v.do("browser_snapshot", args{})
	if strings.Contains(v.last, "untouched") {
		t.Error(v.last)
	}
}

func suiteClickable(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/words")
	v.click("[a-z]+", "A plain thing")
	v.sees("a plain thing was clicked")
}

func suiteCovered(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/covered")
	v.fails("browser_click", args{"target": v.ref("button", "Under")}, "A veil")
}

func suiteHover(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/hover")
	v.do("browser_hover", args{"target": v.ref("button", "Here")})
	v.sees("over it")
}

func suiteMany(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/many")
	v.do("browser_snapshot", args{})
	if len(v.last) > 60<<10 {
		t.Errorf("the snapshot has %d bytes", len(v.last))
	}
	v.says("are left out", "from:")
	v.do("browser_snapshot", args{"from": 4900})
	v.says(`button "Button 2499"`)
	v.do("browser_click", args{"target": v.refIn("button", "Button 2499")})
	v.sees("pressed 2499")
	v.do("browser_snapshot", args{"target": v.ref("button", "Button 7")})
	v.says(`button "Button 7"`)
	if strings.Contains(v.last, "Button 8") {
		t.Errorf("a part of the page: %s", v.last)
	}
}

func suitePictures(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/tall")
	width, height, err := picture(v.do("browser_take_screenshot", args{"scale": "css"}))
	if err != nil || width < 300 || height < 300 || height > 2000 {
		t.Errorf("%d by %d, %v", width, height, err)
	}
	if _, full, err := picture(v.do("browser_take_screenshot", args{"fullPage": true, "scale": "css"})); err != nil || full <= height {
		t.Errorf("the whole page is %d high, %v", full, err)
	}
	if width, height, err := picture(v.do("browser_take_screenshot", args{"target": v.ref("button", "Button 3"), "element": "a button", "scale": "css"})); err != nil || width > 200 || height > 60 {
		t.Errorf("a button is %d by %d, %v", width, height, err)
	}
}

func suiteScripts(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/form")
	v.evaluates("() => ({a: 1, b: [true, null]})", `{"a":1,"b":[true,null]}`)
	v.evaluates("async () => (await (await fetch('/data')).json()).answer", "42")
	v.do("browser_evaluate", args{"function": "(element) => element.value", "target": v.ref("textbox", "Name"), "element": "name"})
	v.says(`"old"`)
	v.fails("browser_evaluate", args{"function": "() => nothing.there"}, "nothing is not defined")
	v.do("browser_evaluate", args{"function": "() => 'x'.repeat(1000000)"})
	if len(v.last) > 100<<10 {
		t.Errorf("%d bytes came back", len(v.last))
	}
}

func suiteRefs(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/form")
	old := v.ref("button", "Save")
	v.do("browser_snapshot", args{})
	v.fails("browser_click", args{"target": old}, "snapshot")
	v.fails("browser_click", args{"target": "e999999"})
	v.fails("browser_click", args{"target": "#css"})
	if v.site.Reached("/saved") {
		t.Error("a dead ref was clicked")
	}
}

func suiteSlow(t *testing.T, p Provider) {
	v := visit(t, p)
	v.call("browser_navigate", args{"url": v.site.URL + "/slow"})
	v.open("/other")
	v.sees("The other page")
	v.fails("browser_navigate", args{"url": v.site.URL + "/never"})
	v.open("/late")
	v.sees("now it is here")
	if !p.Dialect.WaitsLong {
		v.fails("browser_wait_for", args{"text": "never here", "time": 0.3})
	}
}

func suiteUnreachable(t *testing.T, p Provider) {
	v := visit(t, p)
	v.fails("browser_navigate", args{"url": "http://127.0.0.1:1/"})
	for _, url := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x", "not a url", "http://user:pass@localhost/"} {
		v.fails("browser_navigate", args{"url": url})
	}
}

func suiteAsks(t *testing.T, p Provider) {
	v := visit(t, p)
	url := "http://second.test/path?query=1&more=2"
	v.fails("browser_navigate", args{"url": url})
	if asked := v.questions(); len(asked) != 1 || !strings.Contains(asked[0], url) || !strings.Contains(asked[0], `"http://second.test"`) {
		t.Errorf("asked %q", asked)
	}
	if slices.Contains(v.site.hosts(), "second.test") {
		t.Errorf("requests: %q", v.site.Seen())
	}
}

func suiteAllows(t *testing.T, p Provider) {
	v := visit(t, p)
	v.answers("allow")
	v.do("browser_navigate", args{"url": "http://second.test/"})
	v.sees("Welcome")
	v.do("browser_navigate", args{"url": "http://second.test/form"})
	if asked := v.questions(); len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
	v.do("browser_navigate", args{"url": "http://second.test/redirect?to=http://third.test/other"})
	v.sees("The other page")
	if asked := v.questions(); len(asked) != 2 || !strings.Contains(asked[1], `"http://third.test/other"`) {
		t.Errorf("asked %q", asked)
	}
}

func suiteLeave(t *testing.T, p Provider) {
	v := visit(t, p)
	for _, way := range []struct{ role, name, path string }{
		{"link", "Link", "by-link"}, {"link", "Blank", "by-blank"}, {"button", "Submit", "by-form"},
		{"button", "Popup", "by-popup"}, {"button", "Redirect", "by-redirect"},
	} {
		v.answers("decline")
		v.open("/leave")
		v.click(way.role, way.name)
		if asked := v.questions(); len(asked) != 1 || !strings.Contains(asked[0], "http://second.test/"+way.path) {
			t.Errorf("%s: asked %q", way.name, asked)
		}
	}
	if slices.Contains(v.site.hosts(), "second.test") {
		t.Errorf("requests: %q", v.site.Seen())
	}
	// Declined ways left the page as it was, and a yes lets exactly the held request go.
	v.answers("allow")
	v.open("/leave")
	v.click("button", "Submit")
	v.sees("404")
	if !slices.Contains(v.site.Seen(), "POST second.test/by-form") {
		t.Errorf("requests: %q", v.site.Seen())
	}
}

func suiteLeak(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/leak")
	v.sees("all tried")
	v.do("browser_wait_for", args{"time": 1.5})
	if slices.Contains(v.site.hosts(), "second.test") {
		t.Errorf("requests: %q", v.site.Seen())
	}
	v.do("browser_network_requests", args{"static": true})
	v.says("/by-img", "/by-fetch")
}

func suitePrivate(t *testing.T, p Provider) {
	v := visit(t, p)
	v.answers("allowWithParts")
	for _, url := range []string{
		"http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://10.0.0.1/", "http://192.168.1.1/", "http://0.0.0.0:" + v.site.Port + "/",
		"http://[fd00:ec2::254]/", "http://metadata.google.internal/", "http://private.test/", "http://rebound.test:" + v.site.Port + "/", "http://0xa9fea9fe/",
	} {
		v.fails("browser_navigate", args{"url": url})
	}
	v.do("browser_navigate", args{"url": "http://second.test/redirect?to=http://third.test/"})
	v.call("browser_navigate", args{"url": "http://second.test/redirect?to=http://169.254.169.254/latest/"})
	v.open("/inside")
	v.sees("all tried")
	for _, host := range v.site.hosts() {
		if !slices.Contains([]string{"127.0.0.1", "localhost", "second.test", "third.test"}, host) {
			t.Errorf("%s was reached: %q", host, v.site.Seen())
		}
	}
	// A page of this machine reaches it, by a socket too.
	if !v.site.Reached("localhost/data?across") || !v.site.Reached("127.0.0.1/socket?own") {
		t.Errorf("requests: %q", v.site.Seen())
	}
}

func suiteInside(t *testing.T, p Provider) {
	v := visit(t, p)
	v.answers("allowWithParts")
	v.open("/other") // the origin on this machine has been reached before, by its own page
	v.do("browser_navigate", args{"url": "http://second.test/inside"})
	v.sees("all tried")
	local := v.site.URL
	for _, function := range []string{
		"() => fetch('" + local + "/data?fetched', {mode: 'no-cors'}).then(() => 'reached', () => 'refused')",
		"() => new Promise(done => { const s = new WebSocket('" + strings.Replace(local, "http", "ws", 1) + "/socket?ws'); s.onopen = () => done('reached'); s.onerror = () => done('refused') })",
		"() => new Promise(done => { const i = new Image(); i.onload = i.onerror = () => done('refused'); i.src = '" + local + "/data?img' })",
	} {
		v.evaluates(function, "refused")
	}
	v.do("browser_evaluate", args{"function": "() => { const f = document.createElement('iframe'); f.src = '" + local + "/data?frame'; document.body.append(f); navigator.sendBeacon('" + local + "/data?beacon', 'x') }"})
	v.do("browser_evaluate", args{"function": "() => { location = '" + local + "/data?went' }"})
	v.do("browser_evaluate", args{"function": "() => { open('" + local + "/data?opened') }"})
	v.do("browser_evaluate", args{"function": "() => { open('" + local + "/data?noopener', '_blank', 'noopener') }"})
	v.do("browser_evaluate", args{"function": "() => { const w = open('about:blank'); w.location = '" + local + "/data?blank' }"})
	v.call("browser_navigate", args{"url": "http://second.test/redirect?to=" + local + "/data?redirected"})
	v.do("browser_wait_for", args{"time": 1.5})
	for _, one := range v.site.Seen() {
		if strings.Contains(one, "127.0.0.1/data?") || strings.Contains(one, "127.0.0.1/socket?") {
			t.Errorf("a public page made %s", one)
		}
	}
	// The agent itself may go there, and nothing of the public page comes along.
	v.open("/inside")
	v.sees("all tried")
	if !v.site.Reached("localhost/data?across") {
		t.Errorf("requests: %q", v.site.Seen())
	}
}

func suiteDownload(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/files")
	v.click("link", "Get it")
	v.sees("Get it") // the page stays
	var kept []os.DirEntry
	for range 100 {
		v.do("browser_wait_for", args{"time": 0.1})
		kept, _ = os.ReadDir(v.output)
		if len(kept) == 1 && strings.HasPrefix(kept[0].Name(), "download-") {
			break
		}
	}
	if len(kept) != 1 || strings.Contains(kept[0].Name(), "evil") || strings.HasSuffix(kept[0].Name(), ".sh") {
		t.Fatalf("kept: %v", kept)
	}
	content, err := os.ReadFile(filepath.Join(v.output, kept[0].Name()))
	if err != nil || !strings.Contains(string(content), "echo evil") {
		t.Errorf("%q, %v", content, err)
	}
}

func suiteWords(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/words")
	v.do("browser_snapshot", args{})
	if strings.ContainsRune(v.last, '\u202e') || !strings.Contains(v.last, "202e") {
		t.Errorf("what cannot be seen: %q", v.last)
	}
}

func suiteApart(t *testing.T, p Provider) {
	one, other := visit(t, p), visit(t, p)
	one.open("/form")
	one.do("browser_evaluate", args{"function": "() => { document.cookie = 'who=one'; localStorage.who = 'one' }"})
	other.do("browser_navigate", args{"url": one.site.URL + "/other"})
	other.evaluates("() => [document.cookie, localStorage.who ?? null]", `["",null]`)
	other.do("browser_tabs", args{"action": "list"})
	if strings.Contains(other.last, "/form") {
		t.Error(other.last)
	}
}

func suiteHang(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/hang")
	v.call("browser_click", args{"target": v.ref("button", "Hang")})
	if p.Dialect.HangsWhole {
		v.call("browser_tabs", args{"action": "new", "url": v.site.URL + "/other"})
	}
	v.do("browser_tabs", args{"action": "new", "url": v.site.URL + "/other"})
	v.sees("The other page")
	v.fails("browser_evaluate", args{"function": "() => { for (;;); }"})
	v.open("/form")
	v.sees("A form")
}

func suiteClose(t *testing.T, p Provider) {
	v := visit(t, p)
	v.open("/form")
	v.do("browser_evaluate", args{"function": "() => { document.cookie = 'who=one' }"})
	ref := v.ref("button", "Save")
	v.do("browser_close", args{})
	v.fails("browser_click", args{"target": ref})
	v.open("/other")
	v.evaluates("() => document.cookie", `""`)
}
