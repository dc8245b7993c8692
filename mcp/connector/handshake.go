package connector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	modernVersion = "2026-07-28"
	// legacyVersion is what initialize offers; the server may answer with an earlier one.
	legacyVersion = "2025-11-25"

	codeUnsupportedVersion = -32022

	maxInstructionBytes = 64 << 10
	maxServerTextBytes  = 256
)

// errExited is the cause when the process ended before it had answered.
var errExited = errors.New("the program ended during the handshake")

// answer is what the server said in the handshake, as far as it is used.
type answer struct {
	era          string
	version      string
	server       Server
	instructions string
	features     features
}

// features are the lists that a server announced.
type features struct {
	tools, resources, prompts         feature
	canSubscribe, canComplete, hasLog bool
	tasks                             taskFeatures
}

type feature struct {
	isAnnounced, isListChanged bool
}

// forSDK is the answer as the SDK is told it, where the server's own may hold what the SDK refuses.
func (a *answer) forSDK(method string) []byte {
	capabilities := map[string]any{}
	for name, f := range map[string]feature{"tools": a.features.tools, "resources": a.features.resources, "prompts": a.features.prompts} {
		if f.isAnnounced {
			capabilities[name] = map[string]any{"listChanged": f.isListChanged}
		}
	}
	server := map[string]string{"name": a.server.Name, "version": a.server.Version}
	result := map[string]any{"protocolVersion": a.version, "capabilities": capabilities, "serverInfo": server}
	if method == "server/discover" {
		result = map[string]any{
			"resultType": ResultComplete, "supportedVersions": []string{a.version}, "capabilities": capabilities,
			"ttlMs": 0, "cacheScope": "private", "_meta": map[string]any{mcp.MetaKeyServerInfo: server},
		}
	}
	encoded, _ := json.Marshal(result) // maps of strings, bools and ints
	return encoded
}

// prober finds out which handshake the server answers to (C12).
type prober struct {
	filter *filter
	client Implementation
	offers Offers
	// era is EraAuto, EraModern or EraLegacy; with EraAuto, isLegacyFirst begins with initialize.
	era           string
	isLegacyFirst bool
	// wait is how long server/discover may go unanswered before initialize follows.
	wait time.Duration

	discover, initialize             *exchange
	isDiscoverUseless, isInitUseless bool // answered, but with no use
	isRepeated                       bool // server/discover was asked again
}

// hasDiscovered reports whether the server got a message that older ones may not bear.
func (p *prober) hasDiscovered() bool { return p.discover != nil }

