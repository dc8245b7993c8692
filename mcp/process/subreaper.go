package process

// hostName is what the kernel calls a process whose children are connectors; it has room for 15 bytes.
const hostName = "pillion-host"

// StartedByConnector reports whether a process is a connector's or descends from one, whichever Pillion runs it: it or an
// ancestor carries the mark, or one of its ancestors hosts connectors, which has no other children (S6, S7).
//
// A process that empties its environment and leaves its parent is known by its descent on Linux alone, and only as long as its
// host lives; see [Subreaper].
func StartedByConnector(pid int) bool {
	for generation := range maxGenerations {
		if pid <= 0 {
			return false
		}
		if CarriesMarker(pid) || generation > 0 && hostsConnectors(pid) {
			return true
		}
		pid = Parent(pid)
	}
	return false
}
