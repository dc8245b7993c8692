package native

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

type consoleQuery struct {
	Level string `json:"level,omitempty" jsonschema:"the least grave level that is returned: error, warning, info or debug; info when left out"`
	From  int    `json:"from,omitempty" jsonschema:"the number of the entry to begin with; by default the last ones are returned"`
}

const lookBytes = 24 << 10

func consoleMessages(_ context.Context, c *call, in consoleQuery) error {
	level := in.Level
	if level == "" {
		level = "info"
	}
	if !contains(levels(), level) {
		return refuseAct("The level is error, warning, info or debug, not %s.", quote(bounded(in.Level, 40)))
	}
	if c.tab == nil {
		c.say("There is no page yet.")
		return nil
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	var lines []string
	for _, entry := range c.tab.console.kept {
		if entry.reaches(level) && entry.number >= in.From {
			lines = append(lines, entry.line())
		}
	}
	c.list(lines, in.From > 0, "entries of the console", c.tab.console.first()-1)
	return nil
}

func contains(all []string, one string) bool {
	for _, other := range all {
		if other == one {
			return true
		}
	}
	return false
}

// list shows lines as far as they fit: the first of them, or where nobody said from where, the last. dropped were there once.
func (c *call) list(lines []string, isFirst bool, of string, dropped int) {
	bytes, n := 0, 0
	for n < len(lines) {
		next := lines[n]
		if !isFirst {
			next = lines[len(lines)-1-n]
		}
		if bytes += len(next) + 1; bytes > lookBytes && n > 0 {
			break
		}
		n++
	}
	shown := lines[:n]
	if !isFirst {
		shown = lines[len(lines)-n:]
	}
	switch {
	case len(lines) == 0:
		c.say("There are no such %s.", of)
	case n == len(lines):
		c.say("%d %s:", n, of)
	case isFirst:
		c.say("The first %d of %d %s; call again with a higher from for those that follow:", n, len(lines), of)
	default:
		c.say("The last %d of %d %s; call again with from for earlier ones:", n, len(lines), of)
	}
	if dropped > 0 {
		c.say("(%d older ones were not kept.)", dropped)
	}
	c.pageText = append(c.pageText, shown...)
}

type networkQuery struct {
	Filter string `json:"filter,omitempty" jsonschema:"only requests whose URL holds this text"`
	Static bool   `json:"static,omitempty" jsonschema:"also pictures, fonts, styles and scripts that loaded well"`
	Failed bool   `json:"failed,omitempty" jsonschema:"only requests that failed, were refused, or were answered by a status of 400 and above"`
	From   int    `json:"from,omitempty" jsonschema:"the number of the request to begin with; by default the last ones are returned"`
}

func networkRequests(_ context.Context, c *call, in networkQuery) error {
	if c.tab == nil {
		c.say("There is no page yet.")
		return nil
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	var lines []string
	for _, entry := range c.tab.network.kept {
		if entry.number >= in.From && (!in.Failed || entry.isFault()) && (in.Static || !entry.isStatic()) && strings.Contains(entry.url, in.Filter) {
			lines = append(lines, entry.line())
		}
	}
	c.list(lines, in.From > 0, "requests", c.tab.network.first()-1)
	return nil
}

type answerQuery struct {
	Number int `json:"number" jsonschema:"the number of the request in browser_network_requests"`
	Offset int `json:"offset,omitempty" jsonschema:"the byte to begin with, where an earlier answer did not fit"`
}

func networkRequest(ctx context.Context, c *call, in answerQuery) error {
	c.d.mu.Lock()
	var found *networkEntry
	for _, entry := range c.tab.network.kept {
		if entry.number == in.Number {
			found = entry
		}
	}
	line := ""
	if found != nil {
		line = found.line()
	}
	c.d.mu.Unlock()
	if found == nil {
		return refuseAct("There is no request %d in this tab.", in.Number)
	}
	var body network.GetResponseBodyResult
	err := c.look(ctx, 2*c.d.o.Patience.Action, func(ctx context.Context) (err error) {
		body, err = cdp.Call(ctx, found.session, network.GetResponseBody, network.GetResponseBodyParams{RequestID: found.id})
		return err
	})
	c.pageText = append(c.pageText, line)
	var slow *actError
	switch {
	case errors.As(err, &slow):
		return err
	case err != nil:
		c.say("What was answered is not to be had: there was nothing, it is still coming, or the browser did not keep it.")
		return nil
	}
	c.showBody(body, in.Offset)
	return nil
}

func (c *call) showBody(body network.GetResponseBodyResult, offset int) {
	if body.Base64encoded {
		c.say("It was answered by %s that are no text.", size(len(body.Body)))
		c.pageText = append(c.pageText, "base64 of the beginning: "+base64.StdEncoding.EncodeToString(body.Body[:min(len(body.Body), 64)]))
		return
	}
	text := string(body.Body)
	if offset < 0 || offset > len(text) {
		c.say("The answer has %d bytes.", len(text))
		return
	}
	shown := strings.ToValidUTF8(text[offset:min(len(text), offset+lookBytes)], "")
	c.say("It was answered by %s:", size(len(text)))
	if end := offset + lookBytes; end < len(text) {
		c.say("(Bytes %d to %d are shown; call again with offset %d for more.)", offset, end, end)
	}
	c.pageText = append(c.pageText, visible(shown))
}
