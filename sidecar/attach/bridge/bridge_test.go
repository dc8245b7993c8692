package bridge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is one that the test speaks for, line by line.
type server struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// rig is a client, a bridge, and servers that are given to it.
type rig struct {
	t       *testing.T
	client  net.Conn
	in      *bufio.Reader
	servers chan Upstream
	refusal chan error
	ended   chan error
}

func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	mine, its := net.Pipe()
	r := &rig{t: t, client: mine, in: bufio.NewReader(mine), servers: make(chan Upstream, 1), refusal: make(chan error, 1), ended: make(chan error, 1)}
	o := Options{Dial: func(ctx context.Context, _ string) (Upstream, error) {
		select {
		case u := <-r.servers:
			return u, nil
		case err := <-r.refusal:
			return Upstream{}, err
		case <-ctx.Done():
			return Upstream{}, ctx.Err()
		}
	}}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { r.ended <- New(o).Run(ctx, its, its) }()
	t.Cleanup(func() {
		cancel()
		_ = mine.Close()
		<-r.ended
	})
	return r
}

// open gives the bridge a server.
func (r *rig) open(u Upstream) *server {
	r.t.Helper()
	mine, its := net.Pipe()
	u.Stream = its
	r.servers <- u
	s := &server{r.t, mine, bufio.NewReader(mine)}
	r.t.Cleanup(func() { _ = mine.Close() })
	return s
}

func write(t *testing.T, to io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(to, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, in *bufio.Reader, want string) {
	t.Helper()
	got, err := in.ReadString('\n')
	if got = strings.TrimSuffix(got, "\n"); err != nil || got != want {
		t.Fatalf("got  %s, %v\nwant %s", got, err, want)
	}
}

func (r *rig) says(line string)    { r.t.Helper(); write(r.t, r.client, line) }
func (r *rig) hears(want string)   { r.t.Helper(); expect(r.t, r.in, want) }
func (s *server) says(line string) { s.t.Helper(); write(s.t, s.conn, line) }
func (s *server) hears(w string)   { s.t.Helper(); expect(s.t, s.in, w) }
func (s *server) leave()           { _ = s.conn.Close() }

const (
	hello       = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	welcome     = `{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true},"prompts":{}}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list        = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	listed      = `{"jsonrpc":"2.0","id":1,"result":{"tools":[12345678901234567890]}}`
	called      = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"x","_meta":{"progressToken":7}}}`
	isAnother   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// welcomed is a rig whose client has been served.
func welcomed(t *testing.T, u Upstream, change func(*Options)) (*rig, *server) {
	t.Helper()
	r := newRig(t, change)
	s := r.open(u)
	r.says(hello)
	s.hears(hello)
	s.says(welcome)
	r.hears(welcome)
	r.says(initialized)
	s.hears(initialized)
	return r, s
}

// meets has a server be told what the one before was told.
func (s *server) meets(number int) {
	s.t.Helper()
	s.hears(fmt.Sprintf(`{"id":"pillion-bridge-%d","jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, number))
	s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":"pillion-bridge-%d","result":{}}`, number))
	s.hears(initialized)
}

func TestIDsProgressAndCancellationPassThrough(t *testing.T) {
	t.Parallel()
	r, s := welcomed(t, Upstream{}, nil)
	r.says(called)
	s.hears(called)
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.10}}`
	s.says(progress)
	r.hears(progress)
	question := `{"jsonrpc":"2.0","id":"c","method":"roots/list"}`
	s.says(question)
	r.hears(question)
	roots := `{"jsonrpc":"2.0","id":"c","result":{"roots":[]}}`
	r.says(roots)
	s.hears(roots)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`
	r.says(cancel)
	s.hears(cancel)
	answer := `{"jsonrpc":"2.0", "id":"\u0063", "result":{"n":1.0}}`
	s.says(answer)
	r.hears(answer)
	// An answer that nobody waits for is no message for the server, and what is none is for the server to refuse.
	r.says(roots)
	r.says(`{"id":[]}`)
	s.hears(`{"id":[]}`)
	s.says(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`)
	r.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`)
}

