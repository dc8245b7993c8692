package browser_test

import (
	"testing"

	"pillion/browser"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	installed := map[browser.Name]bool{browser.Playwright: true, browser.ChromeDevTools: true}
	for _, test := range []struct {
		setting browser.Name
		facts   browser.Facts
		want    browser.Name
	}{
		{browser.Auto, browser.Facts{}, browser.Native},
		{browser.Auto, browser.Facts{HasNode: true}, browser.Native},
		{browser.Auto, browser.Facts{HasNode: true, IsInstalled: installed}, browser.Playwright},
		{browser.Auto, browser.Facts{IsInstalled: installed}, browser.Native},
		{browser.Native, browser.Facts{HasNode: true, IsInstalled: installed}, browser.Native},
		{browser.Playwright, browser.Facts{}, browser.Playwright},
		{browser.ChromeDevTools, browser.Facts{HasNode: true, IsInstalled: installed}, browser.ChromeDevTools},
		{"", browser.Facts{HasNode: true, IsInstalled: installed}, browser.Playwright},
		{"Native", browser.Facts{}, browser.Native},
	} {
		if got, why := browser.Choose(test.setting, test.facts); got != test.want || why == "" {
			t.Errorf("Choose(%q, %+v) = %q, %q; want %q", test.setting, test.facts, got, why, test.want)
		}
	}
}
