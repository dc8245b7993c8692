package node

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"pillion/browser/install"
)

// session is what one server of Node may use.
type session struct {
	folder string // private, and gone with the session
	pipe   string // the socket that a browser is had by
}

const (
	writtenFolder   = "written"
	temporaryFolder = "tmp"
)

func (s session) written() string   { return filepath.Join(s.folder, writtenFolder) }
func (s session) temporary() string { return filepath.Join(s.folder, temporaryFolder) }
func (s session) home() string      { return filepath.Join(s.folder, "home") }

// prepare makes the folders.
func (s session) prepare() error {
	for _, folder := range []string{s.written(), s.temporary(), s.home()} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// arguments are those of the server. What it is told of its browser is that Pillion's own program is one.
func (s session) arguments(k install.Kind, executable string) []string {
	switch k {
	case install.Playwright:
		return []string{
			"--headless", "--isolated", "--no-sandbox", "--executable-path", executable, "--output-dir", s.written(),
			"--viewport-size", "1280x800", "--codegen", "none", "--file-paths", "absolute", "--no-webmcp", "--idle-timeout", "0",
			"--timeout-action", "10000",
		}
	case install.ChromeDevTools:
		return []string{
			"--headless", "--isolated", "--executablePath", executable, "--viewport", "1280x800", "--chromeArg=--no-sandbox",
			"--no-usage-statistics", "--no-performance-crux", "--no-page-id-routing", "--no-file-navigations", "--no-source-maps",
			"--filesystemRoot", s.written(),
		}
	}
	return nil
}

// command is the server, which runs in this process's own group and ends with it. It sees no home of the user's, and nothing that
// would have Node load other code.
func (s session) command(o Options) *exec.Cmd {
	c := exec.Command(o.Node, append([]string{o.Script}, s.arguments(o.Kind, o.Executable)...)...)
	c.Dir = s.written()
	c.Env = append(slices.DeleteFunc(slices.Clone(o.Native.Env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "NODE_") || strings.HasPrefix(name, "PLAYWRIGHT_") || strings.HasPrefix(name, "PW") ||
			strings.HasPrefix(name, "PUPPETEER_") || strings.HasPrefix(name, "CHROME_DEVTOOLS_MCP_") || name == "DEBUG"
	}),
		"HOME="+s.home(), "USERPROFILE="+s.home(), "TMPDIR="+s.temporary(), "TEMP="+s.temporary(), "TMP="+s.temporary(),
		"XDG_CACHE_HOME="+s.home(), "XDG_CONFIG_HOME="+s.home(), "XDG_DATA_HOME="+s.home(), "XDG_STATE_HOME="+s.home(),
		"CI=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1", "PUPPETEER_SKIP_DOWNLOAD=1",
		"CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1", "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1",
		PipeVar+"="+s.pipe,
	)
	c.Stderr = o.Stderr
	return c
}
