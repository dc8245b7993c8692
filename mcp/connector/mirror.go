package connector

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// mirrorKeyword marks the property of a tool's schema whose value goes into a header as well (MCP 2026-07-28 streamable HTTP).
const mirrorKeyword = "x-mcp-header"

// mirrored is an argument that a header repeats.
type mirrored struct {
	path   []string
	header string // without its prefix
}

// mirroredOf finds the arguments that headers repeat. With an error the tool must not be offered over HTTP.
func mirroredOf(schema jsontext.Value) ([]mirrored, error) {
	if !bytes.Contains(schema, []byte(mirrorKeyword)) {
		return nil, nil
	}
	var found []mirrored
	seen := map[string]bool{}
	err := properties(schema, nil, func(path []string, property jsontext.Value) error {
		var kind string
		var mark jsontext.Value
		_ = object(property, func(name string, value jsontext.Value) error {
			switch name {
			case "type":
				kind, _ = text(value)
			case mirrorKeyword:
				mark = value
			}
			return nil
		})
		if mark == nil {
			return nil
		}
		header, isText := text(mark)
		switch {
		case kind != "string" && kind != "integer" && kind != "boolean":
			return errors.New("it is not of the type string, integer or boolean")
		case !isText || !isHeaderName(header):
			return errors.New("it does not name a header")
		case seen[strings.ToLower(header)]:
			return fmt.Errorf("the header %q is named twice", header)
		}
		seen[strings.ToLower(header)] = true
		found = append(found, mirrored{path: path, header: header})
		return nil
	})
	return found, err
}

// properties visits the properties of a schema and those within them.
func properties(schema jsontext.Value, path []string, visit func(path []string, property jsontext.Value) error) error {
	return object(schema, func(name string, value jsontext.Value) error {
		if name != "properties" || value.Kind() != '{' || len(path) >= maxSchemaDepth {
			return nil
		}
		return object(value, func(name string, value jsontext.Value) error {
			if value.Kind() != '{' {
				return nil
			}
			at := append(path[:len(path):len(path)], name)
			if err := visit(at, value); err != nil {
				return fmt.Errorf("%s of the property %q: %w", mirrorKeyword, visible(strings.Join(at, "."), 100), err)
			}
			return properties(value, at, visit)
		})
	})
}

// isHeaderName follows RFC 9110, 5.6.2.
func isHeaderName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// in returns the value that the header repeats of the arguments; false where there is none to repeat.
func (m mirrored) in(arguments jsontext.Value) (string, bool) {
	value := arguments
	for _, name := range m.path {
		var inner jsontext.Value
		err := object(value, func(member string, value jsontext.Value) error {
			if member == name {
				inner = value
			}
			return nil
		})
		if err != nil || inner == nil {
			return "", false
		}
		value = inner
	}
	switch value.Kind() {
	case 't', 'f':
		return string(value), true
	case '"':
		said, _ := text(value)
		return headerValue(said), true
	case '0':
		if n, err := strconv.ParseFloat(string(value), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return strconv.FormatInt(int64(n), 10), true
		}
	}
	return "", false
}
