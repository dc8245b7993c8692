package hint

import (
	"slices"
	"strings"
)

// near reports whether a word of the first list stands at most so many words before one of the second, in one sentence.
func near(words, first, second []string, distance int) bool {
	for i, word := range words {
		if slices.Contains(first, word) && reaches(words, i, second, distance) {
			return true
		}
	}
	return false
}

// reaches reports whether one of the words stands at most so many after the one at i, in its sentence.
func reaches(words []string, i int, wanted []string, distance int) bool {
	for j := i + 1; j < len(words) && j <= i+distance && words[j] != "."; j++ {
		if slices.Contains(wanted, words[j]) {
			return true
		}
	}
	return false
}

// says reports whether the words of one of the phrases stand there one after the other.
func says(words []string, phrases ...string) bool {
	for _, phrase := range phrases {
		wanted := strings.Fields(phrase)
		for i := 0; i+len(wanted) <= len(words); i++ {
			if slices.Equal(words[i:i+len(wanted)], wanted) {
				return true
			}
		}
	}
	return false
}

// isOrder reports whether the word at i stands where somebody is told to do it, rather than inside of a sentence about it.
func isOrder(words []string, i int) bool {
	return i == 0 || slices.Contains([]string{".", ",", "and", "then", "please", "now", "to", "you", "also", "first", "just", "ahead", "let's", "lets", "hey", "next"}, words[i-1])
}

// orders reports whether one of the verbs is an order that one of the words follows soon.
func orders(words, verbs, wanted []string, distance int) bool {
	for i, word := range words {
		if slices.Contains(verbs, word) && isOrder(words, i) && reaches(words, i, wanted, distance) {
			return true
		}
	}
	return false
}

func code() []string {
	return []string{
		"function", "class", "method", "helper", "module", "library", "code", "test", "tests", "spec", "specs", "type", "types", "component", "script",
		"support", "api", "option", "flag", "error", "handler", "file", "fixture", "dependency", "package", "mock", "interface", "feature", "hook",
		"regex", "config", "template", "httptest", "parser",
	}
}

// isAboutCode reports whether code is to be written, read or explained, rather than something to be looked at.
func isAboutCode(words []string) bool {
	makes := []string{
		"write", "implement", "refactor", "rename", "explain", "document", "review", "add", "create", "fix", "update", "remove", "delete", "move",
		"extract", "convert", "port", "upgrade", "bump", "install", "generate", "describe", "summarize", "why", "how", "what",
	}
	return near(words, makes, code(), 8)
}

// declines reports whether the message says that no browser is wanted.
func declines(words []string) bool {
	return near(words, []string{"don't", "dont", "not", "without", "no"}, []string{"browser", "screenshot", "screenshots", "playwright", "puppeteer"}, 4) ||
		says(words, "just the code", "code only", "only the code", "only change the code", "only edit")
}

// opensAddress reports whether an address stands there to be opened.
func opensAddress(words []string) bool {
	opens := []string{
		"open", "visit", "navigate", "browse", "load", "goto", "go", "look", "check", "see", "try", "test", "inspect", "debug", "reproduce",
		"screenshot", "view", "log", "sign", "login", "find", "have", "click", "walk",
	}
	for i, word := range words {
		if !isAddress(word) {
			continue
		}
		before := sentenceBefore(words, i)
		switch {
		case isValue(before) || isAboutCode(words[i:]) && !isLocal(word):
		case namesCode(before):
		case seesTrouble(words):
			return true
		case orders(append(slices.Clone(before), word), opens, []string{word}, 12) && (isLocal(word) || !isWork(words)):
			return true
		case slices.Contains(before, "opening") || slices.Contains(before, "visiting") || says(words, "what's on", "what is on"):
			return true
		}
	}
	return false
}

// namesCode reports whether code is named, and not only by a word that is an order too, such as test.
func namesCode(words []string) bool {
	for i, word := range words {
		if slices.Contains(code(), word) && !isOrder(words, i) {
			return true
		}
	}
	return false
}

// isValue reports whether words like these before an address make it a value in code.
func isValue(before []string) bool {
	making := []string{
		"set", "change", "replace", "use", "add", "hardcode", "hardcoded", "configure", "default", "defaults", "constant", "variable", "env", "config",
		"curl", "parse", "fetches", "endpoint", "proxy", "cors", "readme", "docs", "documentation", "rename", "write", "implement",
	}
	return slices.ContainsFunc(before, func(word string) bool { return slices.Contains(making, word) })
}

