package connector

import "github.com/go-json-experiment/json/jsontext"

// acknowledged takes note of what a server agrees to tell, which it says first on every subscription. Of one that does not say which
// it is about it is the oldest that has no answer.
func (f *filter) acknowledged(params jsontext.Value) {
	var granted jsontext.Value
	var id int64
	hasID := false
	_ = object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "notifications":
			granted = value
		case "_meta":
			return object(value, func(name string, value jsontext.Value) error {
				if name == "io.modelcontextprotocol/subscriptionId" {
					id, _, hasID = integer(value)
				}
				return nil
			})
		}
		return nil
	})
	if granted.Kind() != '{' {
		granted = jsontext.Value(`{}`)
	}
	if x := f.listening(id, hasID); x != nil {
		f.onAcknowledged(x.asked, granted)
	}
}

// listening is the subscription of an id, or the oldest that was not acknowledged; nil where there is none.
func (f *filter) listening(id int64, hasID bool) *exchange {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.pending[id]
	if !hasID {
		found = nil
		for _, x := range f.pending {
			if x.listens != nil && !x.isAcknowledged && (found == nil || x.wireID < found.wireID) {
				found = x
			}
		}
	}
	if found == nil || found.listens == nil {
		return nil
	}
	found.isAcknowledged = true
	return found
}
