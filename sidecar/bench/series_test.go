package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		rounds series
		want   float64
	}{
		{series{3}, 3},
		{series{9, 1, 5}, 5},
		{series{4, 1, 3, 2}, 2.5},
	} {
		before := slices.Clone(test.rounds)
		if got := test.rounds.median(); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.rounds, got, test.want)
		}
		if !slices.Equal(test.rounds, before) {
			t.Errorf("the rounds %v became %v", before, test.rounds)
		}
	}
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	got := series{2, 30, 4}.over(series{1, 10, 4})
	if want := (series{2, 3, 1}); !slices.Equal(got, want) {
		t.Errorf("ratios %v, want %v", got, want)
	}
}

func TestTextOfFigures(t *testing.T) {
	for _, test := range []struct {
		figures series
		unit    unit
		want    string
	}{
		{series{1.149, 1.1, 1.304}, ratio, "1.15 (1.10..1.30)"},
		{series{123_456, 99_400, 12_345_678}, times, "123µs (99.4µs..12.3ms)"},
		{series{40 << 20, 30.26 * (1 << 20)}, mebibytes, "35.1 MiB (30.3 MiB..40.0 MiB)"},
	} {
		if got := test.figures.text(test.unit); got != test.want {
			t.Errorf("%v reads %q, want %q", test.figures, got, test.want)
		}
	}
}

func TestMiddleOfTimes(t *testing.T) {
	if got := middle([]time.Duration{50, 10, 30, 20, 40}); got != 30 {
		t.Errorf("p50 is %v, want 30", got)
	}
}

func TestLimitIsSaidPlainly(t *testing.T) {
	for _, test := range []struct {
		figures series
		want    string
		over    int
	}{
		{series{1.0, 1.15, 9}, "within the limit of 1.15", 0},
		{series{1.0, 1.16, 9}, "over the limit of 1.15", 1},
	} {
		var out bytes.Buffer
		r := report{out: &out}
		r.limited("Pillion/relay", test.figures, ratio, relayLimit)
		if !strings.HasSuffix(out.String(), test.want+"\n") || r.over != test.over {
			t.Errorf("%v: printed %q with %d over, want %q and %d", test.figures, out.String(), r.over, test.want, test.over)
		}
	}
}
