package sidecar

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/config/imports"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// imports lists the files of other programs.
func (s *Session) imports(ctx context.Context, _ message.Empty) (message.ImportsResult, error) {
	if _, err := s.host(ctx); err != nil {
		return message.ImportsResult{}, err
	}
	result := message.ImportsResult{Found: []message.FoundImport{}}
	for _, found := range imports.Find(s.core.Machine()) {
		wire := message.FoundImport{
			URI: fileURI(found.Place.Path), Format: message.ImportFormat(found.Place.Format), Root: fileURI(found.Place.Root),
			Names: append([]string{}, found.Names...),
		}
		if found.Problem != nil {
			wire.Problem = found.Problem.Error()
		}
		result.Found = append(result.Found, wire)
	}
	return result, nil
}

// importEntries writes entries of another program's file; what they name runs only once it is allowed (S6).
func (s *Session) importEntries(ctx context.Context, params message.ImportParams) (message.ImportResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ImportResult{}, err
	}
	document, err := s.openImport(pathOf(params.URI))
	if err != nil {
		return message.ImportResult{}, err
	}
	file, err := s.fileFor(message.ConnectorAddParams{Scope: params.Scope, Root: params.Root})
	if err != nil {
		return message.ImportResult{}, err
	}
	target := imports.TargetFor(file, document.Place)
	if err := document.Allowed(target); err != nil {
		return message.ImportResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	names, err := document.Choose(params.Names)
	if err != nil {
		return message.ImportResult{}, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	result := message.ImportResult{Added: []message.ConnectorID{}, Report: []message.ImportRemark{}}
	remark(&result, document.Notes...)
	var batch config.Batch
	for _, name := range names {
		converted, _ := document.Convert(name, target)
		remark(&result, converted.Report...)
		if converted.Definition == nil {
			continue
		}
		one := config.NewEntry{Name: name, Definition: converted.Definition, Inputs: converted.Inputs}
		if file.Source == config.SourceUser { // nobody was asked (S6)
			if one.Definition, err = host.SwitchedOff(one.Definition); err != nil {
				return message.ImportResult{}, editError(err)
			}
		}
		batch.Entries = append(batch.Entries, one)
	}
	if len(batch.Entries) == 0 {
		return result, nil
	}
	written, there, err := c.AddEntries(file, batch)
	if err != nil {
		return message.ImportResult{}, editError(err)
	}
	reportImport(&result, written, batch, there)
	return result, nil
}

// reportImport says what became of the entries of a batch.
func reportImport(result *message.ImportResult, written *config.Document, batch config.Batch, there []string) {
	isThere := map[string]bool{}
	for _, name := range there {
		isThere[name] = true
	}
	for _, one := range batch.Entries {
		if isThere[one.Name] {
			remark(result, imports.Remark{Name: one.Name, Message: "it is not imported: there is a connector of this name already"})
			continue
		}
		result.Added = append(result.Added, message.ConnectorID(config.EntryID(written.File.Path, one.Name)))
		if written.File.Source == config.SourceUser {
			remark(result, imports.Remark{Name: one.Name, Message: "it is switched off until you allow it: " + host.ApproveCommand(one.Name) + ", in a terminal"})
		}
	}
}

func remark(result *message.ImportResult, remarks ...imports.Remark) {
	for _, r := range remarks {
		result.Report = append(result.Report, message.ImportRemark{Name: r.Name, Key: r.Key, Message: r.Message})
	}
}

// openImport reads a file that is among those of other programs: an editor names no other.
func (s *Session) openImport(path string) (*imports.Document, error) {
	machine := s.core.Machine()
	places := imports.Places(machine)
	i := slices.IndexFunc(places, func(p imports.Place) bool { return path != "" && p.Path == path })
	if i < 0 {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "uri must be that of a file that pillion/imports lists")
	}
	document, err := imports.Open(places[i], machine)
	var refused *config.RefusedError
	var unreadable *imports.UnreadableError
	switch {
	case err == nil:
		return document, nil
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &refused), errors.As(err, &unreadable):
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	}
	return nil, rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
}
