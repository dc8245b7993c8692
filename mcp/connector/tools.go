package connector

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/catalog"
	"pillion/mcp/parts"
)

const (
	maxToolName = 128
	// maxSchemaDepth is how deep a schema may nest; what lies deeper becomes "anything".
	maxSchemaDepth = 64
)

// readTools reads the entries of tools/list one by one, so that a bad one costs nobody but itself.
// Where arguments are mirrored in headers, a tool that cannot have it done is bad too.
func readTools(entries []jsontext.Value, isMirroring bool) ([]Tool, []Quarantined) {
	read := make([]toolEntry, len(entries))
	parts.Each(len(entries), func(i int) {
		one := &read[i]
		one.tool, one.err = readTool(entries[i])
		if one.err == nil && isMirroring {
			_, one.err = mirroredOf(one.tool.InputSchema)
		}
	})
	tools := make([]Tool, 0, len(entries))
	var quarantined []Quarantined
	seen := make(map[string]jsontext.Value, len(entries))
	for i, one := range read {
		if first, isSeen := seen[one.tool.Name]; one.err == nil && isSeen {
			if bytes.Equal(first, entries[i]) {
				continue
			}
			one.err = errors.New("another tool before it has the same name")
		}
		if one.err != nil {
			quarantined = append(quarantined, Quarantined{Index: i, Name: one.tool.Name, Reason: one.err.Error()})
			continue
		}
		seen[one.tool.Name] = entries[i]
		tools = append(tools, one.tool)
	}
	return tools, quarantined
}

// toolEntry is what an entry was read as.
type toolEntry struct {
	tool Tool
	err  error
}

// errRepeatedInside is about names that stand twice within a member of a tool.
var errRepeatedInside = errors.New("it has an object in it in which a name stands twice")

// readTool reads one entry, which is valid JSON. With an error the name is valid as far as it was read.
func readTool(entry jsontext.Value) (t Tool, err error) {
	if entry.Kind() != '{' {
		return t, fmt.Errorf("it is not an object but %s", kindName(entry.Kind()))
	}
	if err := readMembers(&t, entry); err != nil {
		return t, err
	}
	if t.InputSchema == nil {
		return t, errors.New("inputSchema is missing")
	}
	if err := checkName(t.Name); err != nil {
		return t, err
	}
	t.InputSchema = shallow(t.InputSchema, maxSchemaDepth)
	t.OutputSchema = shallow(t.OutputSchema, maxSchemaDepth)
	if t.Hash, err = hashOf(&t); err != nil {
		return t, errRepeatedInside
	}
	t.Tokens = catalog.ToolTokens(t.Name, t.Description, t.InputSchema)
	return t, nil
}

// readMembers takes all members over. What is wrong with one is said once all of them were seen.
func readMembers(t *Tool, entry jsontext.Value) error {
	var failure error
	err := walkObject(entry, func(name string, value jsontext.Value) error {
		if err := readMember(t, name, value); failure == nil {
			failure = err
		}
		return nil
	})
	return cmp.Or(err, failure)
}

// readMember takes one member of the entry over.
func readMember(t *Tool, name string, value jsontext.Value) error {
	isNull := value.Kind() == 'n'
	switch name {
	case "name":
		return readText(&t.Name, name, value)
	case "title":
		if !isNull {
			return readText(&t.Title, name, value)
		}
	case "description":
		if !isNull {
			return readText(&t.Description, name, value)
		}
	case "inputSchema":
		if value.Kind() != '{' {
			return fmt.Errorf("inputSchema is not an object but %s", kindName(value.Kind()))
		}
		t.InputSchema = value.Clone()
	case "outputSchema":
		if isNull {
			return nil
		}
		if value.Kind() != '{' && value.Kind() != 't' && value.Kind() != 'f' {
			return fmt.Errorf("outputSchema is not a schema but %s", kindName(value.Kind()))
		}
		t.OutputSchema = value.Clone()
	case "annotations":
		if !isNull {
			return readAnnotations(t, value)
		}
	case "icons", "_meta":
		readPassed(&t.Passed, name, value)
	case "execution":
		_ = object(value, func(name string, value jsontext.Value) error {
			if name == "taskSupport" {
				t.TaskSupport, _ = text(value)
			}
			return nil
		})
	}
	return repeatsNoName(name, value)
}

