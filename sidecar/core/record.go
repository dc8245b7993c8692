package core

import (
	"context"
	"fmt"

	"pillion/mcp/activity"
	"pillion/mcp/audit"
	"pillion/mcp/state"
)

// Record opens the record of all windows, to read it, where no host is.
func (f Folders) Record() (*audit.Log, error) {
	folder, err := state.Open(f.State)
	if err != nil {
		return nil, fmt.Errorf("open the record of calls: %w", err)
	}
	return audit.New(folder, audit.Options{}), nil
}

// Activity opens the index of a record. The caller closes it.
func (f Folders) Activity(ctx context.Context, record *audit.Log, isAnew bool, onRecords func(int)) (*activity.Index, error) {
	return activity.Open(ctx, activity.Options{Log: record, Folder: f.Cache, IsAnew: isAnew, OnRecords: onRecords})
}
