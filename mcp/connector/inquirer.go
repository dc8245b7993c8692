package connector

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Inquirer is a caller who answers himself what a server asks during his request, in the place of what [Offers] name.
type Inquirer struct {
	// Party tells callers apart: requests of one party may be answered for each other.
	Party string
	// HasForms, HasPages, HasModel and HasRoots say what may be asked of him. Where he has no roots the server is told of those that
	// are offered.
	HasForms, HasPages, HasModel, HasRoots bool
	// Ask puts what a server asks for at once: one JSON object of MCP's InputRequests. It returns one of InputResponses, by the same
	// keys, and blocks; an error says that there will be none.
	Ask func(ctx context.Context, requests []byte) (responses []byte, err error)
	// Given are responses that came with the request, before anything was asked; nil for none. A server of the legacy era gets none.
	Given []byte
}

// offersTo is what a server may ask for in the middle of a request; nil for one of nobody.
func (s *session) offersTo(r *running) Offers {
	own := s.connector.offers()
	if r == nil || r.inquirer == nil {
		return own
	}
	by := r.inquirer
	offers := Offers{HasForms: by.HasForms, HasPages: by.HasPages, HasModel: by.HasModel, FollowsTasks: own.FollowsTasks, Roots: own.Roots}
	if by.HasRoots {
		offers.Roots = []Root{}
	}
	return offers
}

// given are the members of the first round of a request.
func (s *session) given(by *Inquirer) []member {
	if by == nil || len(by.Given) == 0 || s.answer.era != EraModern {
		return nil
	}
	return []member{{"inputResponses", by.Given}}
}

// inquirerOf is who answers what may be about any of several requests: nobody where they are of several parties.
func inquirerOf(all []*running) *Inquirer {
	var by *Inquirer
	for i, r := range all {
		if i > 0 && (by == nil) != (r.inquirer == nil) || by != nil && r.inquirer != nil && by.Party != r.inquirer.Party {
			return nil
		}
		by = r.inquirer
	}
	return by
}

// respondBy has the caller answer a set of requests, all at once. What must not be put to anybody is declined here; the time of
// questions does not count (E8).
func (s *session) respondBy(ctx context.Context, r *running, requests map[string]inputRequest) ([]byte, error) {
	responses, open := map[string]jsontext.Value{}, map[string]inputRequest{}
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		request := requests[key]
		shown, declined, refusal := s.toCaller(request, r)
		switch {
		case refusal != nil:
			return nil, &DeclinedError{Reason: fmt.Sprintf("it asks for %s first: %s", visible(request.method, 60), refusal.Message)}
		case declined != nil:
			responses[key] = declined
		default:
			open[key] = inputRequest{request.method, shown}
		}
	}
	if len(open) > 0 {
		answers, err := s.askCaller(ctx, r, open)
		if err != nil {
			return nil, err
		}
		maps.Copy(responses, answers)
	}
	return objectOf(responses), nil
}

// toCaller is what a caller is shown of a request, or an answer that he need not be asked for, or why the server may not ask at all.
func (s *session) toCaller(request inputRequest, r *running) (shown, declined jsontext.Value, refusal *ProtocolError) {
	if refusal = s.mayInquire(request.method, request.params, s.offersTo(r)); refusal != nil {
		return nil, nil, refusal
	}
	if request.method == rootsMethod {
		if !r.inquirer.HasRoots {
			return nil, s.connector.offers().rootsResult(), nil
		}
		return jsontext.Value(`{}`), nil, nil
	}
	if !s.inquiries.charge(r, request.method) {
		return nil, nil, &ProtocolError{Code: codeRejected, Message: "it was asked for again and again"}
	}
	if request.method == samplingMethod {
		shown, err := samplingParams(request.params)
		if err != nil {
			return nil, nil, &ProtocolError{Code: codeInvalidParams, Message: err.Error()}
		}
		return shown, nil, nil
	}
	question, refusal := s.readQuestion(request.params)
	if question == nil {
		return nil, jsontext.Value(`{"action":"decline"}`), refusal
	}
	return request.params, nil, nil
}

// askCaller puts requests to the caller, while what is under way does not lose time.
func (s *session) askCaller(ctx context.Context, r *running, open map[string]inputRequest) (map[string]jsontext.Value, error) {
	asked := map[string]jsontext.Value{}
	for key, request := range open {
		method, _ := jsontext.AppendQuote(nil, request.method)
		asked[key] = objectOf(map[string]jsontext.Value{"method": method, "params": request.params})
	}
	r.clock.Pause()
	defer r.clock.Resume()
	given, err := r.inquirer.Ask(ctx, objectOf(asked))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &DeclinedError{Reason: "it asks for something first, and the caller did not answer: " + err.Error()}
	}
	answers := map[string]jsontext.Value{}
	err = object(given, func(key string, value jsontext.Value) error {
		if _, isAsked := open[key]; isAsked && value.Kind() == '{' {
			answers[key] = value.Clone()
		}
		return nil
	})
	if err != nil {
		return nil, &DeclinedError{Reason: "it asks for something first, and the caller's answer cannot be read"}
	}
	return answers, nil
}

// inquireCaller has a caller answer one request of a server of the legacy era.
func (s *session) inquireCaller(ctx context.Context, r *running, method string, params jsontext.Value) ([]byte, *ProtocolError) {
	const key = "question"
	shown, declined, refusal := s.toCaller(inputRequest{method, params}, r)
	if refusal != nil || declined != nil {
		return declined, refusal
	}
	answers, err := s.askCaller(ctx, r, map[string]inputRequest{key: {method, shown}})
	switch {
	case err == nil && answers[key] != nil:
		return answers[key], nil
	case method == elicitMethod:
		return []byte(`{"action":"cancel"}`), nil
	}
	return nil, &ProtocolError{Code: codeRejected, Message: "the caller gave no answer"}
}

// objectOf is an object of the members, by name.
func objectOf(members map[string]jsontext.Value) jsontext.Value {
	object := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, name)
		object = append(append(object, ':'), members[name]...)
	}
	return append(object, '}')
}
