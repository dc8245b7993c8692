package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxBars     = 64
	barWidth    = 10
	barGap      = 2
	chartHeight = 100
)

type chartValues struct {
	Values []float64 `json:"values,omitempty" jsonschema:"one bar each, at most 64, none negative; left out means an example"`
}

func addChart(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{
		Name:        "chart",
		Title:       "Draw a chart",
		Description: "Draws a bar chart of the values and returns it as a PNG image with a line of text.",
		Annotations: readOnly(),
	}, func(_ context.Context, _ *mcp.CallToolRequest, chart chartValues) (*mcp.CallToolResult, any, error) {
		values := chart.Values
		if len(values) == 0 {
			values = []float64{3, 1, 4, 1, 5, 9, 2, 6}
		}
		highest := 0.0
		for _, value := range values {
			if value < 0 {
				return refusal("A bar cannot be negative, and %v is.", value), nil, nil
			}
			highest = max(highest, value)
		}
		if len(values) > maxBars {
			return refusal("At most %d bars fit, and there are %d values.", maxBars, len(values)), nil, nil
		}
		picture, err := draw(values, highest)
		if err != nil {
			return nil, nil, fmt.Errorf("draw chart: %w", err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{
			text("A bar chart of %d values, the highest is %v.", len(values), highest),
			&mcp.ImageContent{Data: picture, MIMEType: "image/png"},
		}}, nil, nil
	})
}

// draw returns the same bytes for the same values.
func draw(values []float64, highest float64) ([]byte, error) {
	background, bar := color.White, color.RGBA{R: 0x2f, G: 0x6f, B: 0xb5, A: 0xff}
	width := len(values)*(barWidth+barGap) + barGap
	picture := image.NewPaletted(image.Rect(0, 0, width, chartHeight), color.Palette{background, bar})
	for i, value := range values {
		height := 0
		if highest > 0 {
			height = int(value / highest * (chartHeight - barGap))
		}
		left := barGap + i*(barWidth+barGap)
		for x := left; x < left+barWidth; x++ {
			for y := chartHeight - height; y < chartHeight; y++ {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var buffer bytes.Buffer
	err := png.Encode(&buffer, picture)
	return buffer.Bytes(), err
}
