package main

import (
	"os"

	"pillion/editors"
	"pillion/sidecar/core"
)

// faults say which files of connectors cannot be used here, each with its place.
func (p *program) faults() []string {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return nil // nothing works without them, and who opens them says so
	}
	home, _ := os.UserHomeDir()
	return folders.Faults(p.roots(), home)
}

// sayFaults says once which files cannot be used, and what holds meanwhile: an entry that is not found may stand in one of them.
func (p *program) sayFaults(window string) {
	if p.hasSaidFaults {
		return
	}
	p.hasSaidFaults = true
	meanwhile := "Until it is mended, none of its connectors is there."
	if window != "" {
		meanwhile = "Until it is mended, the editor's window goes on with what it last read there, if it read anything."
		p.settings.Load(p.roots())
		p.sayNews()
	}
	p.tellFaults(p.faults(), meanwhile)
}

// sayFaultsOf is sayFaults of the files as a host in this process has read them.
func (p *program) sayFaultsOf(h *ownHub) {
	if !p.hasSaidFaults {
		p.hasSaidFaults = true
		p.tellFaults(core.FaultsOf(h.Documents()), "Until it is mended, none of its connectors is there.")
	}
}

func (p *program) tellFaults(faults []string, meanwhile string) {
	for _, fault := range faults {
		p.sayf("pillion: %s. %s", editors.Visible(fault), meanwhile)
	}
}

// sayNews says what was given as a setting and does not count.
func (p *program) sayNews() {
	for _, sentence := range p.settings.News() {
		p.sayf("pillion: %s.", editors.Visible(sentence))
	}
}
