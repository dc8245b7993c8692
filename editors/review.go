package editors

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pillion/rpc/message"
)

// The fixed first lines of a review: nothing foreign ever stands before them (S17).
const (
	programHeading  = "Pillion asks: may these connectors of this repository run programs on this machine?"
	remoteHeading   = "Pillion asks: may these connectors of this repository be connected to, at addresses that it names?"
	mixedHeading    = "Pillion asks: may these connectors of this repository run programs on this machine, or be connected to?"
	ownHeading      = "Pillion asks: may these connectors of your own run in this folder?"
	approvalHeading = "Pillion asks: may this tool be called with exactly these arguments?"
	requestHeading  = "Pillion asks: may exactly this be asked of the connector?"
	foreignNote     = "Lines that begin with \"| \" are not Pillion's words: they come from a file, a caller or a connector."
)

// document builds a plain text in which Pillion's words and foreign ones cannot be mistaken for each other.
type document struct{ strings.Builder }

func (d *document) say(format string, args ...any) {
	fmt.Fprintf(d, format+"\n", args...)
}

// value shows one foreign value under its name, if there is one.
func (d *document) value(name, value string) {
	if value == "" {
		return
	}
	d.say("%s", name)
	d.say("| %s", Visible(value))
}

// values shows several foreign values under one name, one a line.
func (d *document) values(name string, values []string) {
	if len(values) == 0 {
		return
	}
	d.say("%s", name)
	for _, value := range values {
		d.say("| %s", Visible(value))
	}
}

// lines shows a foreign text of several lines under its name, if there is one.
func (d *document) lines(name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		d.values(name, strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"))
	}
}

func (d *document) pairs(name string, pairs map[string]string) {
	if len(pairs) == 0 {
		return
	}
	d.say("%s", name)
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		d.say("| %s = %s", Visible(key), Visible(pairs[key]))
	}
}

func (d *document) gap() { d.WriteByte('\n') }

// end keeps foreign text out of the last lines, where some editors look for settings (S23).
func (d *document) end(lines ...string) string {
	d.gap()
	for range 5 - len(lines) {
		lines = append(lines, "")
	}
	for _, line := range lines {
		d.say("%s", line)
	}
	return d.String()
}

// ReviewText is the document that shows a question whole; empty for a kind that is not shown in one.
// How says how to answer it from where it is shown.
func ReviewText(ask message.Ask, how string) string {
	body, err := ask.ParseBody()
	if err != nil {
		return ""
	}
	switch b := body.(type) {
	case message.ConsentBody:
		return consentText(b, how)
	case message.ApprovalBody:
		return approvalText(ask, b, how)
	case message.ElicitationBody:
		return elicitationText(ask, b, how)
	case message.SamplingBody:
		return samplingText(b, how)
	case message.StoreBody:
		return storeText(b, how)
	case message.InputBody:
		return inputText(b, how)
	case message.WidenBody:
		return widenText(ask, b, how)
	case message.JoinBody:
		return joinText(b, how)
	}
	return ""
}

func consentText(body message.ConsentBody, how string) string {
	var d document
	programs, own := 0, 0
	for _, item := range body.Items {
		if item.Shown.URL == "" {
			programs++
		}
		if isOwn(item) {
			own++
		}
	}
	switch {
	case own > 0 && own == len(body.Items):
		d.say(ownHeading)
	case programs == 0:
		d.say(remoteHeading)
	case programs == len(body.Items):
		d.say(programHeading)
	default:
		d.say(mixedHeading)
	}
	d.say(foreignNote)
	if programs > 0 {
		d.say("A connector that you allow runs as you: it can read your files and keys. Allow what you know.")
	}
	if programs < len(body.Items) {
		d.say("Whoever is at an address reads what is sent there: the arguments of calls, and the headers. Allow whom you know.")
	}
	for _, item := range body.Items {
		d.gap()
		d.item(item)
	}
	return d.end("Your answer counts for exactly these definitions, in this folder. A change asks again.", how, "")
}

// isOwn reports whether a connector is of the user's own file: one outside the folder that the answer counts in, and not of the
// name of a project's, which may be reached by a link.
func isOwn(item message.ConsentItem) bool {
	if item.Root == "" || item.URI == "" || strings.EqualFold(filepath.Base(item.URI.FsPath()), ".mcp.json") {
		return false
	}
	relative, err := filepath.Rel(item.Root.FsPath(), item.URI.FsPath())
	return err == nil && !filepath.IsLocal(relative)
}

