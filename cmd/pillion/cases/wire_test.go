package cases

import (
	"fmt"
	"strings"
	"testing"

	"pillion/rpc/rpctest"
)

// play plays the text of a transcript against a Pillion of its own.
func (w *world) play(name, text string, vars map[string]string) {
	w.t.Helper()
	script, err := rpctest.ParseTranscript(name, []byte(text))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := script.Play(w.start(), rpctest.PlayOptions{Vars: vars}); err != nil {
		w.t.Error(err)
	}
}

const (
	opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"編集器 🙂"}}}`
	nothing = `{"jsonrpc":"2.0","id":"漢字 🙂","method":"pillion/漢字"}`
)

// framed is a message under a header.
func framed(header, body string) string { return fmt.Sprintf(header, len(body)) + body }

func TestC77_Headers(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"Content-Length: %d\r\n\r\n", "content-length:%d\r\n\r\n", "CONTENT-LENGTH:   %d  \r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Length: %d\r\nX-Odd: a: b\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
		"Content-Length: %d\n\n",
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			both := framed(header, opening) + framed(header, nothing) // in one write
			w.play(header, fmt.Sprintf(">raw %q\n", both)+
				`< {"id":0,"result":{"serverInfo":{"name":"pillion"}}}`+"\n"+
				`< {"id":"漢字 🙂","error":{"code":-32601,"message":"$match 漢字"}}`+"\n"+
				`> {"id":1,"method":"shutdown"}`+"\n"+`< {"id":1,"result":null}`+"\n"+`> {"method":"exit"}`+"\n= exit 0\n= stderr empty\n", nil)
		})
	}
}

func TestC77_SplitAtEveryByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var script strings.Builder
	for _, body := range []string{opening, nothing} {
		for _, b := range []byte(framed("Content-Length: %d\r\n\r\n", body)) {
			fmt.Fprintf(&script, ">raw %q\n", []byte{b})
		}
	}
	script.WriteString(`< {"id":0,"result":"$object"}` + "\n" + `< {"id":"漢字 🙂","error":{"code":-32601}}` + "\n")
	script.WriteString(">eof\n= exit 1\n= stderr empty\n")
	w.play("split", script.String(), nil)
}

// What is wrong in a well-framed body costs that message alone, however big it is.
func TestC77_BodiesThatAreNoMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script := `> {"id":0,"method":"initialize","params":{"capabilities":{}}}` + "\n" + `< {"id":0,"result":"$object"}` + "\n"
	for i, bad := range []struct {
		line string
		code int
	}{
		{`>body "{\"jsonrpc\":\"2.0\",\"id\":1,"`, -32700},
		{`>body ""`, -32700},
		{`>body "\xff\xfe"`, -32700},
		{`>body "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"} {}"`, -32700},
		{`>body "[]"`, -32600},
		{`>body "null"`, -32600},
		{`>body "{\"id\":null}"`, -32600},
		{`>raw "Content-Length: 0\r\n\r\n"`, -32700},
		{fmt.Sprintf(`>body %q`, strings.Repeat("[", 100_000)), -32700},
		{">fill 67108865", -32600}, // above 64 MiB
	} {
		script += fmt.Sprintf("%s\n< {\"id\":null,\"error\":{\"code\":%d}}\n", bad.line, bad.code)
		script += fmt.Sprintf(`> {"id":%d,"method":"pillion/mode"}`+"\n"+`< {"id":%d,"result":{"mode":"ask"}}`+"\n", i+1, i+1)
	}
	script += `> {"id":"end","method":"shutdown"}` + "\n" + `< {"id":"end","result":null}` + "\n" + `> {"method":"exit"}` + "\n= exit 0\n= stderr empty\n"
	w.play("bodies", script, nil)
}

// A length that cannot be used ends the process with one line, before anything is allocated for it.
func TestC77_LengthsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 1073741825\r\n\r\n",
		"Content-Length: ten\r\n\r\n", "Content-Length: 0x10\r\n\r\n", "Content-Length: 1 2\r\n\r\n", "Content-Length:\r\n\r\n",
		"Content-Type: x\r\n\r\n{}", "\r\n{}", `{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", strings.Repeat("x", 40_000),
	} {
		t.Run(fmt.Sprintf("%.40q", header), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.project(servers(map[string]entry{"theirs": fake("")}))
			w.play("length", `> {"id":0,"method":"initialize","params":{"capabilities":{}}}`+"\n"+`< {"id":0,"result":"$object"}`+"\n"+
				fmt.Sprintf(">raw %q\n= exit 2\n= stderr \"pillion: \"\n", header), nil)
		})
	}
}
