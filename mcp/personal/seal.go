package personal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pillion/mcp/state"
)

// grants let a person confirm what nothing shows to be Pillion's own.
type grants = state.Grants[file, record]

// sealable are the records that give something; of one that is not believed all that takes away still counts.
var sealable = state.Sealable[record]{
	Purpose:  "wish",
	Seal:     func(r record) string { return r.Seal },
	WithSeal: func(r record, seal string) record { r.Seal = seal; return r },
	Gives:    func(r record) bool { return len(r.gifts()) > 0 },
	Rest:     func(r record) (record, bool) { return r.withoutGifts(), true },
	Label: func(r record) string {
		where := "everywhere"
		if r.Root != "" {
			where = fmt.Sprintf("in %q", r.Root)
		}
		return strings.Join(r.gifts(), ", ") + " " + where
	},
}

// gifts are what the record gives, in words.
func (r record) gifts() []string {
	var gifts []string
	for _, c := range r.Connectors {
		if c.Switch == On {
			gifts = append(gifts, fmt.Sprintf("connector %q on", c.Name))
		}
		for _, tool := range slices.Sorted(maps.Keys(c.Tools)) {
			if c.Tools[tool] == On {
				gifts = append(gifts, fmt.Sprintf("tool %q of connector %q on", tool, c.Name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		gifts = append(gifts, fmt.Sprintf("variable %q from %q", name, r.Env[name]))
	}
	return gifts
}

// withoutGifts is the record without what it gives.
func (r record) withoutGifts() record {
	r = r.withoutSwitches()
	for i, c := range r.Connectors {
		tools := maps.Clone(c.Tools)
		maps.DeleteFunc(tools, func(_ string, now Switch) bool { return now == On })
		r.Connectors[i].Tools = tools
	}
	r.Connectors = slices.DeleteFunc(r.Connectors, connector.isEmpty)
	r.Seal = ""
	return r
}
