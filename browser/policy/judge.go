package policy

import "strings"

// Zone is what a document has become by where it came from. A document that has been public stays so.
type Zone int

const (
	Unknown Zone = iota // counts as public
	Inside              // from this machine, or from nobody: an empty page that the agent opened
	Outside             // from a public place, or made by a document from there
)

// By is who wants a request made.
type By int

const (
	Page  By = iota // a page, by a link, a redirect, a script or whatever else
	Agent           // the agent, by naming the URL
)

// Request is one that a browser wants to make.
type Request struct {
	URL      string
	By       By
	From     Zone   // of the document that wants it; of no matter when By is Agent
	Top      Origin // of the page that the user sees it in
	Document bool   // it would become a page of its own, rather than a part of one
}

// Allowed is what holds for the session. It is not safe for concurrent use. The zero value allows loopback alone.
type Allowed struct {
	origins map[Origin]bool
	parts   map[Origin]bool
}

// Allow lets the session reach the origin.
func (a *Allowed) Allow(o Origin) {
	if a.origins == nil {
		a.origins = map[Origin]bool{}
	}
	a.origins[o] = true
}

// AllowParts lets the pages of the origin load their parts from every public place.
func (a *Allowed) AllowParts(o Origin) {
	if a.parts == nil {
		a.parts = map[Origin]bool{}
	}
	a.parts[o] = true
}

// Has reports whether the origin was allowed.
func (a *Allowed) Has(o Origin) bool { return a.origins[o] }

// Verdict is what becomes of a request.
type Verdict int

const (
	Refuse Verdict = iota
	Ask
	Pass
)

func (v Verdict) String() string { return [...]string{"refuse", "ask", "pass"}[v] }

// Reason says why, as a clause about the request; "" for what passes.
type Reason string

const (
	NotClear     Reason = "where it leads is not clear"
	NotWeb       Reason = "it is neither http nor https"
	NotReachable Reason = "it leads to a private, link-local or reserved address, which pages never reach"
	FromPublic   Reason = "a public page never reaches this machine"
	NewOrigin    Reason = "nobody was asked about its origin yet"
	NewPart      Reason = "its origin was not allowed in this session"
)

// Judge decides about a request before anything of it is sent, not even the look-up of its name.
func Judge(r Request, a *Allowed) (Verdict, Reason) {
	scheme, _, ok := strings.Cut(r.URL, ":")
	if !ok {
		return Refuse, NotClear
	}
	switch strings.ToLower(scheme) {
	case "data", "blob", "about":
		return Pass, "" // nothing leaves the browser
	case "http", "https", "ws", "wss":
	default:
		return Refuse, NotWeb
	}
	origin, err := OriginOf(r.URL)
	if err != nil {
		return Refuse, NotClear
	}
	switch origin.Place() {
	case Loopback:
		if r.By == Page && r.From != Inside {
			return Refuse, FromPublic
		}
		return Pass, ""
	case Public:
		return judgePublic(r, origin, a)
	}
	return Refuse, NotReachable
}

func judgePublic(r Request, origin Origin, a *Allowed) (Verdict, Reason) {
	switch {
	case a.origins[origin]:
		return Pass, ""
	case r.Document:
		return Ask, NewOrigin
	case a.parts[r.Top]:
		return Pass, ""
	}
	return Refuse, NewPart
}

// ZoneOf is what a document of this URL becomes, made by a document of the zone by. One without a place of its own, such as
// about:blank or a blob, is what its maker is.
func ZoneOf(url string, by Zone) Zone {
	origin, err := OriginOf(url)
	switch {
	case err != nil:
		return by
	case origin.Place() == Loopback:
		return Inside
	}
	return Outside
}
