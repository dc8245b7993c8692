package config

import "github.com/tailscale/hujson"

func newNode(v *hujson.Value, m mapping) *Node {
	n := &Node{Kind: byte(v.Value.Kind()), Span: m.span(spanOf(v))}
	add := func(child *Node) {
		child.Parent = n
		n.Children = append(n.Children, child)
	}
	switch composite := v.Value.(type) {
	case *hujson.Object:
		for i := range composite.Members {
			child := newNode(&composite.Members[i].Value, m)
			child.Key, child.KeySpan = decodeString(composite.Members[i].Name.Value), m.span(spanOf(&composite.Members[i].Name))
			add(child)
		}
	case *hujson.Array:
		for i := range composite.Elements {
			add(newNode(&composite.Elements[i], m))
		}
	default:
		if n.Kind == '"' {
			n.Text = decodeString(v.Value)
		}
	}
	return n
}
