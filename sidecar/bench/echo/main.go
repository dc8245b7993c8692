// Echo is a connector whose one tool answers with its text, made to be fast: what is measured is the way to it.
// It checks nothing, and it answers calls one after the other.
//
//	echo [-tools N]   lists N tools, all of them the same
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLineBytes bounds a request.
const maxLineBytes = 1 << 20

func main() {
	tools := flag.Int("tools", 1, "`number` of tools that are listed")
	flag.Parse()
	if err := serve(os.Stdin, os.Stdout, *tools); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

// request is as much of a request as is looked at.
type request struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Arguments struct {
			Text jsontext.Value `json:"text"`
		} `json:"arguments"`
	} `json:"params"`
}

// serve answers until in ends.
func serve(in io.Reader, out io.Writer, tools int) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	var answer []byte
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if r.ID == nil {
			continue
		}
		answer = append(append(append(answer[:0], `{"jsonrpc":"2.0","id":`...), r.ID...), ',')
		answer = append(r.answer(answer, tools), "}\n"...)
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// answer appends the member that answers the request.
func (r *request) answer(to []byte, tools int) []byte {
	switch r.Method {
	case "tools/call":
		to = append(to, `"result":{"content":[{"type":"text","text":`...)
		return append(append(to, r.Params.Arguments.Text...), `}]}`...)
	case "initialize":
		return append(to, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"0"}}`...)
	case "tools/list":
		to = append(to, `"result":{"tools":[`...)
		for i := range tools {
			if i > 0 {
				to = append(to, ',')
			}
			to = fmt.Appendf(to, tool, toolName(i))
		}
		return append(to, `]}`...)
	case "ping":
		return append(to, `"result":{}`...)
	}
	return append(to, `"error":{"code":-32601,"message":"method not found"}`...)
}

// toolName is echo, echo1, echo2, …
func toolName(i int) string {
	if i == 0 {
		return "echo"
	}
	return fmt.Sprintf("echo%d", i)
}

// tool is the size of a tool as they are found in the wild: a paragraph, and a schema that describes its members.
const tool = `{"name":%q,"title":"Echo a text","description":"Answers with the text that it is given, unchanged. ` +
	`Use it to find out how long a call takes on its way there and back. The text may hold any characters; ` +
	`nothing is looked up, stored or sent anywhere, and the same text always brings the same answer.",` +
	`"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"The text to answer with."},` +
	`"format":{"type":"string","enum":["plain","markdown"],"description":"What the text is; it is not looked at."},` +
	`"limit":{"type":"integer","minimum":1,"maximum":1000000,"description":"Not used, but of a usual size."}},` +
	`"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
