package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pillion/mcp/config/agents"
	"pillion/mcp/state"
	"pillion/sidecar/core"
)

// clientRecords are the agents that were told of Pillion, by name, as they are kept.
type clientRecords struct {
	Agents map[string]clientRecord `json:"agents"`
}

type clientRecord struct {
	At    time.Time              `json:"at"`
	Files map[string]*clientFile `json:"files"` // by path
}

// clientFile is one file of an agent, and how it is taken back.
type clientFile struct {
	HasExisted bool   `json:"hasExisted"`
	Backup     string `json:"backup,omitzero"` // the file as it was before; empty where there was none
	// Wrote is the hash of what was written last; empty once others had written too: then there is no way back but change by change.
	Wrote   string          `json:"wrote"`
	Changes []agents.Change `json:"changes"`
}

const (
	clientStoreName    = "clients.json"
	clientBackupFolder = "client-backups"
)

type clientStore struct {
	folder *state.Folder
	*state.Store[clientRecords]
}

func (p *program) clientStore() (*clientStore, error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil, err
	}
	folder, err := state.Open(folders.State)
	if err != nil {
		return nil, err
	}
	return &clientStore{folder, state.NewStore(folder, clientStoreName, 1, func() clientRecords { return clientRecords{Agents: map[string]clientRecord{}} })}, nil
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// backUp keeps a file as it is, and returns where.
func (s *clientStore) backUp(agent, path string, text []byte, now time.Time) (string, error) {
	folder, err := state.Open(s.folder.Path(clientBackupFolder))
	if err != nil {
		return "", err
	}
	backup := folder.Path(fmt.Sprintf("%s-%s-%s", agent, now.UTC().Format("20060102T150405.000"), filepath.Base(path)))
	return backup, state.WriteFile(backup, text, 0o600)
}

// remember keeps how a plan is taken back, before anything is written.
func (s *clientStore) remember(ctx context.Context, c *clientPlan, now time.Time) (map[string]*clientFile, error) {
	files := map[string]*clientFile{}
	_, err := s.Update(ctx, func(all *clientRecords) error {
		record := all.Agents[c.agent.Name]
		if record.Files == nil {
			record.Files = map[string]*clientFile{}
		}
		record.At = now.UTC()
		for _, path := range sortedKeys(c.texts) {
			if bytes.Equal(c.texts[path], c.before[path]) {
				continue
			}
			file := record.Files[path]
			switch {
			case file == nil:
				file = &clientFile{HasExisted: c.before[path] != nil, Wrote: hashOf(c.texts[path])}
				if file.HasExisted {
					backup, err := s.backUp(c.agent.Name, path, c.before[path], now)
					if err != nil {
						return fmt.Errorf("keep %s as it is: %w", path, err)
					}
					file.Backup = backup
				}
			case file.Wrote == hashOf(c.before[path]):
				file.Wrote = hashOf(c.texts[path])
			default:
				file.Wrote = ""
			}
			for _, change := range c.changes {
				if change.File == path {
					file.Changes = append(file.Changes, change)
				}
			}
			record.Files[path], files[path] = file, file
		}
		all.Agents[c.agent.Name] = record
		return nil
	})
	return files, err
}

// write writes the files of a plan, each as it was when it was read.
func (c *clientPlan) write() error {
	for _, path := range sortedKeys(c.texts) {
		if bytes.Equal(c.texts[path], c.before[path]) {
			continue
		}
		if err := replaceFile(path, c.before[path], c.texts[path]); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile writes a file that is still what it was; links to it stay, and so does who may read it. Without a text the file goes.
func replaceFile(path string, was, text []byte) error {
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		target = resolved
	}
	perm := fs.FileMode(0o600)
	now, err := readClientFile(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if was != nil {
			return fail(exitFailed, []string{"Run it again"}, "%s is gone meanwhile", path)
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
	case err != nil:
		return err
	case !bytes.Equal(now, was):
		return fail(exitFailed, []string{"Run it again"}, "%s was changed meanwhile", path)
	default:
		if info, err := os.Stat(target); err == nil {
			perm = info.Mode().Perm()
		}
	}
	if text == nil {
		return os.Remove(target)
	}
	return state.WriteFile(target, text, perm)
}

// takeBack is the text of a file without what was done to it, nil where there was no file before. isWhole says that it is byte for
// byte what it was.
func (f *clientFile) takeBack(text []byte) (before []byte, isWhole bool, err error) {
	if f.Wrote != "" && f.Wrote == hashOf(text) {
		if !f.HasExisted {
			return nil, true, nil
		}
		if before, err = os.ReadFile(f.Backup); err == nil {
			return before, true, nil
		}
	}
	before = text
	for i := len(f.Changes) - 1; i >= 0; i-- {
		if before, err = f.Changes[i].Undo(before); err != nil {
			return nil, false, err
		}
	}
	return before, false, nil
}
