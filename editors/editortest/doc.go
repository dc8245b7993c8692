// Package editortest is a fake editor that speaks the real protocol to a real Pillion process, for tests that say what a
// user does.
// It shows nothing and is no editor's behaviour in particular; those are driven by the journeys of editors/e2e.
package editortest
