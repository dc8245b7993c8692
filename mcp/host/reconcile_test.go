package host

import "testing"

func TestReconcile(t *testing.T) {
	t.Parallel()
	own := standing{}
	waiting := standing{needsYes: true}
	allowed := standing{needsYes: true, isAllowed: true}
	untrusted := standing{needsYes: true, isAllowed: true, isUntrusted: true}
	disabled := standing{isDisabled: true}
	ready, starting, stopping := life{activity: activityReady, key: "k"}, life{activity: activityStarting, key: "k"}, life{activity: activityStopping, key: "k"}
	failed := life{activity: activityFailed, key: "k"}
	old := life{activity: activityReady, key: "old"}
	wishing := func(l life, w wish) life { l.wish = w; return l }
	calling := func(l life) life { l.calls = 1; return l }
	for name, test := range map[string]struct {
		wanted wanted // its key is k
		life   life
		want   action
		left   wish
	}{
		"waiting starts nothing (B1)":                 {wanted: wanted{standing: waiting}},
		"allowed, never listed: starts once (C3)":     {wanted: wanted{standing: allowed}, want: actionStart},
		"allowed and listed stays lazy (C3)":          {wanted: wanted{standing: allowed, isListed: true}},
		"eager starts though listed":                  {wanted: wanted{standing: allowed, isListed: true, isEager: true}, want: actionStart},
		"a still session starts nothing by itself":    {wanted: wanted{isStill: true, isEager: true}},
		"own connector starts without a question":     {wanted: wanted{standing: own}, want: actionStart},
		"running stays":                               {wanted: wanted{standing: allowed}, life: ready},
		"changed definition stops":                    {wanted: wanted{standing: allowed}, life: old, want: actionStop},
		"changed and not allowed stops":               {wanted: wanted{standing: waiting}, life: old, want: actionStop},
		"changed while starting stops":                {wanted: wanted{standing: own}, life: life{activity: activityStarting, key: "old"}, want: actionStop},
		"disabled stops (C08)":                        {wanted: wanted{standing: disabled}, life: ready, want: actionStop},
		"disabled while starting stops (C18)":         {wanted: wanted{standing: disabled}, life: starting, want: actionStop},
		"disabled never starts (C08)":                 {wanted: wanted{standing: disabled}},
		"denied stops":                                {wanted: wanted{standing: standing{needsYes: true, isDenied: true}}, life: ready, want: actionStop},
		"untrusted workspace stops an allowed one":    {wanted: wanted{standing: untrusted}, life: ready, want: actionStop},
		"untrusted workspace leaves the user's alone": {wanted: wanted{standing: standing{isUntrusted: true}}, want: actionStart},
		"failed is not retried by itself":             {wanted: wanted{standing: allowed}, life: failed},
		"failed and changed starts":                   {wanted: wanted{standing: allowed}, life: life{activity: activityFailed, key: "old"}, want: actionStart},
		"stopping is waited for":                      {wanted: wanted{standing: allowed}, life: wishing(stopping, wishStart), left: wishStart},
		"itself is never started (A11)":               {wanted: wanted{standing: standing{isSelf: true}}, life: life{wish: wishStart}, left: wishStart},
		"a faulty entry is never started":             {wanted: wanted{standing: standing{hasFault: true, needsYes: true, isAllowed: true}}},

		"a call starts what is idle (C3)":               {wanted: wanted{isListed: true}, life: life{wish: wishStart}, want: actionStart},
		"a call starts what failed":                     {wanted: wanted{}, life: wishing(failed, wishStart), want: actionStart},
		"a call starts in a still session":              {wanted: wanted{isStill: true}, life: life{wish: wishStart}, want: actionStart},
		"a call waits for the yes (B1)":                 {wanted: wanted{standing: waiting}, life: life{wish: wishStart}, left: wishStart},
		"a call finds what runs":                        {wanted: wanted{}, life: wishing(ready, wishStart)},
		"a call joins the start":                        {wanted: wanted{}, life: wishing(starting, wishStart)},
		"a call outlasts the change":                    {wanted: wanted{}, life: wishing(old, wishStart), want: actionStop, left: wishStart},
		"stopped by the user ends":                      {wanted: wanted{}, life: wishing(ready, wishStop), want: actionStop, left: wishStop},
		"stopped by the user while it starts":           {wanted: wanted{}, life: wishing(starting, wishStop), want: actionStop, left: wishStop},
		"stopped by the user ends with a call":          {wanted: wanted{}, life: calling(wishing(ready, wishStop)), want: actionStop, left: wishStop},
		"stopped by the user stays stopped":             {wanted: wanted{}, life: life{wish: wishStop}, left: wishStop},
		"stopped by the user stays stopped, eager":      {wanted: wanted{isEager: true}, life: life{wish: wishStop}, left: wishStop},
		"restart stops, then starts":                    {wanted: wanted{}, life: wishing(ready, wishRestart), want: actionStop, left: wishStart},
		"restart while it starts":                       {wanted: wanted{}, life: wishing(starting, wishRestart), want: actionStop, left: wishStart},
		"restart without a process starts":              {wanted: wanted{isListed: true}, life: life{wish: wishRestart}, want: actionStart},
		"restart after a failure starts":                {wanted: wanted{}, life: wishing(failed, wishRestart), want: actionStart},
		"restart of what may not run waits":             {wanted: wanted{standing: waiting}, life: life{wish: wishRestart}, left: wishStart},
		"restart of what may not run any more stops it": {wanted: wanted{standing: disabled}, life: wishing(ready, wishRestart), want: actionStop, left: wishStart},
		"idle ends (C7)":                                {wanted: wanted{}, life: wishing(ready, wishIdle), want: actionStop},
		"a call counts more than idleness":              {wanted: wanted{}, life: calling(wishing(ready, wishIdle))},
		"idleness of what is gone is nothing":           {wanted: wanted{isListed: true}, life: wishing(failed, wishIdle)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.wanted.key = "k"
			if got, left := reconcile(test.wanted, test.life); got != test.want || left != test.left {
				t.Errorf("got %v and the wish %v, want %v and %v", got, left, test.want, test.left)
			}
		})
	}
}

