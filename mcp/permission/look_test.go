package permission

import (
	"path"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// What the looks at the bytes rule out is not there when every string is decoded.
func FuzzLooks(f *testing.F) {
	for _, text := range []string{
		`{"a":"http://x"}`, `{"a":"htt\np://x"}`, `{"a":"/\n/x"}`, `{"a":"p\n:\n/"}`, `{"a":"\u0068ttp:x"}`, `{"a":"file:\/\/x"}`, `{"a":"say \"no\"\n"}`,
		`{"a":"/home/u/.config/Pillion/x"}`, `{"a":"\\pillion\\"}`, `{"a":"\u0070illion"}`, `{"a":"p%69llion"}`, `{"a":"PİLLİON"}`, `{"a":"ws\t:x"}`,
	} {
		f.Add([]byte(text))
	}
	const folder = "/home/u/.config/pillion"
	f.Fuzz(func(t *testing.T, text []byte) {
		value := jsontext.Value(text)
		if value.Compact(jsontext.AllowDuplicateNames(false)) != nil || value.Kind() != '{' {
			return
		}
		if !mayHoldURL(value) && anyString(value, holdsRemoteURL) {
			t.Errorf("a URL in %s", value)
		}
		if !mayHold(value, path.Base(folder)) && anyString(value, func(text string) bool { return namesAny(text, []string{spelling(folder)}) }) {
			t.Errorf("a folder in %s", value)
		}
	})
}
