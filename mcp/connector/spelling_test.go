package connector

import "testing"

func TestS30_WhatAModelIsAskedIsSpeltOneWay(t *testing.T) {
	t.Parallel()
	const messages = `"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":5`
	for params, isTaken := range map[string]bool{
		`{` + messages + `}`: true,
		`{` + messages + `,"other":1,"_meta":{"Tools":1}}`: true,
		`{` + messages + `,"IncludeContext":"allServers"}`: false,
		`{` + messages + `,"TOOLS":[]}`:                    false,
		`{` + messages + `,"meſſages":[]}`:                 false,
	} {
		if _, err := samplingParams([]byte(params)); (err == nil) != isTaken {
			t.Errorf("%s: %v", params, err)
		}
	}
}
