package connector

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

const maxSamplingBytes = 1 << 20

// sample has a model answer, if a person lets it.
func (s *session) sample(ctx context.Context, params jsontext.Value, callID string) ([]byte, *ProtocolError) {
	shown, err := samplingParams(params)
	if err != nil {
		return nil, &ProtocolError{Code: codeInvalidParams, Message: err.Error()}
	}
	result, err := s.connector.offers().Sample(ctx, Sampling{CallID: callID, Params: shown})
	if err == nil && result != nil {
		err = checkSampled(result)
	}
	switch {
	case err != nil:
		return nil, &ProtocolError{Code: -32603, Message: "no answer can be had: " + visible(err.Error(), maxReasonBytes)}
	case result == nil:
		return nil, &ProtocolError{Code: codeRejected, Message: "User rejected sampling request"}
	}
	return result, nil
}

// samplingParams are the params as they are shown and passed on: without context, whatever the server wants included (S30),
// and refused where they want what was not offered.
func samplingParams(params jsontext.Value) ([]byte, error) {
	if len(params) > maxSamplingBytes || isTooDeep(params, maxSchemaDepth) || !params.IsValid(jsontext.AllowInvalidUTF8(true)) {
		return nil, errors.New("the request is too large, too deep, or has a name twice in one object")
	}
	hasMessages, hasTools := false, false
	err := object(params, func(name string, value jsontext.Value) error {
		switch name {
		case "messages":
			messages, err := elements(value, maxEntries)
			hasMessages = err == nil && len(messages) > 0
		case "tools", "toolChoice":
			hasTools = true
		default:
			return checkSpelling(name, samplingNames)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !hasMessages:
		return nil, errors.New("messages is not a list of at least one")
	case hasTools:
		return nil, errors.New("tools were not offered")
	}
	return splice(nil, params, []member{{"includeContext", []byte(`"none"`)}})
}

// checkSampled refuses what is no result of sampling/createMessage.
func checkSampled(result []byte) error {
	has := map[string]bool{}
	err := object(result, func(name string, _ jsontext.Value) error {
		has[name] = true
		return nil
	})
	for _, name := range []string{"role", "content", "model"} {
		if err == nil && !has[name] {
			err = fmt.Errorf("the model's answer has no %s", name)
		}
	}
	return err
}
