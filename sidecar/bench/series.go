package main

import (
	"fmt"
	"slices"
	"time"
)

// series holds one figure of each round.
type series []float64

// median returns the middle of the rounds; with an even number, the mean of the two in the middle.
func (s series) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// over divides round by round: what slowed the machine down in a round counts on both sides.
func (s series) over(floor series) series {
	ratios := make(series, len(s))
	for i := range s {
		ratios[i] = s[i] / floor[i]
	}
	return ratios
}

func (s series) text(u unit) string {
	return fmt.Sprintf("%s (%s..%s)", u.text(s.median()), u.text(slices.Min(s)), u.text(slices.Max(s)))
}

// unit is how figures are written.
type unit string

const (
	ratio     unit = ""
	times     unit = "time" // of nanoseconds
	mebibytes unit = "MiB"  // of bytes
)

func (u unit) text(value float64) string {
	switch u {
	case times:
		return precise(time.Duration(value)).String()
	case mebibytes:
		return fmt.Sprintf("%.1f MiB", value/(1<<20))
	}
	return fmt.Sprintf("%.2f", value)
}

// precise keeps three digits.
func precise(d time.Duration) time.Duration {
	step := time.Duration(1)
	for d/step >= 1000 {
		step *= 10
	}
	return d.Round(step)
}

// middle is the p50 of the times of single calls or starts.
func middle(times []time.Duration) float64 {
	return float64(slices.Sorted(slices.Values(times))[len(times)/2])
}
