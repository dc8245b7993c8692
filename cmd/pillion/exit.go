package main

import (
	"errors"
	"fmt"

	"pillion/rpc/message"
)

// The exit codes of every verb.
const (
	exitOK         = 0
	exitFailed     = 1  // it did not work, or the tool says that it did not succeed
	exitUsage      = 2  // the command line or the arguments of a call are wrong
	exitNotAllowed = 3  // declined, refused, or without permission
	exitDown       = 4  // the connector does not run
	exitUnanswered = 75 // a person's answer is missing (EX_TEMPFAIL: ask again later)
)

// failure ends a verb with an exit code, a sentence and what leads on from it. Without a sentence everything is said already.
type failure struct {
	code  int
	err   error
	steps []string
}

func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// fail is a failure of a code; steps are what a person can do about it.
func fail(code int, steps []string, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...), steps: steps}
}

// ended is the failure of a verb that has said everything on its own.
func ended(code int) error {
	if code == exitOK {
		return nil
	}
	return &failure{code: code}
}

// forPeople refuses what a connector started: such a program neither answers nor changes anything for its user (S6).
func forPeople() error {
	if startedByConnector() {
		return fail(exitNotAllowed, nil, "%w", errOfConnector)
	}
	return nil
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	}
	return exitFailed
}

// codeOfCall is the exit code of what came of a call.
func codeOfCall(status message.CallStatus) int {
	switch status {
	case message.CallOK, message.CallTask:
		return exitOK
	case message.CallDeclined, message.CallDenied, message.CallNeedsConsent:
		return exitNotAllowed
	case message.CallConnectorDown, message.CallNeedsLogin:
		return exitDown
	case message.CallInvalidArguments:
		return exitUsage
	}
	return exitFailed
}
