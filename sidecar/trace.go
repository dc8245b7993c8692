package sidecar

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"pillion/mcp/redact"
	"pillion/rpc/message"
)

// bearsValue reports whether a string is the method or command of a message that may bring the value of an input.
func bearsValue(text string) bool {
	switch text {
	case message.AskAnswer.Method, message.SecretSet.Method, message.CommandAskAnswer.Name:
		return true
	}
	return false
}

// withoutValues is the body of a frame without the value that it may bring: no set of secrets has it yet. The message is
// told by what its strings say, not by how they are spelt.
func withoutValues(body []byte) []byte {
	bears := false
	_, err := walkStrings(body, func(text string) { bears = bears || bearsValue(text) }, func(string) bool { return false })
	switch {
	case err != nil && bytes.Contains(body, []byte("value")):
		return []byte(redact.Marker + " a frame that is not JSON")
	case err != nil || !bears:
		return body
	}
	clean, err := walkStrings(body, func(string) {}, func(name string) bool { return name == "value" })
	if err != nil {
		return []byte(redact.Marker)
	}
	return clean
}

// walkStrings visits every string of a JSON value that is no name, and returns the value with what stands under the names that
// hide knows replaced.
func walkStrings(body []byte, visit func(string), hide func(name string) bool) ([]byte, error) {
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	in := jsontext.NewDecoder(bytes.NewReader(body), options...)
	var out bytes.Buffer
	to := jsontext.NewEncoder(&out, options...)
	for {
		isName := isAtName(in)
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) && in.StackDepth() == 0 {
			return out.Bytes(), nil
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err == nil && token.Kind() == '"' {
			switch text := token.String(); {
			case !isName:
				visit(text)
			case hide(text):
				if err = in.SkipValue(); err == nil {
					err = to.WriteToken(jsontext.String(redact.Marker))
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// isAtName reports whether the next token is the name of a member.
func isAtName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 0
}
