package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

type tabChoice struct {
	Action string `json:"action" jsonschema:"list, new, select or close"`
	Index  int    `json:"index,omitempty" jsonschema:"the number of the tab, as listed, for select and close; close without it closes the current one"`
	URL    string `json:"url,omitempty" jsonschema:"where a new tab goes to"`
}

func tabs(ctx context.Context, c *call, in tabChoice) error {
	switch in.Action {
	case "list":
	case "new":
		opened, err := c.d.newTab(ctx)
		if err != nil {
			return err
		}
		c.tab = opened
		if in.URL != "" {
			if err := c.choose(ctx); err != nil {
				return err
			}
			return navigate(ctx, c, destination{URL: in.URL})
		}
	case "select":
		found := c.d.tabNumbered(in.Index)
		if found == nil {
			return refuseAct("There is no tab %d. %s", in.Index, c.d.listed())
		}
		c.d.mu.Lock()
		c.d.current = found
		c.d.mu.Unlock()
		c.shows = true
		return c.choose(ctx)
	case "close":
		if err := closeTab(ctx, c, in.Index); err != nil {
			return err
		}
	default:
		return refuseAct("The action is list, new, select or close, not %s.", quote(bounded(in.Action, 40)))
	}
	c.tab = nil
	c.d.readTitles(ctx)
	c.pageText = append(c.pageText, c.d.listed())
	return nil
}

func closeTab(ctx context.Context, c *call, index int) error {
	found := c.tab
	if index != 0 {
		found = c.d.tabNumbered(index)
	}
	if found == nil {
		return refuseAct("There is no tab %d. %s", index, c.d.listed())
	}
	return c.look(ctx, c.d.o.Patience.Navigation, func(ctx context.Context) error {
		if _, err := cdp.Call(ctx, c.d.browser.Conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: found.target}); err != nil {
			return err
		}
		return c.d.await(ctx, func() bool { return found.isClosed })
	})
}

func (d *driver) tabNumbered(id int) *tab {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.tabs {
		if t.id == id {
			return t
		}
	}
	return nil
}

// readTitles asks every page what it is called; one that does not answer at once keeps the name that it had.
func (d *driver) readTitles(ctx context.Context) {
	d.mu.Lock()
	all := slices.Clone(d.tabs)
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, t := range all {
		var title string
		if err := inPage(ctx, t.session, "document.title", &title); err == nil {
			d.mu.Lock()
			t.title = title
			d.mu.Unlock()
		}
	}
}

// listed is the list of the tabs.
func (d *driver) listed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tabs) == 0 {
		return "There are no tabs."
	}
	text := ""
	for i, t := range d.tabs {
		if i > 0 {
			text += "\n"
		}
		current := ""
		if t == d.current {
			current = " (current)"
		}
		text += fmt.Sprintf("- tab %d%s: %s, titled %s", t.id, current, quote(bounded(d.shownURL(t), 500)), quote(bounded(t.title, 200)))
	}
	return text
}

func closeBrowser(_ context.Context, c *call, _ nothing) error {
	if c.d.browser == nil {
		c.say("There is no browser.")
		return nil
	}
	c.d.stop()
	c.tab = nil
	c.say("The browser has ended.")
	return nil
}
