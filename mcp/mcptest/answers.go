package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	legacyVersion = "2025-06-18"
	modernVersion = "2026-07-28"
)

// answer answers a request that is neither to fail nor to be left alone.
func (f *fake) answer(r request) {
	switch r.Method {
	case "server/discover":
		f.discover(r)
	case "initialize":
		f.initialize(r)
	case "ping":
		f.result(r.ID, `{}`)
	case "tools/list":
		f.listTools(r)
	case "resources/list":
		f.list(r, "resources", func(i int) string { return fmt.Sprintf(`{"uri":"test://%d","name":"r%d"}`, i, i) })
	case "resources/templates/list":
		f.list(r, "resourceTemplates", func(i int) string { return fmt.Sprintf(`{"uriTemplate":"test://%d/{x}","name":"m%d"}`, i, i) })
	case "prompts/list":
		f.list(r, "prompts", func(i int) string { return fmt.Sprintf(`{"name":"p%d"}`, i) })
	case "tools/call":
		f.call(r)
	case "resources/read":
		f.working.Go(func() { f.readResource(r) })
	case "resources/subscribe", "resources/unsubscribe":
		f.subscribe(r)
	case "prompts/get":
		f.working.Go(func() { f.prompt(r) })
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		f.tasks(r)
	case "logging/setLevel":
		f.result(r.ID, `{}`)
	case "completion/complete":
		f.complete(r)
	case "subscriptions/listen":
		f.listen(r)
	default:
		f.fail(r.ID, "-32601", "method not found")
	}
}

func (f *fake) capabilities() string {
	if text := f.getenv(CapabilitiesVar); text != "" {
		return text
	}
	return `{"tools":{"listChanged":true}}`
}

func (f *fake) discover(r request) {
	if !f.mode().has("modern") && !f.mode().has("modernonly") {
		f.fail(r.ID, "-32601", "method not found")
		return
	}
	f.result(r.ID, fmt.Sprintf(
		`{"resultType":"complete","supportedVersions":[%q],"capabilities":%s,"instructions":"Be brief.","ttlMs":0,"cacheScope":"private",`+
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":%s}}}`, modernVersion, f.capabilities(), quote(f.ownVersion())))
}

func (f *fake) initialize(r request) {
	if f.mode().has("modernonly") {
		f.fail(r.ID, "-32022", "unsupported protocol version")
		return
	}
	version := f.mode()["version"]
	if version == "" {
		version = legacyVersion
	}
	f.result(r.ID, fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"fake","version":%s},"instructions":"Be brief."}`, version, f.capabilities(), quote(f.ownVersion())))
}

func (f *fake) listTools(r request) {
	defer f.askOutside()
	if text := f.getenv(ToolsVar); text != "" {
		f.result(r.ID, fmt.Sprintf(`{"tools":%s%s}`, text, f.hold()))
		return
	}
	seen := f.count("tools/list")
	if f.mode().has("changewhile") && seen == 2 {
		f.notify("notifications/tools/list_changed", `{}`)
	}
	f.list(r, "tools", func(i int) string { return f.turned(tool(i), seen) })
	if f.mode().has("storm") {
		f.notify("notifications/tools/list_changed", `{}`)
	}
}

func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[method]
}

// tool is the tool at the place: a, t1, t2, …
func tool(i int) string {
	name := "a"
	if i > 0 {
		name = "t" + strconv.Itoa(i)
	}
	return fmt.Sprintf(`{"name":%q,"description":"Does nothing.","inputSchema":{"type":"object"}}`, name)
}

// turned is the tool with what mode turn makes of it in that answer to tools/list.
func (f *fake) turned(tool string, answer int) string {
	if !f.mode().has("turn") {
		return tool
	}
	hint := `"destructiveHint":true`
	if answer == 1 {
		hint = `"readOnlyHint":true`
	}
	return strings.TrimSuffix(tool, "}") + `,"annotations":{` + hint + `}}`
}

// ownVersion is what the fake says that it is of.
func (f *fake) ownVersion() string {
	version := f.mode()["release"]
	if version == "" {
		return "1.2.3"
	}
	if text, err := os.ReadFile(version); err == nil {
		return strings.TrimSpace(string(text))
	}
	return version
}

// list answers one page of a list whose entries are made by entry.
func (f *fake) list(r request, member string, entry func(int) string) {
	page, next := f.page(r)
	if failing := f.mode().number("pagefail"); failing > 0 && page == failing-1 && f.failsPage(r.Method) {
		f.fail(r.ID, "-32603", "told to fail this page")
		return
	}
	var entries []string
	switch {
	case f.mode().has("pages") || f.mode().has("cursorloop") || f.mode().has("cursorforever"):
		entries = []string{entry(page)}
	default:
		for i := range f.size(member) {
			entries = append(entries, entry(i))
		}
	}
	if f.mode().has("twice") && member != "tools" {
		entries = append(append(entries, entries...), `{"name":5}`)
	}
	if more := f.getenv(EntryVar); more != "" && member != "tools" {
		for i := range entries {
			entries[i] = strings.TrimSuffix(entries[i], "}") + "," + more + "}"
		}
	}
	f.result(r.ID, fmt.Sprintf(`{%q:[%s]%s%s}`, member, strings.Join(entries, ","), next, f.hold()))
}

// hold says for how long a list holds, in mode ttl.
func (f *fake) hold() string {
	if ttl := f.mode()["ttl"]; ttl != "" {
		return fmt.Sprintf(`,"ttlMs":%s,"cacheScope":"private"`, ttl)
	}
	return ""
}

// methodOfList is what lists are asked for with, by their names.
var methodOfList = map[string]string{"resources": "resources/list", "resourceTemplates": "resources/templates/list", "prompts": "prompts/list"}

// size is how many entries a list of one page has.
func (f *fake) size(member string) int {
	if member != "tools" {
		if f.mode().has("grow") {
			return f.count(methodOfList[member])
		}
		return 1
	}
	n := max(f.mode().number("tools"), 1)
	if f.mode().has("grow") {
		n += f.count("tools/list") - 1
	}
	if f.mode().has("changewhile") && f.count("tools/list") > 2 {
		n++
	}
	return n
}

func (f *fake) failsPage(method string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := "page of " + method
	isFirst := !f.failed[key]
	f.failed[key] = true
	return isFirst
}

// page returns the page that is asked for, from 0, and the member that names the next one.
func (f *fake) page(r request) (page int, next string) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(r.Params, &params)
	page, _ = strconv.Atoi(strings.TrimPrefix(params.Cursor, "page/"))
	switch {
	case f.mode().has("cursorloop"):
		return page, `,"nextCursor":"page/1"`
	case f.mode().has("cursorforever"), page+1 < f.mode().number("pages"):
		return page, fmt.Sprintf(`,"nextCursor":"page/%d"`, page+1)
	case f.mode().has("emptycursor"):
		return page, `,"nextCursor":""`
	}
	return page, ""
}
