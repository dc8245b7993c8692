package connector

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestS23_IconsAreOfTheWebOrThePictureItself(t *testing.T) {
	t.Parallel()
	const good = `{"src":"https://x.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`
	for raw, want := range map[string]string{
		`[` + good + `]`:                                                     `[` + good + `]`,
		`[{"src":"data:image/png;base64,AAAA"}]`:                             `[{"src":"data:image/png;base64,AAAA"}]`,
		`[{"src":"javascript:alert(1)"},` + good + `]`:                       `[` + good + `]`,
		`[{"src":"https://x.example/","more":1,"theme":"blue","sizes":[1]}]`: `[{"src":"https://x.example/"}]`,
		`[{"src":"file:///etc/passwd"}]`:                                     "",
		`[{"src":"http://x.example/i.png"}]`:                                 "",
		`[{"src":"data:text/html;base64,AAAA"}]`:                             "",
		`[{"src":"data:image/png;base64,!"}]`:                                "",
		`[{"theme":"dark"}]`:                                                 "",
		`[1]`:                                                                "",
		`{}`:                                                                 "",
		`null`:                                                               "",
		`[{"src":"https://x.example/` + strings.Repeat("a", maxIconsBytes) + `"}]`: "",
	} {
		if got := string(readIcons(jsontext.Value(raw))); got != want {
			t.Errorf("%.200s is read as %.200s, want %s", raw, got, want)
		}
	}
	if got := strings.Count(string(readIcons(jsontext.Value(`[`+strings.TrimSuffix(strings.Repeat(good+",", 3*maxIcons), ",")+`]`))), "src"); got > maxIcons {
		t.Errorf("%d icons", got)
	}
}

func TestL1_HintsAndMetaAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"audience":["user"],"priority":0.50,"lastModified":"2026-01-02T03:04:05Z","own":{"n":9007199254740993}}`: `{"audience":["user"],"priority":0.50,"lastModified":"2026-01-02T03:04:05Z","own":{"n":9007199254740993}}`,
		`{"audience":["everybody"],"priority":2,"lastModified":"yesterday","own":1}`:                               `{"own":1}`,
		`{"priority":-1}`: "", `[]`: "", `null`: "", `{"a":1,"a":2}`: "",
		`{"own":"` + strings.Repeat("a", maxAnnotationsBytes) + `"}`: "",
	} {
		if got := string(readHints(jsontext.Value(raw))); got != want {
			t.Errorf("%.200s is read as %.200s, want %s", raw, got, want)
		}
	}
	for raw, isKept := range map[string]bool{
		`{"a/b":{"n":1.50}}`: true, `{}`: true, `[]`: false, `"x"`: false, `{"a":1,"a":2}`: false,
		`{"a":"` + strings.Repeat("a", maxMetaBytes) + `"}`: false, `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: false,
	} {
		got := string(readMeta(jsontext.Value(raw)))
		if isKept && got != raw || !isKept && got != "" {
			t.Errorf("%.100s is read as %.100s", raw, got)
		}
	}
	var r Resource
	var p Prompt
	for name, value := range map[string]string{"icons": `[{"src":"https://x.example/"}]`, "_meta": `{"a":1}`, "annotations": `{"priority":1}`} {
		if err := r.read(name, jsontext.Value(value)); err != nil {
			t.Error(err)
		}
		if err := p.read(name, jsontext.Value(value)); err != nil {
			t.Error(err)
		}
	}
	if r.Icons == nil || r.Meta == nil || r.Annotations == nil || p.Icons == nil || p.Meta == nil {
		t.Errorf("%+v, %+v", r, p)
	}
}
