package devtools

import "strings"

// switches are what the browser is started with. Whatever would make it talk to somebody of its own accord is off, and
// whatever it connects to goes through the relay, loopback too, by which names are looked up as well (S22).
func switches(o Options, profile string) []string {
	given := []string{
		"--headless",
		"--remote-debugging-pipe",
		"--user-data-dir=" + profile,
		"--no-startup-window",
		// Documents of two sites are never one target, so that what a target tells is of one of them.
		"--site-per-process",
		"--window-size=1280,800",
		"--no-first-run", "--no-default-browser-check", "--no-service-autorun", "--no-pings",
		"--disable-search-engine-choice-screen", "--disable-default-apps", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", "--disable-sync",
		"--disable-client-side-phishing-detection", "--disable-breakpad", "--disable-crash-reporter",
		"--metrics-recording-only",
		"--disable-field-trial-config",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-prompt-on-repost", "--disable-popup-blocking", "--disable-ipc-flooding-protection",
		// Scripts are told of the role and the name of each element, which makes a snapshot several times as fast.
		"--enable-blink-features=ComputedAccessibilityInfo",
		"--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb",
		"--password-store=basic", "--use-mock-keychain",
		"--disable-gpu",
		"--disable-features=" + strings.Join(withoutFeatures(), ","),
		// A name is never looked up by the browser itself.
		"--proxy-server=http://" + o.Relay,
		"--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
	if o.WithoutSandbox {
		given = append(given, "--no-sandbox")
	}
	return given
}

func withoutFeatures() []string {
	return []string{
		"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DestroyProfileOnBrowserClose",
		"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "InterestFeedContentSuggestions", "MediaRouter",
		"OptimizationHints", "PaintHolding", "Translate",
		// A page that is fetched before anybody goes there, and one that goes on after it was left.
		"Prerender2", "SpeculationRulesPrefetchFuture", "BackForwardCache",
	}
}
