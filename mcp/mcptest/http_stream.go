package mcptest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// reply sends what belongs to a request: as JSON, or where more than the reply comes, or the mode wants it, as a stream.
func (h *HTTP) reply(w http.ResponseWriter, r *http.Request, p *posted) {
	o := h.mode()
	if p.method == "initialize" {
		h.agree(w)
	}
	if o.has("resume") && p.method == "tools/call" {
		h.suspend(w, r, p)
		return
	}
	line, isOver := h.await(r, p)
	isLast := isOver
	if !isOver {
		h.mu.Lock()
		isLast = h.waiting[p.id] != p && len(p.lines) == 0
		h.mu.Unlock()
	}
	if isLast && !o.has("sse") {
		h.sendJSON(w, r, p, line)
		return
	}
	stream := h.begin(w)
	for {
		stream.send(line)
		if line, isOver = h.await(r, p); isOver {
			stream.end()
			return
		}
	}
}

// agree notes what was agreed on with initialize.
func (h *HTTP) agree(w http.ResponseWriter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = h.fake.mode()["version"]
	if h.version == "" {
		h.version = legacyVersion
	}
	if h.fake.mode().has("session") || h.fake.mode().has("session400") {
		h.sessions++
		h.session = fmt.Sprintf("session-%d", h.sessions)
		w.Header().Set("Mcp-Session-Id", h.session)
	}
}

// await waits for the next line; isOver says that there is none.
func (h *HTTP) await(r *http.Request, p *posted) (line []byte, isOver bool) {
	select {
	case line, ok := <-p.lines:
		return line, !ok
	default:
	}
	select {
	case line, ok := <-p.lines:
		return line, !ok
	case <-r.Context().Done():
	case <-h.dead:
	}
	panic(http.ErrAbortHandler)
}

func (h *HTTP) sendJSON(w http.ResponseWriter, r *http.Request, p *posted, line []byte) {
	o := h.mode()
	kind := "application/json"
	if want := o.value("type", p.method); want != "" {
		kind = want
	}
	w.Header().Set("Content-Type", kind)
	if kind == "none" {
		w.Header()["Content-Type"] = nil
	}
	switch {
	case o.concerns("half", p.method):
		w.Header().Set("Content-Length", fmt.Sprint(len(line)))
		_, _ = w.Write(line[:len(line)/2])
		flush(w)
		panic(http.ErrAbortHandler)
	case o.concerns("loris", p.method):
		for i := range line {
			_, _ = w.Write(line[i : i+1])
			flush(w)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		}
	default:
		_, _ = w.Write(line)
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// eventWriter writes an event stream as the mode wants it.
type eventWriter struct {
	w       http.ResponseWriter
	style   string
	isBegun bool
}

func (h *HTTP) begin(w http.ResponseWriter) *eventWriter {
	style := h.mode()["style"]
	kind := "text/event-stream"
	if style == "charset" {
		kind = "text/event-stream; charset=UTF-8"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	flush(w)
	return &eventWriter{w: w, style: style}
}

func (e *eventWriter) send(line []byte) { e.event("", string(line)) }

// event writes one event; fields are lines before its data.
func (e *eventWriter) event(fields, data string) {
	text := fields + "data: " + data + "\n\n"
	switch e.style {
	case "twolines":
		if i := strings.Index(data, `,"`); i > 0 {
			text = fields + "data: " + data[:i+1] + "\ndata: " + data[i+1:] + "\n\n"
		}
	case "comments":
		text = ": hello\n:\nunknown: field\n" + text
	case "bare":
		text = "data\n\n" + fields + "data:" + data + "\n\n"
	case "bom":
		if !e.isBegun {
			text = "\ufeff" + text
		}
	case "unended":
		text = strings.TrimSuffix(text, "\n")
	case "cr":
		text = strings.ReplaceAll(text, "\n", "\r")
	case "crlf", "split":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	e.isBegun = true
	if e.style == "split" {
		for part := range strings.SplitAfterSeq(text, "\r") {
			_, _ = e.w.Write([]byte(part))
			flush(e.w)
		}
		return
	}
	_, _ = e.w.Write([]byte(text))
	flush(e.w)
}

func (e *eventWriter) end() { flush(e.w) }

// comments sends comments without end.
func (h *HTTP) comments(w http.ResponseWriter, r *http.Request) {
	stream := h.begin(w)
	for {
		if _, err := fmt.Fprintf(stream.w, ": %s\n\n", strings.Repeat("x", 1000)); err != nil {
			panic(http.ErrAbortHandler)
		}
		flush(stream.w)
		select {
		case <-time.After(time.Millisecond):
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-h.dead:
			panic(http.ErrAbortHandler)
		}
	}
}

// suspend begins the answer to a call and leaves the rest to a resumption (C55).
func (h *HTTP) suspend(w http.ResponseWriter, r *http.Request, p *posted) {
	stream := h.begin(w)
	_, _ = fmt.Fprint(w, "id: e1\nretry: 200\ndata:\n\n")
	stream.end()
	line, _ := h.await(r, p)
	h.mu.Lock()
	h.pending = line
	h.mu.Unlock()
}

// get answers a GET.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	o := h.mode()
	switch {
	case r.Header.Get("Last-Event-ID") != "" && o.has("resume"):
		h.resume(w)
	case o.has("oldsse"):
		h.old(w, r)
	case o.has("gethang"):
		h.hang(r)
	case o.has("getdrop"):
		h.begin(w)
	case o.has("getstream"):
		h.keep(w, r, "")
	case o["get"] != "":
		h.refuse(w, o["get"])
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (h *HTTP) resume(w http.ResponseWriter) {
	h.mu.Lock()
	h.resumed++
	line := h.pending
	isTime := h.resumed >= h.fake.mode().number("resume")
	h.mu.Unlock()
	stream := h.begin(w)
	if isTime && line != nil {
		stream.send(line)
	}
}

// keep sends by a stream what the fake says of its own accord, after the endpoint, where there is one to name.
func (h *HTTP) keep(w http.ResponseWriter, r *http.Request, endpoint string) {
	lines := make(chan []byte, 1000)
	h.mu.Lock()
	h.streams = append(h.streams, lines)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for i, other := range h.streams {
			if other == lines {
				h.streams = append(h.streams[:i:i], h.streams[i+1:]...)
				return
			}
		}
	}()
	stream := h.begin(w)
	if endpoint != "" {
		stream.event("event: endpoint\n", endpoint)
	}
	for {
		select {
		case line := <-lines:
			stream.event("event: message\n", string(line))
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-h.dead:
			panic(http.ErrAbortHandler)
		}
	}
}

// old is the one stream of the older transport.
func (h *HTTP) old(w http.ResponseWriter, r *http.Request) {
	h.keep(w, r, h.mode()["oldsse"]+"/post?id=1")
}