// repeatsNoName refuses a member in which a name stands twice: different readers read it differently. Of those that the hash is
// over that one sees it.
func repeatsNoName(name string, value jsontext.Value) error {
	isHashed := name == "inputSchema" || name == "outputSchema" || name == "annotations"
	isNested := value.Kind() == '{' || value.Kind() == '['
	if isNested && !isHashed && !value.IsValid(jsontext.AllowInvalidUTF8(true)) {
		return errRepeatedInside
	}
	return nil
}

func readText(to *string, name string, value jsontext.Value) error {
	said, ok := text(value)
	if !ok {
		return fmt.Errorf("%s is not a string but %s", name, kindName(value.Kind()))
	}
	*to = said
	return nil
}

// readAnnotations takes the hints over. One that is no boolean quarantines: what a tool claims must not be guessed at.
func readAnnotations(t *Tool, raw jsontext.Value) error {
	if raw.Kind() != '{' {
		return fmt.Errorf("annotations is not an object but %s", kindName(raw.Kind()))
	}
	t.Annotations = raw.Clone()
	hints := map[string]**bool{
		"readOnlyHint": &t.ReadOnly, "destructiveHint": &t.Destructive, "idempotentHint": &t.Idempotent, "openWorldHint": &t.OpenWorld,
	}
	return walkObject(raw, func(name string, value jsontext.Value) error {
		hint, isHint := hints[name]
		switch kind := value.Kind(); {
		case !isHint || kind == 'n':
		case kind == 't', kind == 'f':
			*hint = new(kind == 't')
		default:
			return fmt.Errorf("annotations.%s is not true or false but %s", name, kindName(kind))
		}
		return nil
	})
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("it has no name")
	case utf8.RuneCountInString(name) > maxToolName:
		return fmt.Errorf("its name is longer than %d characters", maxToolName)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }):
		return errors.New("its name has control characters")
	}
	return nil
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "no value"
}

// hashOf is over what a permission is given for: what a model is told, and what a call is judged and checked by. A title, an icon
// or _meta is for whoever shows the tool, and another one asks nobody anew (B7). The error is that of [canonical].
func hashOf(t *Tool) (string, error) {
	definition := make([]byte, 0, len(t.Name)+len(t.Description)+len(t.InputSchema)+len(t.OutputSchema)+len(t.Annotations)+32)
	definition = append(definition, '[')
	for _, said := range []string{t.Name, t.Description} {
		definition, _ = jsontext.AppendQuote(definition, said)
		definition = append(definition, ',')
	}
	for i, raw := range []jsontext.Value{t.InputSchema, t.OutputSchema, t.Annotations} {
		if i > 0 {
			definition = append(definition, ',')
		}
		if raw == nil {
			raw = jsontext.Value("null")
		}
		definition = append(definition, raw...)
	}
	sorted, err := canonical(append(definition, ']'))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(sorted)
	return hex.EncodeToString(sum[:]), nil
}

// shallow returns the schema with true in place of what nests deeper than limit.
func shallow(schema jsontext.Value, limit int) jsontext.Value {
	if !isTooDeep(schema, limit) {
		return schema
	}
	cut := make(jsontext.Value, 0, len(schema))
	depth := 0
	for i := 0; i < len(schema); i++ {
		switch b := schema[i]; b {
		case '"':
			end := i + stringLength(schema[i:])
			if depth <= limit {
				cut = append(cut, schema[i:end]...)
			}
			i = end - 1
			continue
		case '{', '[':
			depth++
			if depth == limit+1 {
				cut = append(cut, "true"...)
			}
		case '}', ']':
			depth--
			if depth == limit {
				continue
			}
		}
		if depth <= limit {
			cut = append(cut, schema[i])
		}
	}
	return cut
}

// stringLength returns the length of the JSON string that the text begins with.
func stringLength(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
