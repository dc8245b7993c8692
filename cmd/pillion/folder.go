package main

import (
	"os"
	"path/filepath"
	"slices"

	"pillion/mcp/config"
	"pillion/mcp/place"
	"pillion/rpc/message"
)

// workingFolder is the folder that a verb is run in; empty where it is gone.
func workingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// rootOf is the workspace folder that a folder belongs to, where no window says so: the folder itself if it holds a project
// file, else the root of its Git repository, else the folder itself. It is never the home folder or the root of a file
// system (U33), and a project file in between counts for nothing (A2).
func rootOf(folder, home string) string {
	root := folder
	if !exists(filepath.Join(folder, config.ProjectFileName)) {
		if repository := repositoryOf(folder); repository != "" {
			root = repository
		}
	}
	if len(config.ProjectFiles([]string{root}, home)) == 0 {
		return ""
	}
	return root
}

// repositoryOf is the root of the Git repository that a folder lies in, or empty.
func repositoryOf(folder string) string {
	for {
		if exists(filepath.Join(folder, ".git")) {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// windowsHolding are the windows that have a root around the folder, that with the longest root first; the order of what is
// equal stays.
func windowsHolding(windows []message.WindowDescriptor, folder string) []message.WindowDescriptor {
	longest := map[string]int{}
	var holding []message.WindowDescriptor
	for _, window := range windows {
		for _, root := range window.Roots {
			if root.IsFile() && place.LiesIn(folder, root.FsPath()) {
				longest[window.Window] = max(longest[window.Window], len(place.Resolved(root.FsPath())))
			}
		}
		if longest[window.Window] > 0 {
			holding = append(holding, window)
		}
	}
	slices.SortStableFunc(holding, func(a, b message.WindowDescriptor) int { return longest[b.Window] - longest[a.Window] })
	return holding
}
