package connector

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// splice appends the object params to dst with members put in place of those of the same name, or at the end. The bytes of
// their values go in as they are.
func splice(dst, params []byte, members []member) ([]byte, error) {
	if len(params) == 0 {
		params = []byte(`{}`)
	}
	from, isEmpty := int64(0), true
	isIn := make([]bool, len(members))
	decoder := jsontext.NewDecoder(bytes.NewBuffer(params))
	err := membersAt(decoder, func(name string, start, end int64) error {
		isEmpty = false
		for i, m := range members {
			if m.name == name {
				dst = append(append(dst, params[from:start]...), m.value...)
				from = end
				isIn[i] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("put members into params: %w", err)
	}
	dst = append(dst, params[from:decoder.InputOffset()-1]...)
	for i, m := range members {
		if isIn[i] {
			continue
		}
		if !isEmpty {
			dst = append(dst, ',')
		}
		isEmpty = false
		dst, _ = jsontext.AppendQuote(dst, m.name)
		dst = append(append(dst, ':'), m.value...)
	}
	return append(dst, '}'), nil
}
