package host

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/jsonc"
)

// Change is one value that differs between two definitions; Before or After is empty where there is none.
type Change struct {
	Path          string // a JSON pointer
	Before, After string // JSON text
}

// Changes are the differences between two definitions as their files write them, by path.
func Changes(before, after string) []Change {
	return changesBelow("", value(before), value(after))
}

func value(text string) jsontext.Value {
	v := jsontext.Value(jsonc.ToJSON([]byte(text)))
	if v.Compact() != nil {
		return jsontext.Value(text)
	}
	return v
}

func changesBelow(path string, before, after jsontext.Value) []Change {
	if string(before) == string(after) {
		return nil
	}
	old, wasObject := members(before)
	now, isObject := members(after)
	if !wasObject || !isObject {
		return []Change{{Path: path, Before: string(before), After: string(after)}}
	}
	names := slices.Collect(maps.Keys(old))
	for name := range now {
		if _, isThere := old[name]; !isThere {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []Change
	for _, name := range names {
		pointer := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		changes = append(changes, changesBelow(pointer, old[name], now[name])...)
	}
	return changes
}

func members(v jsontext.Value) (map[string]jsontext.Value, bool) {
	if v.Kind() != '{' {
		return nil, false
	}
	var all map[string]jsontext.Value
	err := json.Unmarshal(v, &all)
	return all, err == nil
}
