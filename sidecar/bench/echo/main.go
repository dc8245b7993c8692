// Echo is a connector whose one tool answers with its text, made to be fast: what is measured is the way to it.
// It checks nothing, and it answers calls one after the other.
//
//	echo [-tools N]   lists N tools, all of them the same
//
// A call of the tool "change" makes every tool another one, and says so before it is answered; one of the tool "big" is
// answered with a text of as many bytes as its argument "text" says.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

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
		ProtocolVersion jsontext.Value `json:"protocolVersion"`

		Name      string `json:"name"`
		Arguments struct {
			Text jsontext.Value `json:"text"`
		} `json:"arguments"`
	} `json:"params"`
}

// server is what is kept from one request to the next.
type server struct {
	tools, generation int
	list              []byte // of the tools, as it stands now
}

// serve answers until in ends.
func serve(in io.Reader, out io.Writer, tools int) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	s := &server{tools: tools}
	s.list = s.listed()
	var answer []byte
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if r.ID == nil {
			continue
		}
		answer = answer[:0]
		if r.Method == "tools/call" && r.Params.Name == "change" {
			s.generation++
			s.list = s.listed() // now, so that nobody waits for it who asks
			answer = append(answer, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n"...)
		}
		answer = append(append(append(answer, `{"jsonrpc":"2.0","id":`...), r.ID...), ',')
		answer = append(s.answer(&r, answer), "}\n"...)
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// answer appends the member that answers the request.
func (s *server) answer(r *request, to []byte) []byte {
	switch r.Method {
	case "tools/call":
		to = append(to, `"result":{"content":[{"type":"text","text":`...)
		if r.Params.Name == "big" {
			return append(bigText(to, r.Params.Arguments.Text), `}]}`...)
		}
		return append(append(to, r.Params.Arguments.Text...), `}]}`...)
	case "initialize":
		to = append(append(to, `"result":{"protocolVersion":`...), r.Params.ProtocolVersion...) // whichever it is, this looks alike in it
		return append(to, `,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"echo","version":"0"}}`...)
	case "tools/list":
		return append(append(to, `"result":`...), s.list...)
	case "ping":
		return append(to, `"result":{}`...)
	}
	return append(to, `"error":{"code":-32601,"message":"method not found"}`...)
}

// listed is the result of tools/list.
func (s *server) listed() []byte {
	list := []byte(`{"tools":[`)
	for i := range s.tools {
		if i > 0 {
			list = append(list, ',')
		}
		list = fmt.Appendf(list, tool, toolName(i), s.generation)
	}
	return append(list, `]}`...)
}

// bigText appends a text of as many bytes as another one says.
func bigText(to []byte, size jsontext.Value) []byte {
	var count string
	_ = json.Unmarshal(size, &count) // what is no number is none
	bytes, _ := strconv.Atoi(count)
	const line = `The quick brown fox jumps over the lazy dog, and goes home.\n`
	to = append(slices.Grow(to, bytes+len(line)), '"')
	for ; bytes >= len(line); bytes -= len(line) - 1 {
		to = append(to, line...)
	}
	for ; bytes > 0; bytes-- {
		to = append(to, '.')
	}
	return append(to, '"')
}

// toolName is echo, change, big, echo3, echo4, …
func toolName(i int) string {
	if i < 3 {
		return []string{"echo", "change", "big"}[i]
	}
	return fmt.Sprintf("echo%d", i)
}

// tool is the size of a tool as they are found in the wild: a paragraph, and a schema that describes its members.
const tool = `{"name":%q,"title":"Echo a text","description":"Answers, in its version %d, with the text that it is given, unchanged. ` +
	`Use it to find out how long a call takes on its way there and back. The text may hold any characters; ` +
	`nothing is looked up, stored or sent anywhere, and the same text always brings the same answer.",` +
	`"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"The text to answer with."},` +
	`"format":{"type":"string","enum":["plain","markdown"],"description":"What the text is; it is not looked at."},` +
	`"limit":{"type":"integer","minimum":1,"maximum":1000000,"description":"Not used, but of a usual size."}},` +
	`"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
