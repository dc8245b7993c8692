package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"pillion/editors"
	"pillion/mcp/serve"
	"pillion/sidecar/attach"
	"pillion/sidecar/core"
)

const (
	// headerTime bounds how long a client may take to say what it wants.
	headerTime = 10 * time.Second
	// partTime is how long requests may take to end with the server.
	partTime = 2 * time.Second
)

// servedShape is what serve --http --json prints.
type servedShape struct {
	URL       string `json:"url"`
	TokenFile string `json:"tokenFile"`
}

// serveHTTP serves on a loopback address until the program is interrupted.
func (p *program) serveHTTP(address string, o serve.Options) error {
	listener, err := listenLoopback(p.ctx, address)
	if err != nil {
		return err
	}
	defer listener.Close()
	served, err := p.serveOwn(o)
	if err != nil {
		return err
	}
	defer served.close()
	token := serve.NewToken()
	file, err := p.leaveToken(token)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	shape := servedShape{URL: "http://" + listener.Addr().String() + serve.Path, TokenFile: file}
	p.sayf("pillion: serving at %s; the token is in %s", shape.URL, editors.Visible(file))
	if p.isJSON {
		if err := p.printJSON(shape); err != nil {
			return err
		}
	}
	server := &http.Server{Handler: served.Handler(token), ReadHeaderTimeout: headerTime}
	stop := context.AfterFunc(p.ctx, func() { end(server, served) })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve over HTTP: %w", err)
	}
	return nil
}

// end lets what is being answered end, for a moment.
func end(server *http.Server, served *ownServer) {
	ctx, cancel := context.WithTimeout(context.Background(), partTime)
	defer cancel()
	go served.Close() // streams that stay open end with it
	_ = server.Shutdown(ctx)
	_ = server.Close()
}

// listenLoopback listens on an address of this machine to itself; no other is served without a sign-in of its own, which there is not
// yet.
func listenLoopback(ctx context.Context, address string) (net.Listener, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fail(exitUsage, []string{"For example: --listen 127.0.0.1:8931"}, "%q is not an address and a port", address)
	}
	if name == "localhost" {
		name = "127.0.0.1"
	}
	if ip := net.ParseIP(name); ip == nil || !ip.IsLoopback() {
		return nil, fail(exitUsage, []string{"Listen on this machine alone, such as --listen 127.0.0.1:8931, and let what is elsewhere come through a tunnel of yours."},
			"%s can be reached from other machines: Pillion listens on the loopback interface alone, because whoever has its token acts as you", address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(name, port))
	if err != nil {
		return nil, fmt.Errorf("serve over HTTP: %w", err)
	}
	return listener, nil
}

// leaveToken leaves the token where this user's programs alone can read it (S7).
func (p *program) leaveToken(token string) (file string, err error) {
	folders, err := core.FindFolders(p.environ)
	if err != nil {
		return "", err
	}
	if root := rootOf(workingFolder(), ""); root != "" {
		if err := folders.CheckRuntime([]string{root}); err != nil {
			return "", err
		}
	}
	return attach.Leave(folders.Runtime, "serve-"+core.NewWindow()+".token", []byte(token+"\n"))
}