func (d *document) item(item message.ConsentItem) {
	d.say("connector")
	d.say("| %s", Quoted(item.Name))
	if isOwn(item) {
		d.say("It stands in your own file. It asks because it runs something of this repository, which others can change.")
	}
	if item.Reason == message.ConsentChanged {
		d.say("This connector was allowed here before. Since then something has changed.")
		d.changes(item.Changes)
	}
	shown := item.Shown
	d.value("program", shown.Command)
	d.values("arguments, one a line", shown.Args)
	d.value("working folder", shown.Cwd)
	d.pairs("variables that it is given", shown.Env)
	d.value("address", shown.URL)
	d.pairs("headers that are sent", shown.Headers)
	d.values("variables of yours that it reads", shown.Reads)
	d.secrets(item.Secrets)
	d.files(shown.Files)
	d.values("look twice", item.Warnings)
	if item.Shown.Command != "" {
		d.value("folder whose path it is told, and no other", item.Root.FsPath())
	}
	d.value("from the file", item.URI.FsPath())
	d.say("as it stands there")
	d.WriteString(Lines(Dedented(item.DefinitionText)))
}

// changes shows what differs from what was allowed.
func (d *document) changes(changes []message.Change) {
	for _, change := range changes {
		d.say("what changed")
		d.say("| %s", Visible(change.Path))
		d.value("before", change.Before)
		d.value("now", change.After)
	}
}

// secrets shows what a yes hands over, each with where it goes.
func (d *document) secrets(secrets []message.ConsentSecret) {
	if len(secrets) == 0 {
		return
	}
	d.say("secrets of yours that a yes hands over")
	for _, secret := range secrets {
		d.say("| reads: %s", Visible(secret.Name+" → "+secret.Destination))
	}
}

// files shows what of the repository belongs to the answer, and why.
func (d *document) files(files []message.NamedFile) {
	var named, steering []string
	for _, file := range files {
		line := file.Path
		if file.Changed {
			line += " (changed)"
		}
		if file.Steers {
			steering = append(steering, line)
		} else {
			named = append(named, line)
		}
	}
	if len(named) > 0 {
		d.say("It names these files of this repository: the program runs or reads them. Your answer covers them as they are now; what they import is not watched.")
		d.values("files that it names", named)
	}
	if len(steering) > 0 {
		d.say("It does not name these files, but runners such as npx, uv or make are steered by them where they start, so your answer covers them too.")
		d.values("files beside it", steering)
	}
	if slices.ContainsFunc(files, func(f message.NamedFile) bool { return f.Changed }) {
		d.say("Of a file that changed Pillion keeps the hash alone: what is different in it is shown by version control, such as git diff.")
	}
}

// isBrowserStart reports whether it is asked whether a session may have a browser, and no call is.
func isBrowserStart(body message.ApprovalBody) bool {
	return body.Method == message.BrowserStart.Method || isBrowserAttach(body)
}

// isBrowserAttach reports whether that browser is the user's own.
func isBrowserAttach(body message.ApprovalBody) bool {
	return body.Method == message.MethodBrowserAttach
}

// browserQuestion is that question in a sentence.
func browserQuestion(body message.ApprovalBody) string {
	if isBrowserAttach(body) {
		return "may this session work in the browser that you started, with your logins?"
	}
	return "may this session have a browser?"
}

func browserText(ask message.Ask, body message.ApprovalBody, how string) string {
	var d document
	d.say("Pillion asks: %s", browserQuestion(body))
	d.say(foreignNote)
	d.gap()
	d.value("asked for by", askerText(ask.Asker))
	d.say("why it asks: %s", body.Reason)
	d.say("what it is: %s", body.Tool.Description)
	d.value("what drives it", body.ArgumentsText)
	return d.end("Nothing begins before you answer.", how, "")
}

func approvalText(ask message.Ask, body message.ApprovalBody, how string) string {
	if isBrowserStart(body) {
		return browserText(ask, body, how)
	}
	var d document
	what := "tool"
	if body.Method != "" {
		what = "connector and request"
		d.say(requestHeading)
	} else {
		d.say(approvalHeading)
	}
	d.say(foreignNote)
	d.gap()
	d.value(what, body.Tool.Label)
	d.lines("what its connector says that it does", cmp.Or(body.Tool.Description, body.Tool.Summary))
	d.value("asked for by", askerText(ask.Asker))
	d.say("why it asks: %s", body.Reason)
	d.changes(body.Tool.Changed)
	d.say("arguments, exactly as they will be sent")
	d.WriteString(Lines(body.ArgumentsText))
	return d.end("Nothing is sent before you answer.", how, "")
}

func storeText(body message.StoreBody, how string) string {
	var d document
	if len(body.Unsealed) > 0 {
		d.say("Pillion asks: are these decisions yours? If they are, they count again.")
		d.say("Until you confirm, they do not count, and nothing else is changed by them.")
		d.gap()
		d.value("file", body.File)
		d.value("what is wrong", body.Reason)
		d.values("decisions", body.Unsealed)
		return d.end(how, "")
	}
	d.say("Pillion asks: go on without the decisions that it cannot read?")
	d.say("Until you confirm, every call asks and nothing of a repository runs.")
	d.gap()
	d.value("file", body.File)
	d.value("now kept as", body.SetAside)
	d.value("what is wrong", body.Reason)
	return d.end(how, "")
}

