package state

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
)

func appended(item string) func(box) box {
	return func(b box) box {
		b.Items = append(slices.Clip(b.Items), item)
		return b
	}
}

func TestS20_ChangesHoldWhereTheyCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	k := NewKept(s)
	if err := k.Change(t.Context(), appended("saved")); err != nil {
		t.Fatal(err)
	}
	put(t, s.Path(), `{"version":3,"data":0}`)
	var unsaved *UnsavedError
	var newer *NewerError
	if err := k.Change(t.Context(), appended("unsaved")); !errors.As(err, &unsaved) || !errors.As(err, &newer) {
		t.Errorf("got %v", err)
	}
	if got := k.Value().Items; !slices.Equal(got, []string{"unsaved"}) {
		t.Errorf("here: %q", got)
	}
	put(t, s.Path(), `{"version":2,"data":{"items":["saved"]}}`)
	for range 2 {
		if got := k.Value().Items; !slices.Equal(got, []string{"saved", "unsaved"}) {
			t.Errorf("here: %q", got)
		}
	}
	if got := NewKept(again(s)).Value().Items; !slices.Equal(got, []string{"saved"}) {
		t.Errorf("in another window: %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	unlock, err := s.folder.Lock(ctx, "box.json.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	cancel()
	if err := k.Change(ctx, appended("given up")); !errors.Is(err, context.Canceled) || errors.As(err, &unsaved) {
		t.Errorf("got %v", err)
	}
	if got := k.Value().Items; slices.Contains(got, "given up") {
		t.Errorf("here: %q", got)
	}
}

func TestS20_ChangeOfABrokenStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s.Path(), `{`)
	k := NewKept(s)
	if err := k.Change(t.Context(), appended("new")); err != nil {
		t.Fatal(err)
	}
	if got := NewKept(again(s)); !slices.Equal(got.Value().Items, []string{"new"}) || got.Health() == nil {
		t.Errorf("got %q, health %v", got.Value().Items, got.Health())
	}
	if err := k.Confirm(t.Context()); err != nil || again(s).Health() != nil {
		t.Errorf("confirm: %v, then %v", err, again(s).Health())
	}
	if _, err := os.Stat(s.Path()); err != nil {
		t.Error(err)
	}
}
