package consent

import (
	"fmt"

	"pillion/mcp/state"
)

// grants let a person confirm what nothing shows to be Pillion's own.
type grants = state.Grants[file, Record]

// sealable are the yeses: a no counts whoever wrote it, because it takes away alone.
var sealable = state.Sealable[Record]{
	Purpose:  "consent",
	Seal:     func(r Record) string { return r.Seal },
	WithSeal: func(r Record, seal string) Record { r.Seal = seal; return r },
	Gives:    func(r Record) bool { return r.Decision.allows() },
	Rest:     func(Record) (Record, bool) { return Record{}, false },
	Label: func(r Record) string {
		follows := ""
		if r.Decision == AllowFollow {
			follows = ", and follow changes of its files"
		}
		return fmt.Sprintf("run connector %q in %q%s", r.Connector, r.Root, follows)
	},
}
