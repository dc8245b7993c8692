package install

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Reason is why a browser cannot be installed, or run.
type Reason string

// The reasons that have steps of their own.
const (
	NoNode     Reason = "no-node"
	OldNode    Reason = "old-node"
	NoNPM      Reason = "no-npm"
	Offline    Reason = "offline"
	NoSpace    Reason = "no-space"
	NotAllowed Reason = "not-allowed"
	NotServed  Reason = "not-served" // the registry does not have the version
	Altered    Reason = "altered"    // what came is not what the lock file says
	NotThere   Reason = "not-installed"
	Other      Reason = "other"
)

// Error is a browser that could not be installed or is not installed. Nothing of it was left.
type Error struct {
	Kind   Kind
	Reason Reason
	Needs  string // the version of Node that it needs; "" where that is not the reason
	Said   string // the end of what the program wrote, which is not ours; may be ""
	Err    error  // may be nil
}

func (e *Error) Error() string { return fmt.Sprintf("install browser %q: %s", e.Kind, e.Clause()) }

// Clause says what is wrong, for a person.
func (e *Error) Clause() string {
	text := e.what()
	if e.Said != "" && e.Reason != OldNode {
		text += "; it said: " + e.Said
	} else if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns what stood behind it.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) what() string {
	switch e.Reason {
	case NoNode:
		return "there is no Node that runs, and it needs " + e.Needs + " or newer"
	case OldNode:
		return e.Said + ", and it needs " + e.Needs + " or newer"
	case NoNPM:
		return "there is Node but no npm"
	case Offline:
		return "npm could not reach the registry"
	case NoSpace:
		return "there is no space left on the disk"
	case NotAllowed:
		return "Pillion's folder could not be written"
	case NotServed:
		return "the registry does not have the version that Pillion knows"
	case Altered:
		return "what the registry sent is not what Pillion's lock file says, and was thrown away"
	case NotThere:
		return "it is not installed yet"
	}
	return "npm could not do it"
}

// Steps is what a person can do about it, in order.
func (e *Error) Steps() []string {
	again := "Then try again: pillion browser install " + string(e.Kind)
	without := `Or choose the browser without Node, which needs none of this: "browserProvider": "native" in your settings.json.`
	switch e.Reason {
	case NoNode, OldNode:
		return []string{"Install Node " + e.Needs + " or newer, so that it is on the PATH of your login shell.", without}
	case NoNPM:
		return []string{"Install npm beside Node (on Debian and Ubuntu: apt install npm).", without}
	case Offline:
		return []string{"Look at the network, and at proxy and registry of npm: npm config list", again, without}
	case NoSpace:
		return []string{"Make some 100 MB free.", again}
	case NotAllowed:
		return []string{"Make the folder writable for yourself.", again}
	case NotServed, Altered:
		return []string{"Look at the registry that npm is set to, a mirror may lack or change it: npm config get registry", without}
	case NotThere:
		return []string{"Install it: pillion browser install " + string(e.Kind)}
	}
	return []string{again, without}
}

// reasonOf reads why npm gave up out of what it wrote: it names a code, which is one of Node's or its own.
func reasonOf(said string) Reason {
	for _, line := range strings.Split(said, "\n") {
		_, code, ok := strings.Cut(line, " code ")
		if !ok || !strings.HasPrefix(line, "npm ") {
			continue
		}
		switch strings.TrimSpace(code) {
		case "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED",
			"ERR_SOCKET_TIMEOUT", "FETCH_ERROR", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "EPROTO":
			return Offline
		case "ENOSPC", "EDQUOT":
			return NoSpace
		case "EACCES", "EPERM", "EROFS":
			return NotAllowed
		case "E404", "ETARGET", "E401", "E403":
			return NotServed
		case "EINTEGRITY":
			return Altered
		}
	}
	return Other
}

// reasonOfFault is why something of ours could not be written.
func reasonOfFault(err error) Reason {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return NoSpace
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return NotAllowed
	}
	return Other
}
