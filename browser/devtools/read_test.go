package devtools

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
)

func TestShortener_LeavesJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"a":"12345678","b":[1234567890]}`, `{"a":"1234","b":[1234567890]}`},
		{`{"a":"123\"5678"}`, `{"a":"123\""}`},
		{`{"a":"123\u00e95678"}`, `{"a":"123\u00e9"}`},
		{`{"a":"12345\"\\","b":"\\"}`, `{"a":"1234","b":"\\"}`},
		{`{"a":"12345\u0022","b":""}`, `{"a":"1234","b":""}`},
	} {
		for size := range len(test.text) {
			s, got := shortener{limit: 4}, []byte(nil)
			for rest := test.text; rest != ""; {
				n := min(size+1, len(rest))
				got = s.add(got, []byte(rest[:n]))
				rest = rest[n:]
			}
			if string(got) != test.want || !json.Valid(got) {
				t.Fatalf("%s in parts of %d: %s, want %s", test.text, size+1, got, test.want)
			}
		}
	}
}

// A page that uploads much does not end the browser, and what it uploads is let through as any other request.
func TestS27_AnUploadOfAPageDoesNotEndTheConnection(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("\x00", 2*maxPageStringBytes)
	text := `{"method":"Fetch.requestPaused","params":{"requestId":"i-1","request":{"url":"http://127.0.0.1/","postData":"` +
		strings.Repeat(`\u0000`, len(body)) + `","postDataEntries":[{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}]}},"sessionId":"s"}`
	in := bufio.NewReader(strings.NewReader(text + "\x00{\"id\":1}\x00"))
	read, err := readMessage(in, 3*maxPageStringBytes)
	if err != nil {
		t.Fatal(err)
	}
	var m message
	var paused fetch.EventRequestPaused
	if err := jsonv2.Unmarshal(read, &m, lenient()); err != nil || m.Session != "s" {
		t.Fatalf("%q, %v", m.Session, err)
	}
	if err := jsonv2.Unmarshal(m.Params, &paused, lenient()); err != nil || paused.RequestID != "i-1" || paused.Request.URL != "http://127.0.0.1/" {
		t.Errorf("%q, %v", paused.RequestID, err)
	}
	if next, err := readMessage(in, 100); err != nil || string(next) != `{"id":1}` {
		t.Errorf("%q, %v", next, err)
	}
}
