package connector

import (
	"time"
)

// State is where a connector is in its life.
type State string

// The states of a connector.
const (
	StateIdle     State = "idle" // never started
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateFailed   State = "failed" // Status.Problem says why
	StateStopping State = "stopping"
	StateStopped  State = "stopped"
)

// Status describes a connector at one moment.
type Status struct {
	State State
	// Problem says why the connector is not running; nil unless State is StateFailed.
	Problem *Problem
	Server  Server
	// Instructions are the server's own words to a model: data, never markup or a command.
	Instructions string
	// Generation is that of the catalogue, 0 before the first.
	Generation int
	// Catalogue is the last complete one; nil before the first. It survives the process.
	Catalogue *Catalogue
	// PID is 0 when there is no process.
	PID       int
	StartedAt time.Time
	LogFile   string
	// Phase is what a starting connector is waiting for, as a short phrase.
	Phase string
	// Warnings are sentences about what was wrong but did not matter: skipped lines, late answers, incomplete lists.
	Warnings []string
}

// Server is what the program says it is; it identifies nothing.
type Server struct {
	Name            string
	Version         string
	ProtocolVersion string
}

// Change tells what changed and what it is now.
type Change struct {
	State State
	// Phase is what a starting connector is waiting for.
	Phase string
	// Catalogue is set when a new generation was published.
	Catalogue *Catalogue
	// Problem is set when State is StateFailed.
	Problem *Problem
	// Warning is set when a sentence was added to Status.Warnings.
	Warning string
}
