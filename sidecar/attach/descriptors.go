package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pillion/rpc"
	"pillion/rpc/message"
)

const (
	// maxFileBytes bounds a descriptor and a token.
	maxFileBytes = 1 << 20
	// maxWindows bounds how many descriptors are read.
	maxWindows = 1000
	// probeTime bounds the look whether anybody listens.
	probeTime = time.Second
)

// Windows lists the windows that are open, the one that had the focus last first. A folder that does not exist holds none;
// one that [Listen] would refuse is refused.
// What a window left behind that ended without clearing up is removed.
func Windows(folder string) ([]message.WindowDescriptor, error) {
	if err := checkFolder(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list the windows: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list the windows: %w", err)
	}
	var windows []message.WindowDescriptor
	for _, entry := range entries {
		name, isDescriptor := strings.CutSuffix(entry.Name(), descriptorSuffix)
		if !isDescriptor || len(windows) >= maxWindows {
			continue
		}
		descriptor, err := readDescriptor(folder, name)
		if err != nil {
			continue // being written, or not ours to judge
		}
		if !isAlive(descriptor.PID) && hasGone(descriptor) {
			removeFiles(folder, name)
			continue
		}
		windows = append(windows, descriptor)
	}
	slices.SortStableFunc(windows, func(a, b message.WindowDescriptor) int { return b.FocusedAt.Compare(a.FocusedAt) })
	return windows, nil
}

// hasGone reports whether nobody listens for the window. A process that is not found may still live where its id cannot be
// seen, in another container, so the socket decides.
func hasGone(descriptor message.WindowDescriptor) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	conn, err := dial(ctx, descriptor.Socket)
	if err != nil {
		return isNobody(err)
	}
	_ = conn.Close()
	return false
}

func readDescriptor(folder, window string) (message.WindowDescriptor, error) {
	text, err := readOwn(filepath.Join(folder, window+descriptorSuffix))
	if err != nil {
		return message.WindowDescriptor{}, err
	}
	var descriptor message.WindowDescriptor
	if err := rpc.Unmarshal(text, &descriptor); err != nil {
		return message.WindowDescriptor{}, fmt.Errorf("read the descriptor of the window %q: %w", window, err)
	}
	if descriptor.Window != window || descriptor.Socket != socketPath(folder, window) {
		return message.WindowDescriptor{}, fmt.Errorf("read the descriptor of the window %q: it describes another one", window)
	}
	return descriptor, nil
}

// readOwn reads a small file of this user's own.
func readOwn(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := checkFile(info); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("read %s: it has %d bytes, more than %d", path, info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}
