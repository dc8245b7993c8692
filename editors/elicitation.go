package editors

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pillion/rpc/message"
)

// The fixed first lines of what a connector asks for itself (S17).
const (
	formHeading     = "A connector asks, not Pillion. Fill this in only if you want that connector to have what you write."
	pageHeading     = "A connector asks, not Pillion. It wants you to open this page; what you do there is between you and the page."
	samplingHeading = "A connector asks, not Pillion. It wants the model of your editor to answer this."
)

func elicitationChoices(body message.ElicitationBody) []Choice {
	var choices []Choice
	for _, title := range body.Titles() {
		if action, isKnown := title.Elicitation(); isKnown {
			choices = append(choices, choice(title, message.ElicitationAnswer{Action: action}))
		}
	}
	return choices
}

// elicitationText is the document of a connector's own question: of a form it is JSON with comments, to be filled in there.
func elicitationText(ask message.Ask, body message.ElicitationBody, how string) string {
	var d document
	if body.URL == "" {
		d.say(formHeading)
	} else {
		d.say(pageHeading)
	}
	d.say(foreignNote)
	d.gap()
	d.value("connector", body.Name)
	d.value("asked for by", askerText(ask.Asker))
	d.say("what it says")
	d.WriteString(Lines(body.Message))
	if body.URL != "" {
		d.value("the page, whole", body.URL)
		d.value("its host", hostOf(body.URL))
		return d.end("It is opened in your browser once you say so, and by nothing before.", how, "")
	}
	fields := FormFields([]byte(body.SchemaText))
	for _, field := range fields {
		d.values(fmt.Sprintf("field %s", field.Name), field.lines())
	}
	d.say("Fill in the object below and use the code action Send; Decline says no, Dismiss says neither. A form is no place for passwords.")
	return commented(d.String()) + formTemplate(fields) + commented("\n"+how+"\n")
}

// hostOf is the host of an address that is https and has no user.
func hostOf(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	return host
}

// commented makes every line of a text a comment.
func commented(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	return b.String()
}

// FormField is one field of a connector's form. Its words are the connector's own, and shown as such.
type FormField struct {
	Name       string // shown, not as it is sent
	Key        string // as it is sent
	Title      string
	Text       string // its description
	Kind       string // string, number, integer, boolean or array
	Options    []string
	Default    jsontext.Value // nil where there is none
	IsRequired bool
}

func (f FormField) lines() []string {
	lines := []string{}
	for _, line := range []string{f.Title, f.Text} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	kind := f.Kind
	if f.Kind == "array" {
		kind = "a list"
	}
	if f.IsRequired {
		kind += ", required"
	}
	lines = append(lines, kind)
	if len(f.Options) > 0 {
		lines = append(lines, "one of: "+strings.Join(f.Options, ", "))
	}
	if f.Default != nil {
		lines = append(lines, "unless you say otherwise: "+string(f.Default))
	}
	return lines
}

// FormFields are the fields of a form, in the order of its schema; what is odd in it is left out.
func FormFields(schema []byte) []FormField {
	var shape struct {
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	if json.Unmarshal(schema, &shape) != nil {
		return nil
	}
	required := map[string]bool{}
	for _, name := range shape.Required {
		required[name] = true
	}
	var fields []FormField
	d := jsontext.NewDecoder(bytes.NewReader(shape.Properties))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return fields
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return fields
		}
		fields = append(fields, formField(key, value.Clone(), required[key]))
	}
	return fields
}

func formField(key string, schema jsontext.Value, isRequired bool) FormField {
	type choices struct {
		Enum  []string `json:"enum"`
		OneOf []struct {
			Const string `json:"const"`
		} `json:"oneOf"`
		AnyOf []struct {
			Const string `json:"const"`
		} `json:"anyOf"`
	}
	var said struct {
		choices
		Type        string         `json:"type"`
		Title       string         `json:"title"`
		Description string         `json:"description"`
		Default     jsontext.Value `json:"default"`
		Items       choices        `json:"items"`
	}
	_ = json.Unmarshal(schema, &said) // what is of another type than it should be says nothing
	field := FormField{
		Key: key, Name: Visible(key), Title: said.Title, Text: said.Description, Kind: said.Type, Default: said.Default, IsRequired: isRequired,
	}
	for _, one := range []choices{said.choices, said.Items} {
		field.Options = append(field.Options, one.Enum...)
		for _, option := range append(one.OneOf, one.AnyOf...) {
			field.Options = append(field.Options, option.Const)
		}
	}
	return field
}

// formTemplate is the object to fill in: every field that is required or has a default.
func formTemplate(fields []FormField) string {
	var b strings.Builder
	b.WriteByte('{')
	isFirst := true
	for _, field := range fields {
		if !field.IsRequired && field.Default == nil {
			continue
		}
		if !isFirst {
			b.WriteByte(',')
		}
		isFirst = false
		key, err := json.Marshal(field.Key)
		if err != nil {
			continue
		}
		value := string(field.Default)
		if field.Default == nil {
			value = map[string]string{"string": `""`, "number": "0", "integer": "0", "boolean": "false", "array": "[]"}[field.Kind]
		}
		if value == "" {
			value = "null"
		}
		fmt.Fprintf(&b, "\n  %s: %s", escapedText(string(key)), escapedText(value))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// escapedText is JSON text in which nothing is hidden.
func escapedText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x10000 && isHidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case isHidden(r):
			high, low := 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func elicitationPrompt(body message.ElicitationBody) string {
	if body.URL != "" {
		return fmt.Sprintf("The connector %s asks, not Pillion: open a page of %s? %s", called(body.Name), neutral(hostOf(body.URL)), neutral(body.Message))
	}
	return fmt.Sprintf("The connector %s asks, not Pillion; fill in the document that was opened, or decline. %s", called(body.Name), neutral(body.Message))
}

// samplingText shows what a connector would have a model answer.
func samplingText(body message.SamplingBody, how string) string {
	var d document
	d.say(samplingHeading)
	d.say(foreignNote)
	d.gap()
	d.value("connector", body.Name)
	d.say("its request, exactly")
	d.WriteString(Lines(body.ParamsText))
	return d.end("Nothing else goes along with it.", how, "")
}
