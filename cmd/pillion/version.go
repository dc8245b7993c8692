package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"pillion/rpc/message"
)

// version is this Pillion's, from the build: a release's tag, else the commit.
func version() string {
	build, isKnown := debug.ReadBuildInfo()
	if !isKnown {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return "devel-" + setting.Value[:12]
		}
	}
	return "devel"
}

// versionVerb prints the version.
type versionVerb struct{}

// versionShape is what version --json prints.
type versionShape struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"` // version of the editor protocol
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Run prints it.
func (versionVerb) Run(p *program) error {
	shape := versionShape{version(), message.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if p.isJSON {
		return p.printJSON(shape)
	}
	p.print(fmt.Sprintf("pillion %s (editor protocol %d, %s, %s/%s)", shape.Version, shape.Protocol, shape.Go, shape.OS, shape.Arch))
	return nil
}
