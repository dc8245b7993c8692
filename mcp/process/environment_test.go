package process

import (
	"slices"
	"testing"
)

func TestC13_Environment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		base, inherit []string
		extra         map[string]string
		windows       bool
		want          []string
	}{
		{
			name: "secrets stay",
			base: []string{
				"OPENAI_API_KEY=leak", "GITHUB_TOKEN=leak", "AWS_SECRET_ACCESS_KEY=leak", "LD_PRELOAD=/x.so", "NODE_OPTIONS=--require=x", "PYTHONPATH=/x",
				"PILLION_MCP_CONFIG=/x", "PWD=/repo", "OLDPWD=/repo", "BASH_ENV=/x", "GIT_DIR=/x", "LCD=x", "XDGX=x", "PATHX=x", MarkerVar + "=1-a/b",
			},
			want: nil,
		},
		{
			name: "what programs need",
			base: []string{
				"PATH=/bin", "HOME=/h", "USER=u", "LOGNAME=u", "SHELL=/bin/sh", "TERM=xterm", "TMPDIR=/t", "LANG=C", "LC_ALL=C", "LC_TIME=C", "TZ=UTC",
				"SSH_AUTH_SOCK=/s", "DOCKER_HOST=unix:///d", "XDG_RUNTIME_DIR=/r", "XDG_CONFIG_HOME=/c",
			},
			want: []string{
				"DOCKER_HOST=unix:///d", "HOME=/h", "LANG=C", "LC_ALL=C", "LC_TIME=C", "LOGNAME=u", "PATH=/bin", "SHELL=/bin/sh", "SSH_AUTH_SOCK=/s",
				"TERM=xterm", "TMPDIR=/t", "TZ=UTC", "USER=u", "XDG_CONFIG_HOME=/c", "XDG_RUNTIME_DIR=/r",
			},
		},
		{
			name: "proxies and authorities",
			base: []string{
				"HTTP_PROXY=http://p", "https_proxy=http://q", "no_proxy=localhost", "ALL_PROXY=socks5://p", "SSL_CERT_FILE=/ca", "NODE_EXTRA_CA_CERTS=/ca",
				"REQUESTS_CA_BUNDLE=/ca", "CURL_CA_BUNDLE=/ca", "NODE_TLS_REJECT_UNAUTHORIZED=0",
			},
			want: []string{
				"ALL_PROXY=socks5://p", "CURL_CA_BUNDLE=/ca", "HTTP_PROXY=http://p", "NODE_EXTRA_CA_CERTS=/ca", "REQUESTS_CA_BUNDLE=/ca", "SSL_CERT_FILE=/ca",
				"https_proxy=http://q", "no_proxy=localhost",
			},
		},
		{
			name: "named and given", base: []string{"NAMED=1", "OTHER=2", "PATH=/bin", "EMPTY="}, inherit: []string{"NAMED", "ABSENT", "EMPTY"},
			extra: map[string]string{"PATH": "/own", "NEW": "a=b"}, want: []string{"EMPTY=", "NAMED=1", "NEW=a=b", "PATH=/own"},
		},
		{
			name: "exact case", base: []string{"Path=/x", "home=/x"}, inherit: []string{"named"}, extra: map[string]string{"path": "1"}, want: []string{"path=1"},
		},
		{
			name: "the later of two", base: []string{"TZ=A", "TZ=B"}, want: []string{"TZ=B"},
		},
		{
			name: "no names at all", base: []string{"=C:=C:\\", "novalue", "=x"}, inherit: []string{"", "novalue"},
			extra: map[string]string{"": "x", "A=B": "x", "N\x00": "x", MarkerVar: "1-a/b"}, want: nil,
		},
		{
			name: "the marker is not to be had by name", base: []string{MarkerVar + "=1-a/b"}, inherit: []string{MarkerVar}, want: nil,
		},
		{
			name: "Windows", windows: true,
			base: []string{
				`Path=C:\bin`, `SystemRoot=C:\Windows`, "ProgramFiles(x86)=C:\\P", "AppData=C:\\A", "ComSpec=cmd", "Http_Proxy=http://p",
				"OpenAI_API_Key=leak", "pillion_connector=1-a/b", "Named=1", `=C:=C:\`,
			},
			inherit: []string{"NAMED"}, extra: map[string]string{"PATH": `D:\own`},
			want: []string{"AppData=C:\\A", "ComSpec=cmd", "Http_Proxy=http://p", "Named=1", `PATH=D:\own`, "ProgramFiles(x86)=C:\\P", `SystemRoot=C:\Windows`},
		},
		{
			name: "Windows names are for Windows", base: []string{"SYSTEMROOT=x", "APPDATA=x"}, want: nil,
		},
	} {
		if got := environment(test.base, test.inherit, test.extra, test.windows); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, got, test.want)
		}
	}
}
