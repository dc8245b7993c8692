package config

import "testing"

func TestC71_WhatChangesTheHash(t *testing.T) {
	t.Parallel()
	const stdio = `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`
	const remote = `{"url":"https://h/","headers":{"X":"1","Y":"2"}}`
	tests := []struct {
		name, before, after string
		same                bool
	}{
		{"command", stdio, `{"command":"npx2","args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, false},
		{"args", stdio, `{"command":"npx","args":["-y","q"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, false},
		{"args order", stdio, `{"command":"npx","args":["p","-y"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, false},
		{"args split", `{"command":"x","args":["a b"]}`, `{"command":"x","args":["a","b"]}`, false},
		{"args into command", `{"command":"x a"}`, `{"command":"x","args":["a"]}`, false},
		{"env value", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"3"},"cwd":"c","envFile":".env"}`, false},
		{"env key", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","C":"2"},"cwd":"c","envFile":".env"}`, false},
		{"env added", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"2","LD_PRELOAD":"x"},"cwd":"c","envFile":".env"}`, false},
		{"env moved between names", `{"command":"x","env":{"A":"1B"}}`, `{"command":"x","env":{"A1":"B"}}`, false},
		{"cwd", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"d","envFile":".env"}`, false},
		{"cwd gone", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"2"},"envFile":".env"}`, false},
		{"envFile", stdio, `{"command":"npx","args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env2"}`, false},
		{"url", remote, `{"url":"https://h/2","headers":{"X":"1","Y":"2"}}`, false},
		{"header name", remote, `{"url":"https://h/","headers":{"X":"1","Z":"2"}}`, false},
		{"header value", remote, `{"url":"https://h/","headers":{"X":"1","Y":"3"}}`, false},
		{"transport", remote, `{"type":"sse","url":"https://h/","headers":{"X":"1","Y":"2"}}`, false},
		{"reference against its name", `{"command":"x","args":["${A}"]}`, `{"command":"x","args":["${B}"]}`, false},
		{"timeout", `{"command":"x"}`, `{"command":"x","timeout":1000}`, false},
		{"start", `{"command":"x"}`, `{"command":"x","pillion":{"start":"eager"}}`, false},
		{"inheritEnv", `{"command":"x"}`, `{"command":"x","pillion":{"inheritEnv":["A"]}}`, false},
		{"trustReadOnly", `{"command":"x"}`, `{"command":"x","pillion":{"trustReadOnly":true}}`, false},
		{"tools", `{"command":"x"}`, `{"command":"x","pillion":{"tools":[]}}`, false},
		{"excludeTools", `{"command":"x","pillion":{"excludeTools":["a"]}}`, `{"command":"x","pillion":{"excludeTools":["b"]}}`, false},
		{"unknown key", `{"command":"x"}`, `{"command":"x","headersHelper":"evil"}`, false},
		{"unknown number", `{"command":"x","k":9007199254740993}`, `{"command":"x","k":9007199254740992}`, false},
		{"unknown option", `{"command":"x"}`, `{"command":"x","pillion":{"scope":"call"}}`, false},
		{"toolPrefix", `{"command":"x"}`, `{"command":"x","pillion":{"toolPrefix":"y"}}`, false},
		{"extraIncludeTools", `{"command":"x"}`, `{"command":"x","pillion":{"extraIncludeTools":["y"]}}`, false},
		{"tags", `{"command":"x"}`, `{"command":"x","pillion":{"tags":["y"],"toolTags":{"z":["y"]},"default":false}}`, true},

		{"disabled", stdio, `{"command":"npx","disabled":true,"args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, true},
		{"enabled", stdio, `{"command":"npx","enabled":false,"args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, true},
		{"key order", stdio, `{"envFile":".env","env":{"B":"2","A":"1"},"cwd":"c","args":["-y","p"],"command":"npx"}`, true},
		{"whitespace", stdio, "{\n\"command\" : \"npx\",\r\n\t\"args\":[ \"-y\" ,\"p\"],\"env\":{\"A\":\"1\",\"B\":\"2\"},\"cwd\":\"c\",\"envFile\":\".env\"}", true},
		{"comments", stdio, `{/*a*/"command":"npx","args":["-y",/*b*/"p",],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env",}`, true},
		{"escapes", `{"command":"x"}`, `{"command":"\u0078"}`, true},
		{"explicit stdio", stdio, `{"type":"stdio","command":"npx","args":["-y","p"],"env":{"A":"1","B":"2"},"cwd":"c","envFile":".env"}`, true},
		{"explicit http", remote, `{"type":"http","url":"https://h/","headers":{"X":"1","Y":"2"}}`, true},
		{"streamable-http", remote, `{"type":"streamable-http","url":"https://h/","headers":{"X":"1","Y":"2"}}`, true},
		{"transport key", remote, `{"transport":"streamableHttp","url":"https://h/","headers":{"X":"1","Y":"2"}}`, true},
		{"header order", remote, `{"url":"https://h/","headers":{"Y":"2","X":"1"}}`, true},
		{"description", `{"command":"x"}`, `{"command":"x","description":"d","pillion":{"description":"e"}}`, true},
		{"alwaysAllow", `{"command":"x"}`, `{"command":"x","alwaysAllow":["a"],"autoApprove":[]}`, true},
		{"empty lists", `{"command":"x"}`, `{"command":"x","args":[],"env":{}}`, true},
		{"the default said", `{"command":"x"}`, `{"command":"x","pillion":{"start":"lazy","era":"auto"}}`, true},
		{"unknown key laid out anew", `{"command":"x","k":{"a":1,"b":[2]}}`, `{"command":"x","k":{ "b":[2], /**/ "a":1}}`, true},
		{"duration spelled anew", `{"command":"x","timeout":60000}`, `{"command":"x","timeout":"1m"}`, true},
	}
	for _, test := range tests {
		if same := entryOf(t, test.before).Hash() == entryOf(t, test.after).Hash(); same != test.same {
			t.Errorf("%s: same %v, want %v", test.name, same, test.same)
		}
	}
}

func TestC71_OldTextHasTheOldHash(t *testing.T) {
	t.Parallel()
	// A stored consent is of no use once this changes: it is never to.
	const want = "019575b057fa7b66e5905ad4599d1f1cf53ce3b9035c58a175ab94a21c0b610d"
	e := entryOf(t, `{"command":"npx","args":["-y","pkg@1.0.0"],"env":{"TOKEN":"${TOKEN}"},"timeout":30000,"pillion":{"start":"eager","tools":["a"]},"later":{"b":1,"a":2.50}}`)
	if got := e.Hash(); got != want {
		t.Errorf("hash %s", got)
	}
	if e.Hash() != projectEntryOf(t, e.Text).Hash() {
		t.Error("the hash depends on the file")
	}
}

// Every entry is asked for its hash, whatever is wrong with it.
func TestC62_AKeyTwiceInsideAnUnknownOneHasAHash(t *testing.T) {
	t.Parallel()
	e := entryOf(t, `{"command":"x","more":{"a":1,"a":2}}`)
	fault(t, e, CodeDuplicateKey)
	if e.Hash() == entryOf(t, `{"command":"x","more":{"a":1,"a":3}}`).Hash() {
		t.Error("two definitions have one hash")
	}
}
