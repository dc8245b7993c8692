//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	const leader, start = 100, 1000
	row := func(pid, parent, group, session int, started uint64) entry {
		return entry{identity: identity{pid, started}, parent: parent, group: group, session: session}
	}
	zombie := func(e entry) entry { e.ended = true; return e }
	own := target{leader: identity{leader, start}, marker: "1-abc/x", since: start}
	marked := map[int]string{
		50:  MarkerVar + "=1-abc/x\x00",                // started before the leader
		201: "A=b\x00" + MarkerVar + "=1-abc/x\x00C=d", // a stray
		202: MarkerVar + "=1-abc/xy\x00",               // another connector
		203: MarkerVar + "=1-abd/x\x00",                // another window
		204: "NOT_" + MarkerVar + "=1-abc/x\x00",       // another variable
		205: "A=" + MarkerVar + "=1-abc/x\x00",         // another value
	}
	environ := func(pid int) ([]byte, error) {
		if pid == 206 {
			return nil, errors.New("of another user")
		}
		return []byte(marked[pid]), nil
	}
	bystander := row(300, 1, 300, 300, 1500)
	tests := []struct {
		name   string
		target target
		table  []entry
		want   []int
	}{
		{"group, session and neither", own, []entry{
			row(leader, 9, leader, leader, start), row(101, leader, leader, leader, 1001),
			row(102, 1, 102, leader, 1002), row(103, 1, leader, 77, 1003), bystander,
		}, []int{leader, 101, 102, 103}},
		{"what is left when the leader has been reaped", own, []entry{row(101, 1, leader, leader, 1001), bystander}, []int{101}},
		{"the leader waits to be reaped", own, []entry{zombie(row(leader, 9, leader, leader, start)), row(101, 1, leader, leader, 1001)}, []int{101}},
		{"the leader's id belongs to a stranger", own, []entry{row(leader, 1, leader, leader, 5000), row(101, leader, leader, leader, 5001)}, nil},
		{"a stranger has the id, a stray remains", own, []entry{row(leader, 1, leader, leader, 5000), row(201, 1, 201, 201, 1001)}, []int{201}},
		{"markers", own, []entry{
			row(50, 1, 50, 50, 999), row(201, 1, 201, 201, 1001), row(202, 1, 202, 202, 1001), row(203, 1, 203, 203, 1001),
			row(204, 1, 204, 204, 1001), row(205, 1, 205, 205, 1001), row(206, 1, 206, 206, 1001),
		}, []int{201}},
		{"descendants of a stray, in any order of the table", own, []entry{
			row(403, 402, 403, 403, 1004), row(402, 401, 402, 402, 1003), row(401, 201, 401, 401, 1002), row(201, 1, 201, 201, 1001), bystander,
		}, []int{201, 401, 402, 403}},
		{"the marker alone is known", target{marker: "1-abc/x", since: 5}, []entry{row(50, 1, 50, 50, 999), row(0, 0, 0, 0, 6), bystander}, []int{50}},
		{"never this process or the first", own, []entry{row(os.Getpid(), leader, leader, leader, 1001), row(1, 0, leader, leader, 1001)}, nil},
		{"an empty table", own, nil, nil},
	}
	for _, test := range tests {
		var got []int
		for _, e := range test.target.members(test.table, environ) {
			got = append(got, e.pid)
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// A process that SIGKILL does not end, stuck in the kernel, must not hold up a shutdown for ever.
func TestTearDown_GivesUp(t *testing.T) {
	t.Parallel()
	stuck := entry{identity: identity{1 << 30, 7}, group: 1 << 29, session: 1 << 29}
	tr := newTree(target{leader: identity{1 << 29, 5}, marker: "1-abc/x", since: 5})
	tr.entries = func() ([]entry, error) { return []entry{stuck}, nil }
	if tearDown(tr, Timing{}, nil, nil, time.Millisecond) {
		t.Error("said to be gone")
	}
	// One that runs as another user by now is not waited for at all.
	tr.beyond[stuck.identity] = true
	if !tearDown(tr, Timing{EOF: bound, Term: bound}, nil, nil, bound) {
		t.Error("waited for what is out of reach")
	}
}

func TestTree_WithoutATable(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("deaf", "/"))
	tr := newTree(p.child.tree.target)
	tr.entries = func() ([]entry, error) { return nil, errors.New("no table") }
	if tr.scan() == 0 {
		t.Error("the group is not seen")
	}
	tr.leader.pid = 1 << 29
	if tr.scan() != 0 {
		t.Error("a group that cannot be is seen")
	}
}

func TestSend_OnlyToTheVeryProcess(t *testing.T) {
	t.Parallel()
	p := run(t, specFor("deaf", "/"))
	id := p.child.tree.leader
	later := identity{id.pid, id.started + 1}
	if err := send(later, 9); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("to one with the same id: %v", err)
	}
	if err := sendByID(later, 9); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("to one with the same id: %v", err)
	}
	if !id.lives() || later.lives() {
		t.Fatalf("%v lives: %v, %v lives: %v", id, id.lives(), later, later.lives())
	}
	if err := sendByID(id, 9); err != nil {
		t.Error(err)
	}
	within(t, "its end", p.Gone())
	if err := send(id, 9); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("after its end: %v", err)
	}
}

func TestEnvironOfArguments(t *testing.T) {
	t.Parallel()
	const text = "\x02\x00\x00\x00/bin/sh\x00\x00\x00\x00sh\x00-c\x00A=b\x00C=d\x00"
	got, err := environOfArguments([]byte(text))
	if err != nil || string(got) != "A=b\x00C=d\x00" {
		t.Errorf("%q, %v", got, err)
	}
	for _, short := range []string{"", "\x01", "\x01\x00\x00\x00", "\x09\x00\x00\x00/bin/sh\x00sh\x00"} {
		if got, err := environOfArguments([]byte(short)); err == nil {
			t.Errorf("%q: %q", short, got)
		}
	}
}

func FuzzEnvironOfArguments(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00/bin/sh\x00\x00sh\x00-c\x00A=b\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := environOfArguments(text); err == nil && len(got) > len(text) {
			t.Errorf("%q out of %q", got, text)
		}
	})
}
