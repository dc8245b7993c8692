package sidecar

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"pillion/mcp/config"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

// connectorAdd writes an entry; what it names runs only once it is allowed, where it needs that.
func (s *Session) connectorAdd(ctx context.Context, params message.ConnectorAddParams) (message.ConnectorAddResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.ConnectorAddResult{}, err
	}
	file, err := s.fileFor(params)
	if err != nil {
		return message.ConnectorAddResult{}, err
	}
	definition := []byte(params.DefinitionText)
	if file.Source == config.SourceUser {
		// Nobody was asked: an entry of the user's own is written switched off, and a project's waits (S6).
		if definition, err = host.SwitchedOff(definition); err != nil {
			return message.ConnectorAddResult{}, rpc.Errorf(rpc.CodeInvalidParams, "definitionText: %s", err)
		}
	}
	entry, err := c.AddEntry(file, params.Name, definition, params.Force)
	if err != nil {
		return message.ConnectorAddResult{}, editError(err)
	}
	result := message.ConnectorAddResult{Warnings: []string{}}
	for _, finding := range entry.Findings {
		result.Warnings = append(result.Warnings, finding.Text())
	}
	if file.Source == config.SourceUser {
		result.Warnings = append(result.Warnings, "it is switched off until you allow it: pillion mcp approve, with its name, in a terminal")
	}
	added, err := c.Connector(entry.ID)
	if err != nil {
		return message.ConnectorAddResult{}, err
	}
	result.Connector = s.wireConnector(added)
	return result, nil
}

// fileFor is the file that a new entry goes into.
func (s *Session) fileFor(params message.ConnectorAddParams) (config.File, error) {
	switch params.Scope {
	case message.FileScopeUser:
		return config.File{Path: s.core.Folders.UserFile, Source: config.SourceUser}, nil
	case message.FileScopeProject:
		files := config.ProjectFiles(s.core.Roots(), "")
		root := pathOf(params.Root)
		for _, file := range files {
			if file.Root == root || (root == "" && len(files) == 1) {
				return file, nil
			}
		}
		return config.File{}, rpc.Errorf(rpc.CodeInvalidParams, "root must name one of the %d workspace folders", len(files))
	}
	return config.File{}, rpc.Errorf(rpc.CodeInvalidParams, "scope is %q; it must be user or project", params.Scope)
}

func (s *Session) connectorRemove(ctx context.Context, params message.ConnectorRemoveParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	found, err := c.Connector(string(params.Connector))
	if err != nil {
		return message.Empty{}, misuse(err)
	}
	return message.Empty{}, s.removeEntry(ctx, found)
}

func (s *Session) removeEntry(_ context.Context, found host.Connector) error {
	return editError(s.core.RemoveEntry(found.ID))
}

// editError tells what the user can mend from what is broken here.
func editError(err error) error {
	var uneditable *config.UneditableError
	var refused *config.RefusedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &uneditable), errors.As(err, &refused), errors.Is(err, config.ErrExists), errors.Is(err, config.ErrNotFound):
		return rpc.Errorf(rpc.CodeInvalidParams, "%s", err)
	case errors.Is(err, fs.ErrPermission):
		return rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
	}
	return misuse(err)
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
