package connector

import "context"

// codeHeaderMismatch is what a server answers whose idea of the headers of a call is another than ours: it did not look at the
// call (MCP 2026-07-28 streamable HTTP).
const codeHeaderMismatch = -32020

// callAgain makes a call again that was refused for its headers, once its tool was listed anew and is the same. One that is
// another by now is told to whoever calls: what was allowed was the tool before (S9).
func (s *session) callAgain(ctx context.Context, r CallRequest, refused CallReply) (CallReply, error) {
	before := s.connector.toolHash(r.Tool)
	s.markChanged(toolList)
	if _, err := s.connector.AwaitTools(ctx, r.Timeout); err != nil {
		return refused, nil
	}
	if s.connector.toolHash(r.Tool) != before {
		refused.IsOutdated = true
		return refused, nil
	}
	r.OnWritten = nil // it has left already, as far as anybody knows
	return s.callOnce(ctx, r)
}

// toolHash is that of a tool as it is listed now; empty where it is not.
func (c *Connector) toolHash(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.catalogue == nil {
		return ""
	}
	for _, tool := range c.catalogue.Tools {
		if tool.Name == name {
			return tool.Hash
		}
	}
	return ""
}
