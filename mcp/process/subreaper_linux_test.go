package process

import (
	"io"
	"os"
	"strings"
	"testing"
)

// hermits starts a sidecar with connectors each of which left a process behind that hides.
func hermits(t *testing.T, starts string) *sidecar {
	t.Helper()
	return startSidecar(t, "sidecar", starts, "REAPS=1")
}

func (s *sidecar) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (s *sidecar) expect(t *testing.T, want string) {
	t.Helper()
	if line, err := s.out.ReadString('\n'); strings.TrimSpace(line) != want {
		t.Fatalf("said %q, %v; want %q", line, err, want)
	}
}

func TestS7_HermitIsKnownByItsDescent(t *testing.T) {
	t.Parallel()
	s := hermits(t, "leave-hermit")
	connector, hermit := s.ids[0], s.ids[1]
	if CarriesMarker(hermit.pid) || IsDescendantOf(hermit.pid, connector.pid) {
		t.Fatal("it did not hide, so this shows nothing")
	}
	for _, one := range []identity{connector, hermit} {
		if !StartedByConnector(one.pid) {
			t.Errorf("process %d counts as nobody's", one.pid)
		}
	}
	for what, pid := range map[string]int{"the sidecar": s.cmd.Process.Pid, "the user": os.Getpid(), "the first process": 1} {
		if StartedByConnector(pid) {
			t.Errorf("%s counts as a connector", what)
		}
	}
}

func TestC20_HermitEndsWithItsConnector(t *testing.T) {
	t.Parallel()
	s := hermits(t, "leave-hermit")
	s.tell(t, "stop")
	s.expect(t, "stopped")
	expectGoneNow(t, s.ids...)
	eventually(t, "its place in the table is free", func() bool {
		_, isThere := lookup(s.ids[1].pid)
		return !isThere
	})
}

func TestC20_HermitOfAnotherConnectorLives(t *testing.T) {
	t.Parallel()
	s := hermits(t, "leave-hermit,leave-hermit")
	s.tell(t, "stop")
	s.expect(t, "stopped")
	expectGoneNow(t, s.ids[0])
	for _, one := range s.ids[2:] {
		if !one.lives() {
			t.Errorf("process %d has gone", one.pid)
		}
	}
	s.tell(t, "stop")
	s.expect(t, "stopped")
	expectGoneNow(t, s.ids...)
}

func TestC20_HermitEndsWithTheWindow(t *testing.T) {
	t.Parallel()
	s := hermits(t, "leave-hermit,leave-hermit")
	s.tell(t, "close")
	_ = s.cmd.Wait()
	expectGone(t, s.ids...)
}
