package sidecar

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"pillion/sidecar/core"
)

func TestAFolderThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	for name, hangs := range map[string]func(s *Session) func(){
		"as it is opened": func(s *Session) func() {
			s.openOnce.Do(func() {})
			return func() { close(s.opened) }
		},
		"as it is started": func(s *Session) func() {
			s.startOnce.Do(func() {})
			return func() { close(s.started) }
		},
		"in the background": func(s *Session) func() {
			folder := make(chan struct{})
			s.inBackground(func() { <-folder })
			return func() { close(folder) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSession(t.Context(), Options{In: nopPipe{}, Out: nopPipe{}, Logger: slog.New(slog.DiscardHandler)})
				free := hangs(s)
				begun := time.Now()
				if _, err := s.finish(nil); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took > lostTime {
					t.Errorf("it ended after %v", took)
				}
				free()
			})
		})
	}
}

// The answer to initialize does not wait for a workspace that hangs, and the window can be joined once it answers.
func TestAFolderThatHangsDoesNotHoldUpTheAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	environ := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PILLION_CONFIG_DIR=" + home, "PILLION_STATE_DIR=" + home}
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t.Context(), Options{In: nopPipe{}, Out: nopPipe{}, Logger: slog.New(slog.DiscardHandler), Environ: environ})
		folder := make(chan struct{})
		s.checkPlace = func(core.Folders, []string) error {
			<-folder
			return errors.New("it answers now")
		}
		begun := time.Now()
		_, _, err := s.initialize(t.Context(), protocol.InitializeParams{})
		if took := time.Since(begun); err != nil || took != listenTime {
			t.Errorf("answered after %v: %v", took, err)
		}
		s.welcome()
		close(folder)
		if _, err := s.finish(nil); err != nil {
			t.Error(err)
		}
	})
}

// nopPipe is an editor that is not there.
type nopPipe struct{}

func (nopPipe) Read([]byte) (int, error)    { return 0, context.Canceled }
func (nopPipe) Write(p []byte) (int, error) { return len(p), nil }
func (nopPipe) Close() error                { return nil }