func TestU8_TheClientOutlivesItsServer(t *testing.T) {
	t.Parallel()
	r, s := welcomed(t, Upstream{}, nil)
	r.says(list)
	s.hears(list)
	s.says(listed)
	r.hears(listed)
	subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}`
	r.says(subscribe)
	s.hears(subscribe)
	s.says(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	s.leave()
	// Without a server lists and pings are answered, as they were last; what else is wanted waits.
	r.says(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"x":1}}}`)
	r.hears(`{"jsonrpc":"2.0","id":3,"result":{"tools":[12345678901234567890]}}`)
	r.says(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	r.hears(`{"jsonrpc":"2.0","id":4,"result":{}}`)
	r.says(called)
	second := r.open(Upstream{})
	second.meets(1)
	second.hears(`{"id":"pillion-bridge-2","jsonrpc":"2.0","method":"resources/subscribe","params":{"uri":"a:b"}}`)
	second.says(`{"jsonrpc":"2.0","id":"pillion-bridge-2","result":{}}`)
	second.hears(called)
	r.hears(isAnother)
	second.says(`{"jsonrpc":"2.0","id":"c","result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":"c","result":{}}`)
}

func TestU9_WhatWasInFlightEnds(t *testing.T) {
	t.Parallel()
	asking := `{"jsonrpc":"2.0","method":"notifications/pillion/state","params":{"request":"\"c\"","state":"asking"}}`
	running := `{"jsonrpc":"2.0","method":"notifications/pillion/state","params":{"request":"\"c\"","state":"running"}}`
	nothing := "the editor reloaded before you answered; call again. Nothing ran."
	something := "the editor reloaded while the call ran; it may have run: check what it has done before you call it again"
	for name, test := range map[string]struct {
		server  Upstream
		request string
		told    []string
		want    string
	}{
		"a call that is asked about":     {Upstream{IsTelling: true}, called, []string{asking}, nothing},
		"one that nothing is told of":    {Upstream{IsTelling: true}, called, nil, something},
		"one that runs":                  {Upstream{IsTelling: true}, called, []string{asking, running}, something},
		"of a server that tells nothing": {Upstream{}, called, nil, something},
		"a call of the era of today": {Upstream{IsTelling: true},
			`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{asking}, nothing},
		"a prompt": {Upstream{}, `{"jsonrpc":"2.0","id":"c","method":"prompts/get","params":{"name":"x"}}`, nil, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := welcomed(t, test.server, nil)
			r.says(test.request)
			if test.server.IsTelling {
				s.hears(strings.Replace(test.request, `"_meta":{`, `"_meta":{"pillion/request":"\"c\"",`, 1))
			} else {
				s.hears(test.request)
			}
			for _, line := range test.told {
				s.says(line)
			}
			s.leave()
			want := `{"jsonrpc":"2.0","id":"c","result":{"content":[{"type":"text","text":"` + test.want + `"}],"isError":true,"_meta":{"pillion/outcome":"cancelled"}}}`
			if strings.Contains(test.request, "2026") {
				want = strings.Replace(want, `{"content"`, `{"resultType":"complete","content"`, 1)
			}
			if strings.Contains(test.request, "prompts/get") {
				want = `{"jsonrpc":"2.0","id":"c","error":{"code":-32603,"message":"` + test.want + `"}}`
			}
			r.hears(want)
			// The next server hears nothing of it, and no answer of it counts.
			second := r.open(Upstream{})
			second.meets(1)
			r.hears(isAnother)
			second.says(`{"jsonrpc":"2.0","id":"c","result":{}}`)
			second.says(`{"jsonrpc":"2.0","method":"notifications/message"}`)
			r.hears(`{"jsonrpc":"2.0","method":"notifications/message"}`)
		})
	}
}

// TestAnAnswerToAServerThatHasGoneGoesNowhere holds that of two servers that ask under one id, each has its own answer.
func TestAnAnswerToAServerThatHasGoneGoesNowhere(t *testing.T) {
	t.Parallel()
	r, s := welcomed(t, Upstream{}, nil)
	s.says(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	r.hears(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	s.leave()
	second := r.open(Upstream{})
	second.meets(1)
	r.hears(isAnother)
	r.says(`{"jsonrpc":"2.0","id":1,"result":{"roots":["of the first"]}}`)
	r.says(called)
	second.hears(called)
}

func TestU8_ABetterServerIsTakenAtAQuietMoment(t *testing.T) {
	t.Parallel()
	better := make(chan struct{})
	r, s := welcomed(t, Upstream{Better: better}, nil)
	r.says(called)
	s.hears(called)
	close(better)
	second := r.open(Upstream{})
	s.says(`{"jsonrpc":"2.0","id":"c","result":{}}`)
	r.hears(`{"jsonrpc":"2.0","id":"c","result":{}}`)
	second.meets(1)
	r.hears(isAnother)
	if _, err := s.in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the first is not left: %v", err)
	}
}

func TestASubscriptionGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := r.open(Upstream{})
	listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
	listening := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"toolsListChanged":true}}}`
	r.says(listen)
	s.hears(listen)
	s.says(listening)
	r.hears(listening)
	s.leave()
	second := r.open(Upstream{})
	second.hears(listen)
	second.says(listening)
	r.hears(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
}

func TestARefusalIsToldAndNotAskedForAgainSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.says(hello)
		r.refusal <- errors.New("the user says no")
		want := `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"the user says no"}}`
		r.hears(want)
		r.says(hello)
		r.hears(want)
		time.Sleep(refusalTime)
		r.says(hello)
		s := r.open(Upstream{})
		s.hears(hello)
	})
}

// lobbied is a rig with a lobby, each of which the test speaks for.
func lobbied(t *testing.T) (*rig, func() *server) {
	t.Helper()
	lobbies := make(chan *server, 1)
	r := newRig(t, func(o *Options) {
		o.Lobby = func(context.Context) (io.ReadWriteCloser, error) {
			mine, its := net.Pipe()
			lobbies <- &server{t, mine, bufio.NewReader(mine)}
			return its, nil
		}
	})
	return r, func() *server {
		lobby := <-lobbies
		t.Cleanup(lobby.leave)
		return lobby
	}
}

func TestWhatAllServersAnswerAlikeIsAnsweredWhileOneIsFound(t *testing.T) {
	t.Parallel()
	r, entered := lobbied(t)
	r.says(hello)
	lobby := entered()
	lobby.hears(hello)
	lobby.says(welcome)
	r.hears(welcome)
	r.says(called) // is not for the lobby
	r.says(initialized)
	lobby.hears(initialized)
	r.says(list)
	lobby.hears(list)
	lobby.says(listed)
	r.hears(listed)
	s := r.open(Upstream{})
	s.meets(1)
	s.hears(called)
	r.hears(isAnother) // what the lobby listed is not what the server has
}

// A subscription of MCP 2026-07-28 that waited while the lobby answered lists is told that they are others.
func TestAListThatTheLobbyAnsweredIsSaidToBeAnother(t *testing.T) {
	t.Parallel()
	const (
		listen    = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
		listening = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"toolsListChanged":true}}}`
	)
	r, entered := lobbied(t)
	r.says(listen)
	r.says(list)
	lobby := entered()
	lobby.hears(list)
	lobby.says(listed)
	r.hears(listed)
	s := r.open(Upstream{})
	s.hears(listen)
	s.says(listening)
	r.hears(listening)
	r.hears(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
}

func TestACallThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.says(called)
	r.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
	r.says(`{"jsonrpc":"2.0","id":2,"method":"prompts/get"}`)
	s := r.open(Upstream{})
	s.hears(`{"jsonrpc":"2.0","id":2,"method":"prompts/get"}`)
}

// sdkServer serves one tool of a name.
func sdkServer(name string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "by " + name}}}, nil, nil
	})
	return s
}

// TestTheSDKIsServedInBothEras has a real client and real servers.
func TestTheSDKIsServedInBothEras(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			servers := make(chan Upstream)
			mine, its := net.Pipe()
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() {
				ended <- New(Options{Dial: func(ctx context.Context, _ string) (Upstream, error) {
					select {
					case u := <-servers:
						return u, nil
					case <-ctx.Done():
						return Upstream{}, ctx.Err()
					}
				}}).Run(ctx, its, its)
			}()
			t.Cleanup(func() { cancel(); <-ended })
			serve := func(name string) (leave func()) {
				a, b := net.Pipe()
				session, err := sdkServer(name).Connect(ctx, &mcp.IOTransport{Reader: a, Writer: a}, nil)
				if err != nil {
					t.Error(err)
				}
				servers <- Upstream{Stream: b}
				return func() { _ = a.Close(); _ = session.Close() }
			}
			leave := make(chan func(), 1)
			go func() { leave <- serve("first") }()
			changed := make(chan struct{}, 8)
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			session, err := client.Connect(ctx, &mcp.IOTransport{Reader: mine, Writer: mine}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			tools := func() string {
				result, err := session.ListTools(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := json.Marshal(result.Tools[0].Name)
				return string(text)
			}
			if got := tools(); got != `"first"` {
				t.Errorf("listed %s", got)
			}
			(<-leave)()
			go func() { leave <- serve("second") }()
			for tools() != `"second"` { // the first may have told of a change of its own
				<-changed
			}
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "second"})
			if err != nil || result.Content[0].(*mcp.TextContent).Text != "by second" {
				t.Errorf("%v, %v", result, err)
			}
			(<-leave)()
		})
	}
}

func TestARequestIsNamedInPlace(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"id":1,"params":{"name":"x"},"method":"tools/call"}`:                          `{"id":1,"params":{"_meta":{"pillion/request":"1"},"name":"x"},"method":"tools/call"}`,
		`{"method":"tools/call","id":"a","params":{}}`:                                  `{"method":"tools/call","id":"a","params":{"_meta":{"pillion/request":"\"a\""}}}`,
		`{"method":"tools/call","id":1,"params":{"_meta":{ } } }`:                       `{"method":"tools/call","id":1,"params":{"_meta":{"pillion/request":"1" } } }`,
		`{"method":"tools/call","id":1,"params":{"n":1.0,"_meta":{"progressToken":1}}}`: `{"method":"tools/call","id":1,"params":{"n":1.0,"_meta":{"pillion/request":"1","progressToken":1}}}`,
		`{"method":"tools/call","id":1,"params":[]}`:                                    `{"method":"tools/call","id":1,"params":[]}`,
		`{"method":"tools/call","id":1}`:                                                `{"method":"tools/call","id":1}`,
		`{"method":"tools/call","id":1,"params":{"_meta":7}}`:                           `{"method":"tools/call","id":1,"params":{"_meta":{"pillion/request":"1"},"_meta":7}}`,
	} {
		// In the midst of a buffer, as lines are read.
		buffer := []byte("before" + line + "behind")
		in := buffer[6 : 6+len(line)]
		if got := string(withRequest(in, open(in))); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if string(buffer) != "before"+line+"behind" {
			t.Errorf("the line was changed: %s", buffer)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, seed := range []string{hello, welcome, called, `[]`, `{"id":1,"id":2}`, `{"method":"tools/call","id":"\ud800","params":{"_meta":{}}}`, `{"a":`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e := open(line)
		if e.kind != request {
			return
		}
		named := withRequest(line, e)
		if again := open(named); again.method != e.method || string(again.id) != string(e.id) {
			t.Errorf("%s became %s", line, named)
		}
		if other := open(withID(line, quoted("x"))); other.kind != request || other.method != e.method || keyOf(other.id) != `"x` {
			t.Errorf("%s under another id is %+v", line, other)
		}
	})
}
