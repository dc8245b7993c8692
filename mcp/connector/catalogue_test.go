package connector

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// What is added to a catalogue is looked at, too: each of its members, and each of a tool's, makes it another one.
func TestAnyDifferenceMakesAnotherGeneration(t *testing.T) {
	t.Parallel()
	full := func() *Catalogue {
		yes := true
		passed := Passed{Icons: jsontext.Value(`[]`), Meta: jsontext.Value(`{}`)}
		return &Catalogue{
			Tools: []Tool{{
				Name: "a", InputSchema: jsontext.Value(`{}`), OutputSchema: jsontext.Value(`{}`), Annotations: jsontext.Value(`{}`),
				ReadOnly: &yes, Destructive: &yes, Idempotent: &yes, OpenWorld: &yes, Passed: passed,
			}},
			Quarantined: []Quarantined{{}}, Resources: []Resource{{Annotations: jsontext.Value(`{}`), Passed: passed}},
			ResourceTemplates: []ResourceTemplate{{Annotations: jsontext.Value(`{}`), Passed: passed}},
			Prompts:           []Prompt{{Arguments: []PromptArgument{{}}, Passed: passed}},
		}
	}
	if one := full(); !one.isSameAs(full()) {
		t.Fatal("a catalogue differs from itself")
	}
	seen := 0
	var spoil func(path string, field func(*Catalogue) reflect.Value)
	spoil = func(path string, field func(*Catalogue) reflect.Value) {
		other := full()
		switch v := field(other); v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if name := path + "." + v.Type().Field(i).Name; name != "catalogue.Generation" {
					spoil(name, func(c *Catalogue) reflect.Value { return field(c).Field(i) })
				}
			}
			return
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Struct {
				spoil(path+"[]", func(c *Catalogue) reflect.Value { return field(c).Index(0) })
			}
			v.Set(reflect.Zero(v.Type()))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.String:
			v.SetString("another")
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		default:
			t.Fatalf("%s is a %s, which the test does not know how to change", path, v.Kind())
		}
		if seen++; other.isSameAs(full()) || full().isSameAs(other) {
			t.Errorf("%s is not looked at", path)
		}
	}
	spoil("catalogue", func(c *Catalogue) reflect.Value { return reflect.ValueOf(c).Elem() })
	if seen < 30 {
		t.Errorf("%d members were changed", seen)
	}
}
