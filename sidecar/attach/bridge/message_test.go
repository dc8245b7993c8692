package bridge

import (
	"bufio"
	"errors"
	"strings"
	"testing"
)

// A line beyond all bounds is none, and what comes after it is read.
func TestU8_ALineThatIsTooLongEndsNothing(t *testing.T) {
	t.Parallel()
	in := bufio.NewReader(strings.NewReader(strings.Repeat("x", maxLineBytes) + "x\n{}\n"))
	if _, err := readLine(in, nil); !errors.Is(err, errTooLong) {
		t.Error(err)
	}
	if line, err := readLine(in, nil); string(line) != "{}" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}
