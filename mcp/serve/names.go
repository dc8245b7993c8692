package serve

// named is something of a connector under the connector's own name for it, and under the one that is its alone.
type named struct{ own, served string }

func namedOf(own, served string) named { return named{own, served} }

// chooseNames are the names that things are served under: the ones that are theirs alone, or, unprefixed, the connectors' own ones
// where only one has it. Who came first plays no part.
func chooseNames(all []named, isUnprefixed bool) []string {
	users := map[string]int{}
	for _, n := range all {
		users[n.own]++
		if n.served != n.own {
			users[n.served]++
		}
	}
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.served
		if isUnprefixed && users[n.own] == 1 {
			names[i] = n.own
		}
	}
	return names
}
