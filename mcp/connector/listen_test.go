package connector

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pillion/mcp/mcptest"
)

func TestNoAddressIsAnotherTopic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Custom(func(t *rapid.T) topic {
			return topic{rapid.SampledFrom([]topicKind{aboutResource, aboutTask}).Draw(t, "kind"), rapid.String().Draw(t, "name")}
		})
		one, other := some.Draw(t, "one"), rapid.OneOf(some, rapid.Just(topic{kind: aboutLists})).Draw(t, "other")
		if (one == other) != (one.key() == other.key()) {
			t.Fatalf("%+v and %+v are %q and %q", one, other, one.key(), other.key())
		}
		key, _ := json.Marshal(one.key())
		if read, isAsked := listened([]byte(`{"notifications":{"resourceSubscriptions":[` + string(key) + `]}}`)); read != one || !isAsked {
			t.Fatalf("%+v is read as %+v, %v", one, read, isAsked)
		}
	})
	for _, params := range []string{`{"notifications":{"toolsListChanged":true}}`, `{}`} {
		if read, isAsked := listened([]byte(params)); read != (topic{kind: aboutLists}) || isAsked {
			t.Errorf("%s is read as %+v, %v", params, read, isAsked)
		}
	}
}

// A server may call its resources what it likes.
func TestSU2_AResourceIsListenedToWhateverItIsCalled(t *testing.T) {
	t.Parallel()
	f := started(t, "modern", environment(mcptest.CapabilitiesVar+`={"tools":{},"resources":{"subscribe":true}}`))
	for _, uri := range []string{"pillion:lists", "pillion:task:1", "l", "t1", "r"} {
		if err := f.Subscribe(t.Context(), uri); err != nil {
			t.Fatal(err)
		}
		f.eventually(uri+" is listened to as a resource", func() bool {
			return strings.Contains(strings.Join(f.received("subscriptions/listen"), "\n"), `"notifications":{"resourceSubscriptions":["`+uri+`"]}`)
		})
	}
}
