package cases

import (
	"slices"
	"testing"

	"pillion/rpc/message"
)

// findings are the rows of a look, or of the command line's.
type findings []message.DoctorRow

// about is the one row about something in a section.
func (f findings) about(t testing.TB, section message.DoctorSection, subject string) message.DoctorRow {
	t.Helper()
	at := slices.IndexFunc(f, func(r message.DoctorRow) bool { return r.Section == section && r.Subject == subject })
	if at < 0 {
		t.Fatalf("nothing about %s %q in %+v", section, subject, f)
	}
	return f[at]
}
