package process

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// inherited reports whether a connector's program sees this variable of the sidecar's without being told to (C13): what programs need to run, to reach the network and its proxies, and to reach the agents that sign for the user.
// Names are upper case but for the proxies, which are read in both.
func inherited(name string, windows bool) bool {
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY":
		return true
	}
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LANGUAGE", "TZ":
		return true
	case "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"AWS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "DENO_CERT", "DENO_TLS_CA_STORE", "NIX_SSL_CERT_FILE":
		return true
	case "SSH_AUTH_SOCK", "DOCKER_HOST":
		return true
	}
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") || windows && inheritedOnWindows(name)
}

// inheritedOnWindows is for names in upper case.
func inheritedOnWindows(name string) bool {
	switch name {
	case "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "TEMP", "TMP",
		"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "COMPUTERNAME",
		"APPDATA", "LOCALAPPDATA", "ALLUSERSPROFILE", "PROGRAMDATA", "PUBLIC",
		"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
		"COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432",
		"PROCESSOR_ARCHITECTURE", "PROCESSOR_ARCHITEW6432", "NUMBER_OF_PROCESSORS":
		return true
	}
	return false
}

// Environment is what a connector's program sees of base ("NAME=value" as from os.Environ): the allow-list, the variables named by inherit, and extra over both, sorted.
// On Windows names are compared without regard to case.
// It never holds a marker, and drops names that no environment can hold.
func Environment(base, inherit []string, extra map[string]string) []string {
	return environment(base, inherit, extra, runtime.GOOS == "windows")
}

func environment(base, inherit []string, extra map[string]string, windows bool) []string {
	key := func(name string) string {
		if windows {
			return strings.ToUpper(name)
		}
		return name
	}
	named := make(map[string]bool, len(inherit))
	for _, name := range inherit {
		named[key(name)] = true
	}
	kept := make(map[string]string)
	keep := func(name, value string) {
		if name != "" && !strings.ContainsAny(name, "=\x00") && key(name) != MarkerVar {
			kept[key(name)] = name + "=" + value
		}
	}
	for _, variable := range base {
		name, value, ok := strings.Cut(variable, "=")
		if ok && (inherited(key(name), windows) || named[key(name)]) {
			keep(name, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		keep(name, extra[name])
	}
	return slices.Sorted(maps.Values(kept))
}
