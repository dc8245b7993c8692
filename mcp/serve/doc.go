// Package serve is Pillion as an MCP server: one client at a time on a stream, or many over HTTP, with all connectors of a host
// behind it, in both eras of the protocol. It decides nothing about calls: every one enters at [host.Host] and passes its gate.
//
// Results, schemas and arguments go through as raw bytes. What a connector says is data, and said to be so; names are made of the
// connectors' names in their files, never of what they call themselves.
package serve