func TestThen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, next, want wish }{
		{wishNone, wishStart, wishStart}, {wishNone, wishIdle, wishIdle}, {wishNone, wishStop, wishStop}, {wishNone, wishRestart, wishRestart},
		{wishIdle, wishStart, wishStart}, {wishIdle, wishRestart, wishRestart}, {wishIdle, wishStop, wishStop},
		{wishStop, wishStart, wishStart}, {wishStop, wishRestart, wishRestart}, {wishStop, wishIdle, wishStop},
		{wishStart, wishStop, wishStop}, {wishStart, wishIdle, wishStart}, {wishStart, wishRestart, wishRestart},
		{wishRestart, wishStart, wishRestart}, {wishRestart, wishStop, wishStop}, {wishRestart, wishIdle, wishRestart},
	} {
		if got := test.old.then(test.next); got != test.want {
			t.Errorf("%v then %v: %v, want %v", test.old, test.next, got, test.want)
		}
	}
}

func TestStateOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wanted wanted
		life   life
		want   State
	}{
		"needs permission": {wanted{standing: standing{needsYes: true}}, life{}, StateWaiting},
		"permission is not enough when untrusted (B5)": {wanted{standing: standing{needsYes: true, isAllowed: true, isUntrusted: true}}, life{}, StateWaiting},
		"blocked":                              {wanted{standing: standing{needsYes: true, isDenied: true}}, life{}, StateDenied},
		"disabled beats blocked":               {wanted{standing: standing{isDisabled: true, isDenied: true}}, life{}, StateDisabled},
		"a fault is not a question (C01)":      {wanted{standing: standing{needsYes: true, hasFault: true}}, life{}, StateFailed},
		"idle":                                 {wanted{isListed: true}, life{}, StateIdle},
		"a start is due, for nothing is known": {wanted{}, life{}, StateStarting},
		"a start is due, for somebody waits":   {wanted{isListed: true}, life{activity: activityFailed, wish: wishStart}, StateStarting},
		"nothing starts by itself":             {wanted{isStill: true}, life{}, StateIdle},
		"ready":                                {wanted{isListed: true}, life{activity: activityReady}, StateReady},
		"starting":                             {wanted{}, life{activity: activityStarting}, StateStarting},
		"failed":                               {wanted{}, life{activity: activityFailed}, StateFailed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stateOf(test.wanted, test.life); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
