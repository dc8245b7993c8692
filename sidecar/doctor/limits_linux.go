package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"pillion/rpc/message"
)

// limits says whether the system lets files be watched. Each window takes one instance of inotify, and a watch for each folder
// on the way to a file.
func limits() []message.DoctorRow {
	var rows []message.DoctorRow
	for _, limit := range []struct {
		name        string
		fewest      int
		what, value string
	}{
		{"max_user_instances", 64, "programs of yours may watch files", "256"},
		{"max_user_watches", 8192, "folders may be watched by programs of yours", "65536"},
	} {
		text, err := os.ReadFile("/proc/sys/fs/inotify/" + limit.name)
		allowed, parseErr := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || parseErr != nil {
			continue
		}
		row := message.DoctorRow{Level: message.DoctorOK, Subject: "fs.inotify." + limit.name, Text: fmt.Sprintf("at most %d %s", allowed, limit.what)}
		if allowed < limit.fewest {
			row.Level = message.DoctorNote
			row.Steps = []string{"Where it runs out, files are looked at every two seconds instead. To raise it: sudo sysctl fs.inotify." + limit.name + "=" + limit.value}
		}
		rows = append(rows, row)
	}
	return rows
}
