package devtools

import "testing"

func TestS22_OnlyABrowserOfThisMachineIsAttachedTo(t *testing.T) {
	for written, want := range map[string]string{
		"127.0.0.1:9222": "127.0.0.1:9222", "localhost:9222": "127.0.0.1:9222", "LOCALHOST:1": "127.0.0.1:1", "http://[::1]:9222/": "[::1]:9222",
		"127.8.8.8:9222": "127.8.8.8:9222",

		"": "", "9222": "", "127.0.0.1": "", "127.0.0.1:0": "", "127.0.0.1:x": "", "127.0.0.1:99999": "", "0.0.0.0:9222": "", "10.0.0.1:9222": "",
		"[::1%lo]:9222": "", "example.com:9222": "", "localhost.example.com:9222": "", "https://127.0.0.1:9222": "", "127.0.0.1:9222/x": "",
		"user@127.0.0.1:9222": "", "127.1:9222": "", "2130706433:9222": "",
	} {
		if got, err := LoopbackAddress(written); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", written, got, err, want)
		}
	}
}
