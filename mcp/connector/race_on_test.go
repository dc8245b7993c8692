//go:build race

package connector

const isRace = true
