package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"pillion/editors"
	"pillion/mcp/state"
	"pillion/rpc/message"
)

// offerTime is how long the answers in a review document are good for (S18).
const offerTime = 10 * time.Minute

// documentSuffix is what set-ups recognise Pillion's own documents by.
const documentSuffix = ".pillion"

// shownDocuments are the documents that Pillion wrote for the editor to show.
type shownDocuments struct {
	mu      sync.Mutex
	reviews map[string]*shownReview // by path
	calls   map[string]string       // tool id by the path of its arguments document
	rules   map[string]string       // rule id by the path of the outcome that it let come
	names   map[[2]string]string    // by what a document is and what it is about
}

// name is the name of the document of a kind about something, the same every time. It is short because people type it where
// an editor opens no document for them.
func (d *shownDocuments) name(kind, about string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := [2]string{kind, about}
	if d.names == nil {
		d.names = map[[2]string]string{}
	}
	if d.names[key] == "" {
		d.names[key] = kind + "-" + strconv.Itoa(len(d.names)+1)
	}
	return d.names[key]
}

type shownReview struct {
	ask    message.Ask
	hash   string // of the text that was shown
	at     time.Time
	isUsed bool
}

const howToAnswer = "Answer where your editor asks, with a code action of this document where your editor offers one, or in a terminal: pillion pending, pillion answer."

// review writes the document that shows a question whole, and returns its path; empty for a kind that is not shown in one.
func (d *shownDocuments) review(s *Session, ask message.Ask) string {
	text := editors.ReviewText(ask, howToAnswer)
	if text == "" {
		return ""
	}
	path, err := s.writeDocument(d.name("review", string(ask.AskID)), text)
	if err != nil {
		s.log.Error("review document not written", "error", err)
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reviews == nil {
		d.reviews = map[string]*shownReview{}
	}
	d.reviews[path] = &shownReview{ask: ask, hash: hex.EncodeToString(sum[:]), at: time.Now()}
	return path
}

// writeDocument puts a text into the session's own folder, where it ends with the session.
func (s *Session) writeDocument(name, text string) (string, error) {
	path := s.documentPath(name)
	return path, state.WriteFile(path, []byte(text), 0o600)
}

func (s *Session) documentPath(name string) string {
	return filepath.Join(s.core.Results, name+documentSuffix)
}

// at returns the review that a path shows, if its answers are still good.
func (d *shownDocuments) at(path string) (shownReview, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.reviews[path]
	if r == nil || r.isUsed || time.Since(r.at) > offerTime {
		return shownReview{}, false
	}
	return *r, true
}

// claim uses up the answers of the document that showed a question; it returns why they are not good, or nothing.
func (d *shownDocuments) claim(id message.AskID, hash string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.reviews {
		if r.ask.AskID != id || r.hash != hash {
			continue
		}
		switch {
		case r.isUsed:
			return "this document was answered already; review again"
		case time.Since(r.at) > offerTime:
			return "this document is older than ten minutes; review again"
		}
		r.isUsed = true
		return ""
	}
	return "the question was not shown in a document; review it first"
}

// giveBack makes the answers good again that an answer used up which was not taken.
func (d *shownDocuments) giveBack(id message.AskID, hash string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.reviews {
		if r.ask.AskID == id && r.hash == hash {
			r.isUsed = false
		}
	}
}

// forget drops the documents of a question that ended.
func (d *shownDocuments) forget(id message.AskID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, r := range d.reviews {
		if r.ask.AskID == id {
			delete(d.reviews, path)
		}
	}
}

// arguments remembers which tool the arguments in a document are for.
func (d *shownDocuments) arguments(path, tool string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls == nil {
		d.calls = map[string]string{}
	}
	d.calls[path] = tool
}

// argumentsAt is the tool that the arguments in a document are for.
func (d *shownDocuments) argumentsAt(path string) (tool string, isShown bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	tool, isShown = d.calls[path]
	return tool, isShown
}

// rule remembers which rule let the call run whose outcome a document shows.
func (d *shownDocuments) rule(path, id string) {
	if id == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rules == nil {
		d.rules = map[string]string{}
	}
	d.rules[path] = id
}

// ruleAt is the rule that let the call run whose outcome a document shows.
func (d *shownDocuments) ruleAt(path string) (id string, isShown bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, isShown = d.rules[path]
	return id, isShown
}
