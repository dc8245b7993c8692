package config

import (
	"fmt"
	"reflect"
	"testing"

	"pillion/mcp/settings"
)

// optionTexts are values that an option can have, as a file writes them.
func optionTexts(t *testing.T, option settings.Setting) []string {
	t.Helper()
	switch option.Kind {
	case settings.Bool:
		return []string{`true`, `false`}
	case settings.Text:
		return []string{`"browser"`}
	case settings.Word:
		var texts []string
		for _, word := range option.Words() {
			texts = append(texts, `"`+word+`"`)
		}
		return texts
	case settings.Duration:
		return []string{`"7s"`, `60001`}
	case settings.Count, settings.Bytes:
		return []string{`3`}
	case settings.Names, settings.Patterns:
		return []string{`["get"]`, `[]`}
	case settings.Object:
		return []string{`{"attempts":3}`}
	case settings.NameLists:
		return []string{`{"get":["a"]}`}
	}
	t.Fatalf("%s has values of a kind that no entry has", option.Name)
	return nil
}

// TestA6_EveryOptionHasItsField holds that what is declared as read is read.
func TestA6_EveryOptionHasItsField(t *testing.T) {
	t.Parallel()
	for _, option := range settings.EntryOptions() {
		if option.Name == settings.AliasOf {
			continue // it goes without a command; see alias_test.go
		}
		isRead := false
		for _, text := range optionTexts(t, option) {
			e := entryOf(t, fmt.Sprintf(`{"command":"x","pillion":{%q:%s}}`, option.Name, text))
			sound(t, e)
			isRead = isRead || !reflect.DeepEqual(e.Options, Options{})
			if _, ok := e.Field("pillion." + string(option.Name)); !ok {
				t.Errorf("%s: its place is not known", option.Name)
			}
		}
		if isRead == option.IsAhead {
			t.Errorf("%s: read %v, declared as not read yet %v", option.Name, isRead, option.IsAhead)
		}
	}
}

// TestS4_ProjectOptionsAgainstAUsersConnector tries every option in a project's file under the name of a connector of the
// user's own, whole and as a bare narrowing: the user's entry stays as the user wrote it, with the tools that the project
// excludes taken from it.
func TestS4_ProjectOptionsAgainstAUsersConnector(t *testing.T) {
	t.Parallel()
	for _, own := range []string{`{"command":"x"}`, `{"command":"x","pillion":{"start":"eager","callTimeout":"9s","tools":["get","list"],"excludeTools":["drop"],"inheritEnv":["A"],"trustReadOnly":true}}`} {
		user := Parse(File{Path: "/home/me/mcp.json", Source: SourceUser}, []byte(`{"mcpServers":{"it":`+own+`}}`))
		before := Effective(user, nil)[0]
		for _, option := range settings.EntryOptions() {
			for _, text := range optionTexts(t, option) {
				for _, rest := range []string{``, `"command":"y",`} {
					body := fmt.Sprintf(`{%s"pillion":{%q:%s}}`, rest, option.Name, text)
					project := Parse(File{Path: "/w/.mcp.json", Source: SourceProject, Root: "/w"}, []byte(`{"mcpServers":{"it":`+body+`}}`))
					checkNarrowed(t, body, before, Effective(user, []*Document{project})[0], option)
				}
			}
		}
	}
}

func checkNarrowed(t *testing.T, body string, before, after EffectiveEntry, option settings.Setting) {
	t.Helper()
	if after.Entry != before.Entry || after.Entry.Hash() != before.Entry.Hash() || after.ShadowedBy != "" || after.Disabled != before.Disabled {
		t.Errorf("%s: the user's entry is another", body)
	}
	for _, tool := range []string{"get", "list", "drop", "other"} {
		if after.Offers(tool) && !before.Offers(tool) {
			t.Errorf("%s: offers %s", body, tool)
		}
		if option.Name != settings.ExcludeTools && after.Offers(tool) != before.Offers(tool) {
			t.Errorf("%s: takes %s away, which is for excludeTools alone", body, tool)
		}
	}
}

// TestS4_TrustOptionsAreTheUserFiles tries every trust option in an entry of a project's own.
func TestS4_TrustOptionsAreTheUserFiles(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, option := range settings.EntryOptions() {
		if !option.IsTrust {
			continue
		}
		for _, text := range optionTexts(t, option) {
			tried++
			e := projectEntryOf(t, fmt.Sprintf(`{"command":"x","pillion":{%q:%s}}`, option.Name, text))
			sound(t, e)
			if f := finding(t, e.Findings, CodeTrust); f.Severity != Warning || !reflect.DeepEqual(e.Options, Options{}) {
				t.Errorf("%s %s: %+v, %v", option.Name, text, e.Options, f)
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d attempts", tried)
	}
}

// TestA1_EveryDeclaredKeyIsRead holds that the keys that are declared, and so stand in the schema, are those that are known.
func TestA1_EveryDeclaredKeyIsRead(t *testing.T) {
	t.Parallel()
	for _, key := range settings.EntryKeys() {
		e := entryOf(t, fmt.Sprintf(`{%q:7}`, key.Name))
		for _, f := range e.Findings {
			if f.Code == CodeUnknownKey {
				t.Errorf("%s: %s", key.Name, f.Text())
			}
		}
	}
}
