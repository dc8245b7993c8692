//go:build !windows

package attach

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if act, isHelper := helpers[os.Getenv(helperVariable)]; isHelper {
		os.Exit(act())
	}
	goleak.VerifyTestMain(m)
}
