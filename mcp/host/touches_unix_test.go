//go:build unix

package host

import (
	"testing"

	"pillion/mcp/place"
)

func TestS1_WhatNamesAFolder(t *testing.T) {
	t.Parallel()
	const root = "/home/me/repo"
	for _, value := range []string{
		root, root + "/", root + "/x.js", "/home/me/../me/repo/x", "--require=" + root + "/x.js", "-r" + root + "/x.js", "-e=a," + root,
		"file://" + root + "/x.ts", root + ":/work", "/data:" + root, "cd '" + root + "' && ./x", "cd " + root + ";ls", "(" + root + ")",
		"a" + root, // unclear
	} {
		if !names(value, place.NewFolder(root)) {
			t.Errorf("%q names nothing in %s", value, root)
		}
	}
	for _, value := range []string{
		"", "x", "repo", "/", "/home/me", "/home/me/repo-two/x", "/home/me/repo.git", "/home/me/repository", "/srv/home/me/repo/x",
		"file:///srv/home/me/repo", "--x=/srv/home/me/repo", "home/me/repo", "@scope/repo@1.0.0",
	} {
		if names(value, place.NewFolder(root)) {
			t.Errorf("%q names something in %s", value, root)
		}
	}
}
