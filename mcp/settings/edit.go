package settings

import (
	"bytes"
	"errors"

	"github.com/tidwall/jsonc"
)

// Edit returns the text of a settings.json with one setting in it, whose value is JSON; all else stays as it is, comments too. An
// empty text is a file that is not there.
func Edit(text []byte, name Name, value string) ([]byte, error) {
	member := `"` + string(name) + `": ` + value
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{\n  " + member + "\n}\n"), nil
	}
	given, _, ok := FromFile(FileName, text)
	if !ok {
		return nil, errors.New("the file cannot be read as it is")
	}
	for _, g := range given {
		if g.Name == name {
			return splice(text, g.Start, g.End, member), nil
		}
	}
	plain := jsonc.ToJSON(text) // of the same length
	at := bytes.IndexByte(plain, '{') + 1
	member = "\n  " + member
	if rest := bytes.TrimSpace(plain[at:]); len(rest) > 0 && rest[0] != '}' {
		member += ","
	} else if !bytes.ContainsRune(text[at:], '\n') {
		member += "\n"
	}
	return splice(text, at, at, member), nil
}

func splice(text []byte, start, end int, with string) []byte {
	edited := append([]byte{}, text[:start]...)
	return append(append(edited, with...), text[end:]...)
}
