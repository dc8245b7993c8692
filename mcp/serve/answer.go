package serve

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The SDK reads the numbers in what a client answers to a question as floats. So an answer carries its own text, which goes to the
// connector as it came.

// answerKey is where an answer carries its text, in its _meta.
const answerKey = ownPrefix + "answer"

// carrying is an answer of a client that carries its text; what is no answer to a form or of a model is as it was.
func carrying(answer jsontext.Value) jsontext.Value {
	if answer.Kind() != '{' || !bytes.Contains(answer, []byte(`"content"`)) || !answer.IsValid() {
		return answer
	}
	members, err := membersOf(answer)
	if err != nil {
		return answer
	}
	var meta []member
	kept := make([]member, 0, len(members)+1)
	for _, m := range members {
		if m.name == metaMember {
			meta, _ = membersOf(m.value)
			continue
		}
		kept = append(kept, m)
	}
	meta = append(without(meta, answerKey), member{answerKey, text(string(answer))})
	return objectOf(append(kept, member{metaMember, objectOf(meta...)})...)
}

// carryingAll are the params of a request in which the answers of a client carry their text (MCP 2026-07-28 patterns/mrtr).
func carryingAll(params jsontext.Value) jsontext.Value {
	if !bytes.Contains(params, []byte(`"inputResponses"`)) {
		return params
	}
	members, _ := membersOf(params)
	for i, m := range members {
		if m.name != "inputResponses" {
			continue
		}
		answers, err := membersOf(m.value)
		if err != nil {
			return params
		}
		for j, answer := range answers {
			answers[j].value = carrying(answer.value)
		}
		members[i].value = objectOf(answers...)
	}
	if members == nil {
		return params
	}
	return objectOf(members...)
}

// carried is the text that an answer carries, or that itself.
func carried(answer jsontext.Value) jsontext.Value {
	members, _ := membersOf(answer)
	for _, m := range members {
		if m.name != metaMember {
			continue
		}
		meta, _ := membersOf(m.value)
		for _, m := range meta {
			var own string
			if m.name == answerKey && decode(m.value, &own) == nil && jsontext.Value(own).IsValid() {
				return jsontext.Value(own)
			}
		}
	}
	return answer
}

// carriedAll are the answers of a client with what each of them carries.
func carriedAll(answers jsontext.Value) jsontext.Value {
	all, err := membersOf(answers)
	if err != nil {
		return answers
	}
	for i, one := range all {
		all[i].value = carried(one.value)
	}
	return objectOf(all...)
}

// holdsAnswers reports whether there are answers of a client in a message.
func holdsAnswers(message jsonrpc.Message) bool {
	switch m := message.(type) {
	case *jsonrpc.Response:
		return bytes.Contains(m.Result, []byte(answerKey))
	case *jsonrpc.Request:
		return bytes.Contains(m.Params, []byte(answerKey))
	}
	return false
}
