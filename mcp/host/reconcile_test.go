package host

import "testing"

func TestReconcile(t *testing.T) {
	allowed := standing{needsYes: true, isAllowed: true}
	for name, test := range map[string]struct {
		standing standing
		running  running
		isEager  bool
		want     action
	}{
		"waiting starts nothing (B1)":                 {standing: standing{needsYes: true}, want: actionNone},
		"allowed, never listed: starts once (C3)":     {standing: allowed, want: actionStart},
		"allowed and listed stays lazy (C3)":          {standing: allowed, running: running{isListed: true}, want: actionNone},
		"eager starts though listed":                  {standing: allowed, running: running{isListed: true}, isEager: true, want: actionStart},
		"own connector starts without a question":     {standing: standing{}, want: actionStart},
		"running stays":                               {standing: allowed, running: running{activity: activityReady, hash: "h"}, want: actionNone},
		"changed definition restarts":                 {standing: allowed, running: running{activity: activityReady, hash: "old"}, want: actionRestart},
		"changed and not allowed stops":               {standing: standing{needsYes: true}, running: running{activity: activityReady, hash: "old"}, want: actionStop},
		"disabled stops (C08)":                        {standing: standing{isDisabled: true}, running: running{activity: activityReady, hash: "h"}, want: actionStop},
		"disabled while starting stops (C18)":         {standing: standing{isDisabled: true}, running: running{activity: activityStarting, hash: "h"}, want: actionStop},
		"disabled never starts (C08)":                 {standing: standing{isDisabled: true}, want: actionNone},
		"denied stops":                                {standing: standing{needsYes: true, isDenied: true}, running: running{activity: activityReady, hash: "h"}, want: actionStop},
		"untrusted workspace stops an allowed one":    {standing: standing{needsYes: true, isAllowed: true, isUntrusted: true}, running: running{activity: activityReady, hash: "h"}, want: actionStop},
		"untrusted workspace leaves the user's alone": {standing: standing{isUntrusted: true}, want: actionStart},
		"failed is not retried by itself":             {standing: allowed, running: running{activity: activityFailed, hash: "h"}, want: actionNone},
		"failed and changed starts":                   {standing: allowed, running: running{activity: activityFailed, hash: "old"}, want: actionStart},
		"stopped by the user stays stopped":           {standing: standing{isStopped: true}, want: actionNone},
		"stopping is waited for":                      {standing: allowed, running: running{activity: activityStopping}, want: actionNone},
		"itself is never started (A11)":               {standing: standing{isSelf: true}, want: actionNone},
		"a faulty entry is never started":             {standing: standing{hasFault: true, needsYes: true, isAllowed: true}, want: actionNone},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reconcile(test.standing, "h", test.running, test.isEager); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestStateOf(t *testing.T) {
	for name, test := range map[string]struct {
		standing standing
		activity activity
		want     State
	}{
		"needs permission": {standing{needsYes: true}, activityNone, StateWaiting},
		"permission is not enough when untrusted (B5)": {standing{needsYes: true, isAllowed: true, isUntrusted: true}, activityNone, StateWaiting},
		"blocked":                         {standing{needsYes: true, isDenied: true}, activityNone, StateDenied},
		"disabled beats blocked":          {standing{isDisabled: true, isDenied: true}, activityNone, StateDisabled},
		"a fault is not a question (C01)": {standing{needsYes: true, hasFault: true}, activityNone, StateFailed},
		"idle":                            {standing{}, activityNone, StateIdle},
		"ready":                           {standing{}, activityReady, StateReady},
		"starting":                        {standing{}, activityStarting, StateStarting},
		"failed":                          {standing{}, activityFailed, StateFailed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stateOf(test.standing, test.activity); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
