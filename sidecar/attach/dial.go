package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"pillion/rpc"
	"pillion/rpc/message"
)

// ErrGone says that the window of a descriptor is not there any more.
var ErrGone = errors.New("the window has closed")

// Options say who joins a window.
type Options struct {
	Role message.AttachRole
	// Name is what the caller calls itself; the window shows it as a claim.
	Name string
	// Expose and IsUnprefixed say how an agent is served tools.
	Expose       message.AttachExpose
	IsUnprefixed bool
	// Router serves what the window sends; nil serves nothing.
	Router *rpc.Router
	// Logger receives what goes wrong inside; nil discards it.
	Logger *slog.Logger
}

// Window is a window that was joined. Its methods may be called at once.
type Window struct {
	// Joined is what the window said of itself.
	Joined message.AttachResult

	stream *Stream
	conn   *rpc.Conn
	ended  chan struct{}
}

// Dial joins a window of [Windows], after each side has proved to the other that it knows the token.
// The error is [ErrGone] where nobody listens any more, and that of ctx where it ended.
func Dial(ctx context.Context, folder string, descriptor message.WindowDescriptor, o Options) (*Window, error) {
	w, err := join(ctx, folder, descriptor, o)
	if err != nil {
		return nil, fmt.Errorf("join the window %q: %w", descriptor.Window, err)
	}
	return w, nil
}

// DialAgent joins a window of [Windows] as an agent, and returns the stream of bytes on which it is served from then on. It waits
// as long as the window asks a person whether the program may join; an answer of the window that it may not is an [*rpc.Error].
// All else is as with [Dial]; of the options the role and the router do not count. Whoever dials closes the stream.
func DialAgent(ctx context.Context, folder string, descriptor message.WindowDescriptor, o Options) (io.ReadWriteCloser, message.AttachResult, error) {
	o.Role, o.Router = message.AttachAgent, nil
	w, err := Dial(ctx, folder, descriptor, o)
	if err != nil {
		return nil, message.AttachResult{}, err
	}
	// The window speaks next when it is spoken to: nothing is lost between the frames and the bytes.
	w.stream.HandOver()
	w.Close()
	return w.stream.Raw(), w.Joined, nil
}

func join(ctx context.Context, folder string, descriptor message.WindowDescriptor, o Options) (*Window, error) {
	token, err := readToken(folder, descriptor)
	if err != nil {
		return nil, err
	}
	stream, err := open(ctx, descriptor.Socket)
	if err != nil {
		return nil, err
	}
	router := o.Router
	if router == nil {
		router = rpc.NewRouter()
	}
	w := &Window{stream: stream, ended: make(chan struct{})}
	w.conn = rpc.NewConn(stream.In(), stream.Out(), router, rpc.Options{Logger: o.Logger})
	go func() {
		defer close(w.ended)
		_ = w.conn.Serve(context.Background()) // however it ended, what waits hears of it by ErrGone
	}()
	if err := w.prove(ctx, token, o); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// readToken reads the window's token after checking that nobody else could have put it there.
func readToken(folder string, descriptor message.WindowDescriptor) (string, error) {
	if err := checkName(descriptor.Window); err != nil {
		return "", err
	}
	if err := checkFolder(folder); err != nil {
		return "", err
	}
	if descriptor.Socket != socketPath(folder, descriptor.Window) {
		return "", fmt.Errorf("its socket %q is not the one of its name", descriptor.Socket)
	}
	text, err := readOwn(filepath.Join(folder, descriptor.Window+tokenSuffix))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// open dials the socket and checks whose it is.
func open(ctx context.Context, socket string) (*Stream, error) {
	conn, err := dial(ctx, socket)
	if err != nil {
		if isNobody(err) {
			return nil, ErrGone
		}
		return nil, err
	}
	peer, err := serverOf(conn)
	if err == nil && !peer.IsUser() {
		err = errors.New("its socket belongs to another user")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return newStream(conn, peer), nil
}

// prove asks for the window's proof before it gives its own: a stranger learns nothing that could be used elsewhere.
func (w *Window) prove(ctx context.Context, token string, o Options) error {
	nonce := message.NewAttachNonce()
	challenge, err := Call(ctx, w, message.AttachChallenge, message.AttachChallengeParams{Nonce: nonce})
	if err != nil {
		return err
	}
	if err := message.CheckAttachNonce(challenge.Nonce); err != nil {
		return err
	}
	if !message.ProofMatches(challenge.Proof, message.WindowProof(token, nonce, challenge.Nonce)) {
		return errors.New("it does not know its own token")
	}
	w.Joined, err = Call(ctx, w, message.Attach, message.AttachParams{
		Role: o.Role, Name: o.Name, Expose: o.Expose, Unprefixed: o.IsUnprefixed, Proof: message.CallerProof(token, nonce, challenge.Nonce, o.Role, o.Name),
	})
	return err
}

// Call sends a request to the window and waits for its answer, as [rpc.Call] does.
func Call[P, R any](ctx context.Context, w *Window, m rpc.Request[P, R], params P) (R, error) {
	// To rpc, the side that dials is the one that is called the editor's elsewhere.
	result, err := rpc.Call(ctx, w.conn, rpc.EditorRequest[P, R](m), params)
	if errors.Is(err, rpc.ErrClosed) {
		err = ErrGone
	}
	return result, err
}

// Ended is closed when the connection has ended, by the window or by [Window.Close].
func (w *Window) Ended() <-chan struct{} { return w.ended }

// Close leaves the window and waits until the connection has ended.
func (w *Window) Close() {
	w.conn.Close()
	<-w.ended
}
