package sidecar

import (
	"context"
	"maps"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/consent"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// ConsentMessage is the question whether definitions may run: every value as it is written (S11).
func ConsentMessage(waiting []host.Permission) message.ConsentBody {
	body := message.ConsentBody{Items: make([]message.ConsentItem, len(waiting))}
	for i, p := range waiting {
		body.Items[i] = consentItem(p)
	}
	return body
}

func consentItem(p host.Permission) message.ConsentItem {
	shown := p.Entry.Shown()
	item := message.ConsentItem{
		Root: fileURI(p.Root), Connector: message.ConnectorID(p.Connector.ID), Name: p.Entry.Name, URI: fileURI(p.Entry.File.Path),
		Hash: p.Hash, Reason: message.ConsentNew, DefinitionText: p.Entry.Text, Warnings: slices.Clone(p.Warnings),
		Shown: message.ShownDefinition{
			Command: shown.Command, Args: shown.Args, Cwd: shown.Cwd, Env: pairs(shown.Env), URL: shown.URL, Headers: pairs(shown.Headers),
			Reads: readsOf(p), Files: filesOf(p),
		},
	}
	for _, secret := range p.Secrets {
		item.Secrets = append(item.Secrets, message.ConsentSecret{Name: secret.Name, Destination: secret.Destination})
	}
	if item.Warnings == nil {
		item.Warnings = []string{}
	}
	if item.Shown.Cwd == "" {
		item.Shown.Cwd = p.Entry.File.Root
	}
	if p.IsChange {
		item.Reason = message.ConsentChanged
		for _, change := range host.Changes(p.PreviousText, p.Entry.Text) {
			item.Changes = append(item.Changes, message.Change{Path: change.Path, Before: change.Before, After: change.After})
		}
	}
	for _, difference := range p.Differences {
		item.Reason = message.ConsentChanged
		item.Changes = append(item.Changes, message.Change{Path: difference.Path, Before: difference.Before, After: difference.After})
	}
	return item
}

// filesOf are the files of the workspace that a yes will cover, with those that it covered before and that are gone.
func filesOf(p host.Permission) []message.NamedFile {
	files := []message.NamedFile{}
	for _, path := range slices.Sorted(maps.Keys(p.Code.Files)) {
		isChanged := slices.ContainsFunc(p.Differences, func(d consent.Difference) bool { return d.Path == path })
		files = append(files, message.NamedFile{Path: path, SHA256: p.Code.Files[path], Changed: isChanged, Steers: p.Steers[path]})
	}
	return files
}

// readsOf names the variables that the definition reads, and says which are not set; never their values.
func readsOf(p host.Permission) []string {
	reads := []string{}
	for _, name := range slices.Sorted(maps.Keys(p.IsSet)) {
		shown := name
		if from, isGiven := p.From[name]; isGiven {
			shown += " from " + from
		}
		if !p.IsSet[name] {
			shown += " (not set)"
		}
		reads = append(reads, shown)
	}
	for _, input := range p.Entry.Inputs {
		reads = append(reads, "input "+input.ID)
	}
	return reads
}

func pairs(variables []config.Variable) map[string]string {
	if len(variables) == 0 {
		return nil
	}
	byName := make(map[string]string, len(variables))
	for _, variable := range variables {
		byName[variable.Name] = variable.Value
	}
	return byName
}

func (s *Session) consentRecords(ctx context.Context, _ message.Empty) (message.ConsentsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ConsentsResult{}, err
	}
	result := message.ConsentsResult{Records: []message.ConsentRecord{}}
	for _, r := range c.Consents() {
		result.Records = append(result.Records, message.ConsentRecord{
			Root: fileURI(r.Root), Connector: message.ConnectorID(c.ConnectorIn(r.Root, r.Connector)), Name: r.Connector, Hash: r.Hash,
			Decision: message.ConsentDecision(r.Decision), At: r.At, DefinitionText: r.DefinitionText,
		})
	}
	return result, nil
}

func (s *Session) consentRevoke(ctx context.Context, params message.ConsentRevokeParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	name := string(params.Connector)
	if found, err := c.Connector(name); err == nil {
		name = found.Name
	}
	root := pathOf(params.Root)
	if root == "" {
		return message.Empty{}, rpc.Errorf(rpc.CodeInvalidParams, "root is %q, which is not the address of a folder", params.Root)
	}
	return message.Empty{}, c.Revoke(ctx, root, name)
}