// isWork reports whether the message asks for work for which an address of elsewhere only holds what to do.
func isWork(words []string) bool {
	for i, word := range words {
		if isOrder(words, i) && slices.Contains([]string{"fix", "implement", "refactor", "port", "write", "add", "apply", "follow", "update"}, word) {
			return true
		}
	}
	return false
}

func isLocal(address string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.HasPrefix(address, "localhost") || strings.HasPrefix(address, "127.") || strings.HasPrefix(address, "0.0.0.0") || strings.HasPrefix(address, "[::1]")
}

func sentenceBefore(words []string, i int) []string {
	start := i
	for start > 0 && words[start-1] != "." {
		start--
	}
	return words[start:i]
}

// seesTrouble reports whether something is told that only whoever looks at the page can see.
func seesTrouble(words []string) bool {
	return says(words, "blank page", "white page", "white screen", "blank screen", "looks wrong", "looks broken", "looks off", "is broken", "does nothing",
		"shows nothing", "doesn't load", "does not load", "won't load", "not rendering", "doesn't render", "does not render")
}

// asksForBrowser reports whether a browser or a picture is asked for by its name.
func asksForBrowser(words []string) bool {
	if isAboutCode(words) || near(words, []string{"browser", "screenshot", "screenshots", "chrome"}, code(), 1) {
		return false
	}
	return orders(words, []string{"open", "use", "start", "launch", "check", "test", "try", "verify", "look", "see", "run", "reproduce", "debug", "show"},
		[]string{"browser", "chrome", "chromium"}, 8) ||
		orders(words, []string{"take", "make", "get", "grab", "send", "show", "give", "attach", "capture"}, []string{"screenshot", "screenshots"}, 5) ||
		near(words, []string{"need", "want"}, []string{"screenshot", "screenshots"}, 5) ||
		len(words) > 1 && words[0] == "screenshot" ||
		says(words, "use playwright to", "use puppeteer to")
}

func pages() []string {
	return []string{"button", "link", "menu", "page", "form", "field", "checkbox", "dropdown", "tab", "modal", "popup", "site", "app", "website", "cookie", "banner", "navbar", "homepage"}
}

// actsInPage reports whether the agent is told to act on something of a page.
func actsInPage(words []string) bool {
	if isAboutCode(words) || says(words, "click handler", "on click", "onclick", "log the", "type the", "type of", "log a") {
		return false
	}
	return orders(words, []string{"click", "press", "tap", "hover", "scroll", "submit", "fill", "type", "log", "sign", "login", "accept"}, pages(), 7) ||
		orders(words, []string{"verify", "check", "see", "test", "confirm"}, []string{"clicking", "pressing", "submitting", "hovering", "scrolling"}, 6) ||
		orders(words, []string{"go", "walk", "click", "step"}, []string{"flow", "wizard", "checkout", "onboarding"}, 5)
}

// watchesPage reports whether it is asked how a running page looks or behaves.
func watchesPage(words []string) bool {
	if isAboutCode(words) || near(words, []string{"rendered"}, []string{"html", "output", "template", "string", "markup"}, 1) {
		return false
	}
	return says(words, "in the devtools", "in devtools", "browser console", "console of the page", "network tab", "errors on the page",
		"looks like on mobile", "look like on mobile", "how does the page look", "how the page looks", "what does the page look like", "what the page looks like",
		"how does it look in the", "see how it looks", "check how it looks", "does the page render", "is the page rendering", "the page renders correctly",
		"page looks right", "page looks correct", "looks right on the page", "in the running app", "on the running site",
		"check the page for", "check the site for", "check the website for", "inspect the page for") ||
		near(words, []string{"page", "app", "site"}, []string{"running"}, 4) && says(words, "on port", "running on port") ||
		orders(words, []string{"look", "check", "see", "verify", "confirm", "make"}, []string{"rendered", "renders", "rendering", "visible", "visually"}, 10) &&
			slices.ContainsFunc(words, func(word string) bool { return slices.Contains(pages(), word) })
}
