//go:build !race

package connector

const isRace = false
