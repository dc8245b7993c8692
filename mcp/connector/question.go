package connector

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxMessageBytes = 16 << 10
	maxFormBytes    = 64 << 10
	maxFormDepth    = 16
	maxFormFields   = 100
)

// modeOf is how a question is put; one that does not say has a form.
func modeOf(params jsontext.Value) string {
	mode := "form"
	_ = object(params, func(name string, value jsontext.Value) error {
		if name == "mode" {
			mode, _ = text(value)
		}
		return nil
	})
	return mode
}

// questionNames and samplingNames are the names that MCP has for what a server asks with.
const (
	questionNames = "message requestedSchema url mode elicitationId task _meta"
	samplingNames = "messages modelPreferences systemPrompt includeContext temperature maxTokens stopSequences metadata tools toolChoice task _meta"
)

// checkSpelling refuses a name that is one of MCP's but for its case: whoever reads names in any case would take what it holds for
// what was looked at here.
func checkSpelling(name, names string) error {
	for known := range strings.FieldsSeq(names) {
		if name != known && strings.EqualFold(name, known) {
			return fmt.Errorf("%s is not spelt as MCP spells it", known)
		}
	}
	return nil
}

// readQuestion reads the params of elicitation/create. Neither a question nor a refusal means that it is declined unseen: its
// form cannot be put to anybody.
func (s *session) readQuestion(params jsontext.Value) (*Elicitation, *ProtocolError) {
	q := &Elicitation{}
	isText := false
	err := object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "message":
			q.Message, isText = text(value)
		case "requestedSchema":
			q.Schema = value.Clone()
		case "url":
			q.URL, _ = text(value)
		default:
			return checkSpelling(name, questionNames)
		}
		return nil
	})
	isPage := modeOf(params) == "url"
	switch {
	case err != nil:
	case !isText || len(q.Message) > maxMessageBytes:
		err = fmt.Errorf("message is not a text of at most %d bytes", maxMessageBytes)
	case isPage:
		q.Schema = nil
		err = checkPage(q.URL)
	default:
		q.URL = ""
		var reason string
		if reason, err = checkForm(q.Schema); reason != "" {
			s.connector.warn("form", "asked with a form that is declined: "+reason)
			return nil, nil
		}
	}
	if err != nil {
		return nil, &ProtocolError{Code: codeInvalidParams, Message: err.Error()}
	}
	return q, nil
}

// checkPage refuses a page that a person could be misled about (S17).
func checkPage(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxURIBytes:
		return errors.New("url is not an address that can be read")
	case u.Scheme != "https" || u.Opaque != "":
		return errors.New("url must begin with https://")
	case u.User != nil:
		return errors.New("url must have no user and password")
	case u.Hostname() == "" || strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("the host of url must be ASCII")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("url must be ASCII, without white space")
	}
	return nil
}

// checkForm reads the schema of a form (MCP 2025-11-25 elicitation: a flat object of primitives). The reason says why it is
// declined unseen: it has references, which can lead in circles, or it wants a secret, for which a form is no place.
func checkForm(schema jsontext.Value) (reason string, err error) {
	switch {
	case schema.Kind() != '{':
		return "", errors.New("requestedSchema is not an object")
	case len(schema) > maxFormBytes || isTooDeep(schema, maxFormDepth):
		return "it is too large", nil
	case !schema.IsValid(jsontext.AllowInvalidUTF8(true)):
		return "it has a name twice in one object", nil
	case hasReference(schema):
		return "it has references", nil
	}
	fields, isObject := 0, false
	err = object(schema, func(name string, value jsontext.Value) error {
		switch name {
		case "type":
			kind, _ := text(value)
			isObject = kind == "object"
		case "properties":
			return object(value, func(name string, value jsontext.Value) error {
				if fields++; fields > maxFormFields {
					reason = "it has too many fields"
				}
				if wantsSecret(name, value) {
					reason = fmt.Sprintf("its field %s wants a secret", visible(name, 60))
				}
				return checkField(name, value)
			})
		}
		return nil
	})
	if err == nil && !isObject {
		err = errors.New("requestedSchema is not the schema of an object")
	}
	return reason, err
}

// checkField refuses a field that is no primitive, nor a choice of several.
func checkField(name string, schema jsontext.Value) error {
	kind := ""
	if err := object(schema, func(name string, value jsontext.Value) error {
		if name == "type" {
			kind, _ = text(value)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("the field %s has no schema that is an object", visible(name, 60))
	}
	switch kind {
	case "string", "number", "integer", "boolean", "array":
		return nil
	}
	return fmt.Errorf("the field %s is neither a text, a number, a boolean nor a choice of several", visible(name, 60))
}

// wantsSecret reports whether a field is for what nobody should type into a form of somebody else's.
func wantsSecret(name string, schema jsontext.Value) bool {
	isPassword := false
	_ = object(schema, func(name string, value jsontext.Value) error {
		said, _ := text(value)
		isPassword = isPassword || name == "format" && said == "password"
		return nil
	})
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(name))
	return isPassword || slices.ContainsFunc([]string{"password", "passwd", "passphrase", "secretkey", "apikey", "accesstoken", "privatekey", "clientsecret"},
		func(word string) bool { return strings.HasSuffix(plain, word) })
}

// hasReference reports whether an object anywhere in the schema refers to another place.
func hasReference(schema jsontext.Value) bool {
	if !strings.Contains(string(schema), "ef") {
		return false
	}
	switch schema.Kind() {
	case '{':
		found := false
		_ = object(schema, func(name string, value jsontext.Value) error {
			found = found || name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef" || hasReference(value)
			return nil
		})
		return found
	case '[':
		all, _ := elements(schema, maxFormBytes)
		return slices.ContainsFunc(all, hasReference)
	}
	return false
}

func (a ElicitationAnswer) result() []byte {
	switch {
	case a.Action == ElicitAccept && len(a.Content) > 0:
		return fmt.Appendf(nil, `{"action":"accept","content":%s}`, a.Content)
	case a.Action == ElicitAccept, a.Action == ElicitDecline:
		return fmt.Appendf(nil, `{"action":%q}`, a.Action)
	}
	return []byte(`{"action":"cancel"}`)
}
