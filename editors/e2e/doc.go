// Package e2e drives Pillion from real editors and against real connectors, as a person at the keyboard does.
// It holds tests alone, under the build tag e2e, and installs nothing: `make e2e` puts editors and connectors into the
// cache folder first (beds/install.sh) and runs the tests cut off from the network (beds/hermetic.sh).
package e2e
