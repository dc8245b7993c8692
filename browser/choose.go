package browser

// Facts are what is known of this machine when a provider is chosen.
type Facts struct {
	HasNode bool
	// IsInstalled says which providers are prepared; see [Provider].
	IsInstalled map[Name]bool
}

// Choose takes a provider: the one that the setting names, or for [Auto] the one that is there. The reason is a clause for a person.
// A name that is not known counts as Auto.
func Choose(setting Name, f Facts) (name Name, reason string) {
	switch setting {
	case Native, Playwright, ChromeDevTools:
		return setting, "your settings name it"
	}
	switch {
	case !f.HasNode:
		return Native, "there is no Node.js on this machine, and it needs none"
	case f.IsInstalled[Playwright]:
		return Playwright, "it is installed"
	}
	return Native, "it needs nothing to be installed"
}