// inputText shows what a value is for. It says nothing of how to type it: a document is no place for one.
func inputText(body message.InputBody, how string) string {
	var d document
	d.say("Pillion asks: what is the value of this input of one of your connectors?")
	d.say(foreignNote)
	d.gap()
	d.value("input", body.ID)
	d.value("what its file says that it is", body.Description)
	d.value("given to", body.Destination)
	d.values("values to choose from", body.Options)
	d.value("value that the file offers", body.Default)
	if body.Secret {
		d.say("It is a secret: it is kept in the keyring or sealed, and replaced where it stands in results and logs.")
	}
	return d.end("It is given to nothing else, and asked for again where what it is given to changes.", how, "")
}

func askerText(asker message.Asker) string {
	text := string(asker.Kind)
	if asker.Kind == message.AskerCLI {
		text = "a terminal"
	}
	if asker.Name != "" {
		text += " " + Quoted(asker.Name)
	}
	if asker.Program != "" {
		text += ", program " + Quoted(asker.Program)
	}
	if asker.PID != 0 {
		text += fmt.Sprintf(", pid %d", asker.PID)
	}
	return text
}

// maxPromptRunes keeps a message whole in every editor that shows one (U18).
const maxPromptRunes = 500

// Prompt is the short form of a question for window/showMessageRequest: at most 500 characters on one line, with nothing in
// it that an editor could take for a link.
func Prompt(ask message.Ask) string {
	body, err := ask.ParseBody()
	if err != nil {
		return ""
	}
	switch b := body.(type) {
	case message.ConsentBody:
		return clip(consentPrompt(b))
	case message.ApprovalBody:
		// What is foreign and not in quotes comes last: nothing after it is Pillion's.
		if isBrowserStart(b) {
			return clip("Pillion: " + browserQuestion(b) + " " + strings.TrimSuffix(b.Reason, "."))
		}
		verb := "call"
		if b.Method != "" {
			verb = "ask for"
		}
		return clip(fmt.Sprintf("Pillion: %s %s? %s. Arguments: %s", verb, called(b.Tool.Label), strings.TrimSuffix(b.Reason, "."), neutral(b.ArgumentsText)))
	case message.StoreBody:
		if len(b.Unsealed) > 0 {
			return clip(fmt.Sprintf("Pillion: %d decisions in %s do not count, because nothing shows that Pillion wrote them. Are they yours? The first: %s", len(b.Unsealed), neutral(b.File), neutral(b.Unsealed[0])))
		}
		return clip("Pillion: the decisions in " + neutral(b.File) + " cannot be read. Until you confirm to go on without them, everything asks.")
	case message.ElicitationBody:
		return clip(elicitationPrompt(b))
	case message.InputBody:
		return clip(inputPrompt(ask.AskID, b))
	case message.WidenBody:
		return clip(widenPrompt(b))
	case message.JoinBody:
		return clip(joinPrompt(b))
	}
	return ""
}

// inputPrompt says where a value can be typed: not here.
func inputPrompt(id message.AskID, body message.InputBody) string {
	text := "Pillion: a connector of yours waits for the value of its input " + called(body.ID) + ". Type it in a terminal: pillion answer " + string(id)
	if isWord(body.ID) {
		text += ", or pillion secret set " + body.ID
	}
	return text + ". It is given to: " + neutral(body.Destination)
}

// isWord reports whether a shell takes a name for one word that is no option.
func isWord(name string) bool {
	return name != "" && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@/") == ""
}

func consentPrompt(body message.ConsentBody) string {
	if len(body.Items) == 1 {
		item, whose := body.Items[0], "of this repository"
		if isOwn(item) {
			whose = "of your own"
		}
		if item.Shown.URL != "" {
			return fmt.Sprintf("Pillion: may the connector %s %s be connected to? It is at: %s", called(item.Name), whose, neutral(item.Shown.URL))
		}
		runs := item.Shown.Command
		for _, arg := range item.Shown.Args {
			runs += " " + arg
		}
		return fmt.Sprintf("Pillion: may the connector %s %s run? It starts: %s", called(item.Name), whose, neutral(runs))
	}
	names := make([]string, len(body.Items))
	for i, item := range body.Items {
		names[i] = called(item.Name)
	}
	return fmt.Sprintf("Pillion: may these %d connectors of this repository run? %s", len(names), strings.Join(names, ", "))
}

// neutral shows foreign text so that no editor makes a link or markup of it (U18, S23).
func neutral(text string) string {
	text = Visible(text)
	text = strings.NewReplacer("](", "] (", "://", ":// ", "`", "'").Replace(text)
	return text
}

// called is a foreign name in a prompt.
func called(name string) string { return inQuotes(neutral(name)) }

const clippedNote = " … (the whole is in the review document)"

func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= maxPromptRunes {
		return text
	}
	return string(runes[:maxPromptRunes-len([]rune(clippedNote))]) + clippedNote
}
