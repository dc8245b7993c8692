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
	for _, name := range names {
		converted, _ := document.Convert(name, target)
		remark(&result, converted.Report...)
		if converted.Definition == nil {
			continue
		}
		if err := writeImport(c.Host, &result, file, converted); err != nil {
			return message.ImportResult{}, err
		}
	}
	return result, nil
}

func remark(result *message.ImportResult, remarks ...imports.Remark) {
	for _, r := range remarks {
		result.Report = append(result.Report, message.ImportRemark{Name: r.Name, Key: r.Key, Message: r.Message})
	}
}

// writeImport writes one entry: the user's own switched off, since nobody was asked (S6).
func writeImport(c *host.Host, result *message.ImportResult, file config.File, converted imports.Converted) error {
	definition := converted.Definition
	if file.Source == config.SourceUser {
		var err error
		if definition, err = host.SwitchedOff(definition); err != nil {
			return editError(err)
		}
	}
	entry, err := c.AddEntry(file, converted.Name, definition, false)
	switch {
	case errors.Is(err, config.ErrExists):
		remark(result, imports.Remark{Name: converted.Name, Message: "it is not imported: there is a connector of this name already"})
		return nil
	case err != nil:
		return editError(err)
	}
	result.Added = append(result.Added, message.ConnectorID(entry.ID))
	if file.Source == config.SourceUser {
		remark(result, imports.Remark{Name: converted.Name, Message: "it is switched off until you allow it: " + host.ApproveCommand(converted.Name) + ", in a terminal"})
	}
	return nil
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
