package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxCount = 1000
	maxDelay = 10 * time.Second
)

type countTo struct {
	To      int  `json:"to" jsonschema:"where to stop, 1 to 1000"`
	DelayMs *int `json:"delayMs,omitempty" jsonschema:"milliseconds before each number, 0 to 10000; 200 when left out"`
}

func addSlowCount(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{
		Name:        "slow_count",
		Title:       "Count slowly",
		Description: "Counts from 1 to a number, with a pause before each. It reports its progress and can be cancelled.",
		Annotations: readOnly(),
	}, func(ctx context.Context, request *mcp.CallToolRequest, count countTo) (*mcp.CallToolResult, any, error) {
		delay := 200 * time.Millisecond
		if count.DelayMs != nil {
			delay = time.Duration(*count.DelayMs) * time.Millisecond
		}
		if count.To < 1 || count.To > maxCount || delay < 0 || delay > maxDelay {
			return refusal("The number must be 1 to %d and the delay 0 to %d ms.", maxCount, maxDelay.Milliseconds()), nil, nil
		}
		for i := 1; i <= count.To; i++ {
			select {
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			case <-time.After(delay):
			}
			if err := reportCount(ctx, request, i, count.To); err != nil {
				return nil, nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("Counted to %d.", count.To)}}, nil, nil
	})
}

// reportCount tells the progress, if the caller gave a token to tell it with.
func reportCount(ctx context.Context, request *mcp.CallToolRequest, i, to int) error {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token,
		Progress:      float64(i),
		Total:         float64(to),
		Message:       fmt.Sprintf("counted %d of %d", i, to),
	})
}
