package process

import (
	"crypto/rand"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// MarkerVar names the environment variable that every process of a connector carries.
// Its value is made by NewMarker; its presence also refuses a sidecar started by a connector.
const MarkerVar = "PILLION_CONNECTOR"

// NewMarker makes the marker of one start of a connector: "<pid>-<random>/<connector>", unlike that of any other start, window or user.
func NewMarker(connector string) string {
	return strconv.Itoa(os.Getpid()) + "-" + rand.Text() + "/" + connector
}

// OwnMarker is the marker this process carries itself, "" when no connector started it.
func OwnMarker() string { return os.Getenv(MarkerVar) }

// isMarker reports whether value can stand in an environment and on a line to the guard, and is long enough to be nobody else's.
func isMarker(value string) bool {
	owner, _, ok := strings.Cut(value, "/")
	return ok && strings.Contains(owner, "-") && len(value) <= 1024 && strings.IndexFunc(value, unicode.IsControl) < 0
}