// shake sends what is to be sent until one answer decides, or nothing can any longer.
func (p *prober) shake(ctx context.Context) (*answer, error) {
	if p.era == EraLegacy || p.era == EraAuto && p.isLegacyFirst {
		p.sendInitialize()
	} else {
		p.sendDiscover()
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	var refusals []error
	for !p.isOver() {
		select {
		case <-waiting(p.discover, p.isDiscoverUseless):
			answer, err := discovered(p.discover)
			if err == nil {
				return answer, nil
			}
			refusals = append(refusals, fmt.Errorf("server/discover: %w", err))
			if !p.repeatDiscover(err) {
				p.isDiscoverUseless = true
				p.sendInitialize()
			}
		case <-waiting(p.initialize, p.isInitUseless):
			answer, err := initialized(p.initialize)
			if err == nil {
				return answer, nil
			}
			refusals = append(refusals, fmt.Errorf("initialize: %w", err))
			p.isInitUseless = true
			p.sendDiscover()
		case <-timer.C:
			p.sendInitialize()
		case <-p.filter.ended:
			return nil, errExited
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, &refusedError{refusals}
}

// isOver reports whether no answer can come that would be of use.
func (p *prober) isOver() bool {
	switch p.era {
	case EraModern:
		return p.isDiscoverUseless
	case EraLegacy:
		return p.isInitUseless
	}
	return p.isDiscoverUseless && p.isInitUseless
}

// waiting returns the channel of an exchange whose answer is yet to come or to be read; nil, which is never ready, otherwise.
func waiting(x *exchange, isUseless bool) chan struct{} {
	if x == nil || isUseless {
		return nil
	}
	return x.settled
}

func (p *prober) sendDiscover() {
	if p.discover != nil || p.era == EraLegacy {
		return
	}
	client, _ := json.Marshal(map[string]string{"name": p.client.Name, "version": p.client.Version})
	params := fmt.Appendf(nil, `{"_meta":{%q:%q,%q:%s,%q:{}}}`,
		mcp.MetaKeyProtocolVersion, modernVersion, mcp.MetaKeyClientInfo, client, mcp.MetaKeyClientCapabilities)
	p.discover = newExchange("server/discover")
	id := int64(discoverID)
	if p.isRepeated {
		id = discoverAgainID
	}
	_ = p.filter.send(p.discover, id, params)
}

// repeatDiscover asks once more where the server knows the request and refuses the revision alone: who does is no older
// server, for whom initialize would be.
func (p *prober) repeatDiscover(refusal error) bool {
	var said *ProtocolError
	if p.isRepeated || !errors.As(refusal, &said) || said.Code != codeUnsupportedVersion {
		return false
	}
	p.isRepeated, p.discover = true, nil
	p.sendDiscover()
	return true
}

func (p *prober) sendInitialize() {
	if p.initialize != nil || p.era == EraModern {
		return
	}
	p.initialize = newExchange("initialize")
	_ = p.filter.send(p.initialize, initializeID, initializeParams(p.client, p.offers))
}

func initializeParams(client Implementation, offers Offers) []byte {
	info, _ := json.Marshal(map[string]string{"name": client.Name, "version": client.Version})
	return fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, legacyVersion, offers.capabilities(), info)
}

// release gives up waiting for what was not answered.
func (p *prober) release() {
	for _, x := range []*exchange{p.discover, p.initialize} {
		if x != nil && !x.isSettled() {
			p.filter.forget(x)
			x.drop()
		}
	}
}

// refusedError says that the server answered the handshake, but with errors only.
type refusedError struct{ refusals []error }

func (e *refusedError) Error() string {
	said := make([]string, len(e.refusals))
	for i, refusal := range e.refusals {
		said[i] = refusal.Error()
	}
	return strings.Join(said, "; ")
}

// outcome returns the result of a settled exchange.
func (x *exchange) outcome() (jsontext.Value, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.failure != nil:
		return nil, x.failure
	case x.refusal != nil:
		return nil, x.refusal
	}
	return x.result, nil
}

// discovered reads the answer to server/discover; it is an error where it leads to no protocol revision that both speak.
func discovered(x *exchange) (*answer, error) {
	result, err := x.outcome()
	if err != nil {
		return nil, err
	}
	a := &answer{era: EraModern}
	var versions []string
	err = object(result, func(name string, value jsontext.Value) error {
		switch name {
		case "supportedVersions":
			values, err := elements(value, 100)
			if err != nil {
				return err
			}
			for _, value := range values {
				if version, ok := text(value); ok {
					versions = append(versions, version)
				}
			}
		case "capabilities":
			a.features = announced(value)
		case "instructions":
			a.instructions = instructions(value)
		case "_meta":
			return object(value, func(name string, value jsontext.Value) error {
				if name == mcp.MetaKeyServerInfo {
					a.server = serverInfo(value)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if !slices.Contains(versions, modernVersion) {
		return nil, fmt.Errorf("it supports %s", visible(fmt.Sprint(versions), sampleBytes))
	}
	a.version = modernVersion
	a.server.ProtocolVersion = a.version
	return a, nil
}

// initialized reads the answer to initialize.
func initialized(x *exchange) (*answer, error) {
	result, err := x.outcome()
	if err != nil {
		return nil, err
	}
	a := &answer{era: EraLegacy}
	err = object(result, func(name string, value jsontext.Value) error {
		switch name {
		case "protocolVersion":
			a.version, _ = text(value)
		case "capabilities":
			a.features = announced(value)
		case "serverInfo":
			a.server = serverInfo(value)
		case "instructions":
			a.instructions = instructions(value)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	// MCP 2025-11-25 lifecycle: a client that does not support the version in the answer should disconnect.
	if a.version >= modernVersion || !slices.Contains(mcp.SupportedProtocolVersions(), a.version) {
		return nil, fmt.Errorf("it speaks protocol version %q", visible(a.version, 40))
	}
	a.server.ProtocolVersion = a.version
	return a, nil
}

// announced reads capabilities. A server that writes true for an object means it.
func announced(raw jsontext.Value) features {
	var f features
	_ = object(raw, func(name string, value jsontext.Value) error {
		one := feature{isAnnounced: value.Kind() == '{' || value.Kind() == 't'}
		_ = object(value, func(name string, value jsontext.Value) error {
			switch name {
			case "listChanged":
				one.isListChanged = value.Kind() == 't'
			case "subscribe":
				f.canSubscribe = f.canSubscribe || value.Kind() == 't'
			}
			return nil
		})
		switch name {
		case "tools":
			f.tools = one
		case "resources":
			f.resources = one
		case "prompts":
			f.prompts = one
		case "completions":
			f.canComplete = one.isAnnounced
		case "logging":
			f.hasLog = one.isAnnounced
		case "tasks", "extensions":
			f.tasks.read(name, value)
		}
		return nil
	})
	return f
}

func serverInfo(raw jsontext.Value) Server {
	var s Server
	_ = object(raw, func(name string, value jsontext.Value) error {
		said, _ := text(value)
		switch name {
		case "name":
			s.Name = visible(said, maxServerTextBytes)
		case "version":
			s.Version = visible(said, maxServerTextBytes)
		}
		return nil
	})
	return s
}

func instructions(raw jsontext.Value) string {
	said, _ := text(raw)
	if len(said) > maxInstructionBytes {
		said = strings.ToValidUTF8(said[:maxInstructionBytes], "")
	}
	return said
}
