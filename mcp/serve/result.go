package serve

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

const (
	metaMember       = "_meta"
	resultTypeMember = "resultType"
	// ownPrefix begins the names of what Pillion itself says in the _meta of a result.
	ownPrefix = "pillion/"
	// outcomeKey is where a result says that nothing of a connector is in it, and why.
	outcomeKey = ownPrefix + "outcome"
	// sourceKey is where a result says whose it is: data of that connector.
	sourceKey = ownPrefix + "connector"
)

// raw is a result as it is sent.
type raw struct {
	mcp.ResultBase
	body []byte
}

// MarshalJSON returns the bytes as they are.
func (r *raw) MarshalJSON() ([]byte, error) { return r.body, nil }

// saidBy are the members of a connector's result, each name once: the last one stands, as most readers have it, so that what is put
// to one is put to what is read. In its _meta nothing is left that only Pillion says (S17).
func saidBy(result []byte) ([]member, error) {
	all, err := membersOf(result)
	if err != nil {
		return nil, err
	}
	all = lastOfEach(all)
	for i, m := range all {
		if m.name != metaMember {
			continue
		}
		all[i].value = objectOf(metaOf(m.value)...)
	}
	return all, nil
}

// metaOf are the members of a connector's _meta without those that only Pillion says (S17); none of what is no object.
func metaOf(value jsontext.Value) []member {
	meta, _ := membersOf(value)
	return slices.DeleteFunc(lastOfEach(meta), func(m member) bool { return strings.HasPrefix(m.name, ownPrefix) })
}

// listedMeta is the _meta of an entry of a list as it is passed on. Where a page of the connector lies (MCP Apps, and what was before
// it) is not: a page may call what its own server has and nothing else, and to a client of ours all connectors are one server.
func listedMeta(value jsontext.Value) []member {
	return slices.DeleteFunc(metaOf(value), func(m member) bool {
		return m.name == "ui" || strings.HasPrefix(m.name, "ui/") || strings.HasPrefix(m.name, "openai/")
	})
}

// passed are the members of an entry of a list that are passed on as its connector says them.
func passed(p connector.Passed) []member {
	members := values(member{"icons", p.Icons})
	if meta := listedMeta(p.Meta); len(meta) > 0 {
		members = append(members, member{metaMember, objectOf(meta...)})
	}
	return members
}

func lastOfEach(members []member) []member {
	last := map[string]int{}
	for i, m := range members {
		last[m.name] = i
	}
	var kept []member
	for i, m := range members {
		if last[m.name] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

// reply is a result with what its era wants in it: in the modern one what kind it is and whose, and how long it may be kept. What
// a connector says of those is taken out.
func (r *request) reply(members []member, isCacheable bool) *raw {
	var meta []member
	kept := make([]member, 0, len(members)+4)
	for _, m := range members {
		switch m.name {
		case metaMember:
			meta, _ = membersOf(m.value)
		case resultTypeMember, "ttlMs", "cacheScope":
		default:
			kept = append(kept, m)
		}
	}
	meta = without(meta, mcp.MetaKeyServerInfo)
	if r.isModern {
		kept = append(kept, member{resultTypeMember, text("complete")})
		if isCacheable {
			kept = append(kept, member{"ttlMs", jsontext.Value("0")}, member{"cacheScope", text("private")})
		}
		meta = append(meta, member{mcp.MetaKeyServerInfo, r.server.identity()})
	}
	if len(meta) > 0 {
		kept = append(kept, member{metaMember, objectOf(meta...)})
	}
	return &raw{body: objectOf(kept...)}
}

func without(members []member, name string) []member {
	var kept []member
	for _, m := range members {
		if m.name != name {
			kept = append(kept, m)
		}
	}
	return kept
}

// said is the result of a tool with one text of Pillion's own.
func (r *request) said(isError bool, status host.Status, lines ...string) *raw {
	members := []member{{"content", arrayOf([][]byte{textBlock(strings.Join(lines, "\n"))})}}
	if isError {
		members = append(members, member{"isError", jsontext.Value("true")})
	}
	if status != "" {
		members = append(members, member{metaMember, objectOf(member{outcomeKey, text(string(status))})})
	}
	return r.reply(members, false)
}

func textBlock(said string) []byte {
	return objectOf(member{"type", text("text")}, member{"text", text(said)})
}

// sentences are what Pillion says of an outcome, and what leads on from it. Where there is advice that says both.
func sentences(o host.Result) []string {
	if o.Advice != "" {
		return []string{o.Advice}
	}
	return append([]string{o.Message}, o.Steps...)
}

// refusal is the error of a request that is no call of a tool and came to nothing.
func refusal(o host.Result) error {
	if o.Error != nil {
		return &jsonrpc.Error{Code: int64(o.Error.Code), Message: o.Error.Message, Data: []byte(o.Error.Data)}
	}
	code := int64(jsonrpc.CodeInternalError)
	if o.Status == host.StatusInvalidArguments {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: strings.Join(sentences(o), "\n"), Data: objectOf(member{outcomeKey, text(string(o.Status))})}
}

func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
