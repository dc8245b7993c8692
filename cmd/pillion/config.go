package main

import (
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/editors"
	"pillion/mcp/settings"
)

type configVerb struct {
	Explain string `placeholder:"NAME" help:"Tell all there is to know of one setting."`
}

// Help explains the verb.
func (configVerb) Help() string {
	return `Lists every setting with its value and where that came from: your settings.json, the environment, the flags, or the default. What an editor says counts in its own window, and is not seen from here. Options of an entry are listed with what holds where the entry says nothing.

On a terminal it is a table. In a pipe it is one setting a line, with tabs between name, value, channel and place. With --json: {"settings": [{"name": string, "value": any, "from": string, "where": string, "overrode": [{"value": any, "from": string, "where": string}], "trust": bool, "description": string, "setBy": [string], "entries": [{"entry": string, "where": string, "value": any, "refused": string}]}], "refused": [string]}, where value is null for what is not set, and entries are those of this folder and of your own file that set the option.`
}

// configShape is what config --json prints.
type configShape struct {
	Settings []settingShape `json:"settings"`
	Refused  []string       `json:"refused"` // what was given and does not count
}

type settingShape struct {
	Name        settings.Name `json:"name"`
	originShape `json:",inline"`
	Overrode    []originShape `json:"overrode"`
	IsTrust     bool          `json:"trust"`
	Description string        `json:"description"`
	SetBy       []string      `json:"setBy"`
	Entries     []entryShape  `json:"entries"`
}

// entryShape is an entry that sets an option.
type entryShape struct {
	Entry string         `json:"entry"`
	Where string         `json:"where"`
	Value jsontext.Value `json:"value"` // what holds for the entry
	// Refused is the sentence that says why what is written there does not count; empty where it does.
	Refused string `json:"refused"`
}

type originShape struct {
	Value jsontext.Value `json:"value"` // null for what is not set
	From  string         `json:"from"`
	Where string         `json:"where"`
}

// Run lists them, or explains one.
func (v configVerb) Run(p *program) error {
	roots := p.roots()
	p.settings.Load(roots)
	news := p.settings.News()
	for _, sentence := range news {
		p.sayf("pillion: %s.", editors.Visible(sentence))
	}
	p.sayFaults("")
	held := p.settings.Resolved().All()
	entries, err := p.entriesThatSet(roots)
	if err != nil {
		return err
	}
	if v.Explain != "" {
		one := p.settings.Resolved().Of(settings.Name(v.Explain))
		if one.Setting.Name == "" {
			return unknownSetting(v.Explain)
		}
		held = []settings.Held{one}
	}
	switch {
	case p.isJSON:
		return p.printJSON(configJSON(held, entries, news))
	case v.Explain != "":
		p.explainSetting(held[0], entries[held[0].Setting.Name])
	default:
		p.table([]string{"NAME", "VALUE", "FROM", "WHERE"}, configRows(held))
	}
	return nil
}

// roots are the workspace folders that the folder this is run in stands for.
func (p *program) roots() []string {
	home, _ := os.UserHomeDir()
	if root := rootOf(workingFolder(), home); root != "" {
		return []string{root}
	}
	return nil
}

func unknownSetting(name string) error {
	if near, ok := settings.Suggest(name); ok {
		return fail(exitUsage, []string{"Run: pillion config --explain " + string(near)}, "no setting is called %s", editors.Quoted(name))
	}
	return fail(exitUsage, []string{"See all of them: pillion config"}, "no setting is called %s", editors.Quoted(name))
}

func configRows(held []settings.Held) [][]string {
	rows := make([][]string, len(held))
	for i, h := range held {
		rows[i] = []string{string(h.Setting.Name), h.Given.Value.String(), h.Given.Channel.String(), h.Given.Where}
	}
	return rows
}

func configJSON(held []settings.Held, entries map[settings.Name][]entryShape, news []string) configShape {
	shape := configShape{Settings: make([]settingShape, len(held)), Refused: append([]string{}, news...)}
	for i, h := range held {
		one := settingShape{
			Name: h.Setting.Name, originShape: originOf(h.Given), Overrode: []originShape{}, IsTrust: h.Setting.IsTrust,
			Description: h.Setting.Line, SetBy: h.Setting.Places(), Entries: append([]entryShape{}, entries[h.Setting.Name]...),
		}
		for _, given := range h.Overrode {
			one.Overrode = append(one.Overrode, originOf(given))
		}
		shape.Settings[i] = one
	}
	return shape
}

func originOf(g settings.Given) originShape {
	return originShape{Value: g.Value.JSON(), From: g.Channel.String(), Where: g.Where}
}

// explainSetting tells a person all there is to know of one setting.
func (p *program) explainSetting(h settings.Held, entries []entryShape) {
	s := h.Setting
	p.print(string(s.Name) + ": " + s.Line)
	if s.Paragraph != "" {
		p.print("\n" + s.Paragraph)
	}
	if s.IsAhead {
		p.print("\nIt is accepted and has no effect yet.")
	}
	if len(s.Choices) > 0 {
		p.print("")
	}
	for _, choice := range s.Choices {
		p.print("  " + choice.Word + ": " + choice.Meaning)
	}
	where := ""
	if s.Owner == settings.OfEntry {
		where = " where an entry says nothing"
	}
	p.print("\nIt is " + editors.Visible(h.Given.Value.String()) + where + ", from " + editors.Visible(h.Given.String()) + ".")
	for _, given := range h.Overrode {
		p.print("Without that it would be " + editors.Visible(given.Value.String()) + ", from " + editors.Visible(given.String()) + ".")
	}
	for _, e := range entries {
		line := "For " + editors.Quoted(e.Entry) + " it is " + editors.Visible(string(e.Value))
		if e.Refused != "" {
			line += ": " + editors.Visible(e.Refused)
		} else {
			line += ", from " + editors.Visible(e.Where)
		}
		p.print(line + ".")
	}
	if s.IsTrust {
		p.print("It is about trust: " + s.Granter().String() + " alone can allow more; everything else can only take away.")
	}
	p.print("\nIt can be set by:")
	for _, place := range s.Places() {
		p.print("  " + place)
	}
}
