package native

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type picture struct {
	Target   string `json:"target,omitempty" jsonschema:"a ref of the last snapshot; only that element is in the picture"`
	Element  string `json:"element,omitempty" jsonschema:"what the element is, in words, for a person who reads along"`
	FullPage bool   `json:"fullPage,omitempty" jsonschema:"the whole page rather than what the tab shows"`
	Scale    string `json:"scale,omitempty" jsonschema:"css or device, which are the same here"`
	Type     string `json:"type,omitempty" jsonschema:"png or jpeg; png when left out"`
}

const (
	maxPixels       = 50e6
	maxSide         = 16384
	maxPictureBytes = 4 << 20 // above that a PNG becomes a JPEG
)

func takeScreenshot(ctx context.Context, c *call, in picture) error {
	format := page.CaptureScreenshotFormat(in.Type)
	switch in.Type {
	case "":
		format = page.CaptureScreenshotFormatPng
	case "png", "jpeg":
	default:
		return refuseAct("The type is png or jpeg, not %s.", quote(bounded(in.Type, 40)))
	}
	return c.look(ctx, c.d.o.Patience.Navigation, func(ctx context.Context) error { return c.picture(ctx, in, format) })
}

func (c *call) picture(ctx context.Context, in picture, format page.CaptureScreenshotFormat) error {
	params := page.CaptureScreenshotParams{Format: format}
	if in.Target != "" || in.FullPage {
		clip, err := c.clip(ctx, in)
		if err != nil {
			return err
		}
		params.Clip, params.CaptureBeyondViewport = clip, new(true)
	}
	taken, err := cdp.Call(ctx, c.tab.session, page.CaptureScreenshot, params)
	if err != nil {
		return err
	}
	if len(taken.Data) > maxPictureBytes && format == page.CaptureScreenshotFormatPng {
		format = page.CaptureScreenshotFormatJpeg
		params.Format, params.Quality = format, new(int64(70))
		if taken, err = cdp.Call(ctx, c.tab.session, page.CaptureScreenshot, params); err != nil {
			return err
		}
		c.say("The picture is a JPEG: as a PNG it would have more than %s.", size(maxPictureBytes))
	}
	c.say("A picture of %s.", size(len(taken.Data)))
	c.pictures = append(c.pictures, &mcp.ImageContent{Data: taken.Data, MIMEType: "image/" + string(format)})
	return nil
}

// clip is what of the page is in the picture, in CSS pixels of the whole page.
func (c *call) clip(ctx context.Context, in picture) (*page.Viewport, error) {
	metrics, err := cdp.Call(ctx, c.tab.session, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if in.Target == "" {
		whole := metrics.CSSContentSize
		clip := &page.Viewport{Width: min(whole.Width, maxSide), Height: min(whole.Height, maxSide), Scale: 1}
		if clip.Width*clip.Height > maxPixels {
			clip.Height = maxPixels / clip.Width
		}
		if clip.Height < whole.Height || clip.Width < whole.Width {
			c.say("The page is %.0f by %.0f pixels; the picture ends at %.0f by %.0f.", whole.Width, whole.Height, clip.Width, clip.Height)
		}
		return clip, nil
	}
	e, err := c.d.element(ctx, c.tab, in.Target)
	if err != nil {
		return nil, err
	}
	session := c.d.browser.Session(e.session)
	if _, err := cdp.Call(ctx, session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: e.node}); err != nil {
		return nil, whyNot(err, e)
	}
	box, err := cdp.Call(ctx, session, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: e.node})
	if err != nil {
		return nil, whyNot(err, e)
	}
	if box.Model == nil || len(box.Model.Border) != 8 || area(box.Model.Border) < 1 {
		return nil, refuseAct("%s is not visible.", e.label)
	}
	at, err := c.d.inPage(ctx, c.tab, e, point{box.Model.Border[0], box.Model.Border[1]})
	if err != nil {
		return nil, err
	}
	if metrics, err = cdp.Call(ctx, c.tab.session, page.GetLayoutMetrics, cdp.Empty{}); err != nil {
		return nil, err
	}
	view := metrics.CSSVisualViewport
	return &page.Viewport{
		X: at.x + view.PageX, Y: at.y + view.PageY, Scale: 1,
		Width: min(float64(box.Model.Width), maxSide), Height: min(float64(box.Model.Height), maxSide),
	}, nil
}
