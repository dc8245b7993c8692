package host

import (
	"testing"

	"pillion/mcp/connector"
)

func TestWhereACallerIsAsked(t *testing.T) {
	t.Parallel()
	can := func(isModern bool, i connector.Inquirer) *Answering { return &Answering{i, isModern} }
	forms := connector.Inquirer{HasForms: true}
	all := connector.Inquirer{HasForms: true, HasPages: true, HasModel: true, HasRoots: true}
	for name, c := range map[string]struct {
		caller   *Answering
		isModern bool
		room     string
	}{
		"nobody":                       {nil, false, ""},
		"nobody, of a modern server":   {nil, true, ""},
		"who cannot be asked":          {can(false, connector.Inquirer{}), false, ""},
		"who cannot, of a modern one":  {can(false, connector.Inquirer{}), true, ""},
		"a modern one of a modern one": {can(true, all), true, ""},
		"a modern one of a legacy one": {can(true, forms), false, "answering forms"},
		"a legacy one of a modern one": {can(false, forms), true, "answering forms"},
		"a legacy one of a legacy one": {can(false, all), false, "answering forms pages model roots"},
	} {
		room := answeringRoom(c.caller, c.isModern)
		if room != c.room {
			t.Errorf("%s: %q, want %q", name, room, c.room)
		}
		offers, isOfProfile := profileOf(room)
		if isOfProfile != (c.room != "") || isOfProfile && (offers.HasForms != c.caller.HasForms || offers.HasPages != c.caller.HasPages ||
			offers.HasModel != c.caller.HasModel || (offers.Roots != nil) != c.caller.HasRoots) {
			t.Errorf("%s: the room %q offers %+v, %v", name, room, offers, isOfProfile)
		}
	}
	for _, other := range []string{"", "session s", "call 1", "2"} {
		if _, isOfProfile := profileOf(other); isOfProfile {
			t.Errorf("the room %q is taken for one of a profile", other)
		}
	}
}
