package connector

import (
	"context"
	"testing"

	"pillion/mcp/mcptest"
)

func TestSuite(t *testing.T) {
	for _, era := range []string{"", ",modern"} {
		t.Run("stdio"+era, func(t *testing.T) {
			t.Parallel()
			mcptest.Suite(t, func(t *testing.T, mode string, env ...string) (mcptest.Subject, error) {
				f := fake(t, mode+era, environment(env...))
				if err := f.Start(t.Context()); err != nil {
					return nil, err
				}
				return subject{f}, nil
			})
		})
	}
}

func TestSuite_HTTP(t *testing.T) {
	for _, kind := range []string{"", ",sse,session,strictversion,getstream", ",modern", ",modern,sse", ",oldsse"} {
		t.Run("http"+kind, func(t *testing.T) {
			t.Parallel()
			mcptest.Suite(t, func(t *testing.T, mode string, env ...string) (mcptest.Subject, error) {
				f := remoteFake(t, mcptest.NewHTTP(t, mode+kind, env...))
				if err := f.Start(t.Context()); err != nil {
					return nil, err
				}
				return subject{f.fixture}, nil
			})
		})
	}
}

// subject is the connector as the suite drives it.
type subject struct{ *fixture }

func (s subject) Tools() []string {
	var names []string
	for _, tool := range s.Status().Catalogue.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func (s subject) Call(ctx context.Context, tool, arguments string, onProgress func(float64)) (string, error) {
	r := CallRequest{Tool: tool, Arguments: []byte(arguments)}
	if onProgress != nil {
		r.OnProgress = func(p Progress) { onProgress(p.Progress) }
	}
	reply, err := s.Connector.Call(ctx, r)
	if err == nil && reply.ProtocolError != nil {
		return "", reply.ProtocolError
	}
	return string(reply.Result), err
}

func (s subject) Close() { s.Stop(context.Background()) }
