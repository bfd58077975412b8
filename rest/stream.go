package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Stream declares a subresource that carries bytes instead of an object: a log, a command and its terminal, a connection
// to a port, a proxy, as pods have them in Kubernetes. O holds the parameters of the URL, such as
// k8s.io/api/core/v1.PodLogOptions or a struct of the host's own: one field for each, with the name of its json tag and
// the rules of its api tag; struct{} takes none.
//
// Exactly one of Output, Session, Forward and Serve is set, and determines how the bytes travel. The function runs for as
// long as the stream lasts. Its context ends when the client leaves and when the API is shut down; from then on reads and
// writes fail, and the function must return. A stream on which nothing has moved for four hours ends too.
//
// The host's middleware decides who may use a stream; Kubernetes treats it as a get or a create of NAME/SUBRESOURCE.
type Stream[T, O any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Check refuses a request while it can still be answered with a Status, for example because a container does not exist or
	// the object is not running. Optional.
	Check func(ctx context.Context, parent *T, options *O) error

	// Output answers GET with what it writes (pods/log): as the body of the answer, or as messages of a WebSocket
	// (subprotocols binary.k8s.io and base64.binary.k8s.io). Each Write reaches the client at once; put a [bufio.Writer] in
	// front for many small ones. The answer begins with the first Write, also an empty one: an error before it is answered
	// with a Status, a later one breaks the answer off.
	Output func(ctx context.Context, parent *T, options *O, out io.Writer) error
	// ContentType is that of the body of Output. Default: text/plain.
	ContentType string

	// Session runs a command, or attaches to one (pods/exec, pods/attach), over a WebSocket. The parameters stdin, stdout,
	// stderr and tty say which streams the client wants. The client receives what Session returns as its last message: nil is
	// success, [status.NonZeroExit] the exit code of a command, and any other error a failure.
	Session func(ctx context.Context, parent *T, options *O, session *Session) error

	// Forward connects the client to a port of the object (pods/portforward), over a WebSocket. It is called concurrently,
	// once for each port in the parameter ports, and ends the connection to its port by returning. The client reads the
	// message of an error.
	Forward func(ctx context.Context, parent *T, options *O, port uint16, conn io.ReadWriter) error

	// Serve answers every method, at …/NAME/SUBRESOURCE/ and every path below (pods/proxy). The path of the request is what
	// follows SUBRESOURCE. Serve usually calls a [net/http/httputil.ReverseProxy].
	Serve func(w http.ResponseWriter, r *http.Request, parent *T, options *O)
}

// Session is the client's side of a command that a [Stream] runs. Reads and writes block until the other side is ready: a
// command whose output the client does not read waits, and so does a client whose input the command does not read.
type Session struct {
	// Stdin is what the client sends. It is empty if the client sends nothing.
	Stdin io.Reader
	// Stdout and Stderr send each Write to the client at once. Output that the client has not asked for is dropped; with a
	// TTY, all of Stderr is.
	Stdout, Stderr io.Writer
	// TTY reports whether the client is a terminal.
	TTY bool
	// Resize delivers the sizes of the terminal, the first one soon after the session begins. A newer size replaces one that
	// has not been received yet. The channel is closed when the client leaves.
	Resize <-chan TerminalSize
}

// TerminalSize is the size of a terminal in characters.
type TerminalSize struct {
	Width, Height uint16
}

// byteStream is a Stream without its type parameters.
type byteStream struct {
	*kind.Stream
	way  way
	bind func(parent, options doc.Value) (boundStream, error)
}

// way is how the bytes of a stream travel.
type way int

const (
	outputWay way = iota
	sessionWay
	forwardWay
	serveWay
)

// boundStream is a stream of one object with the parameters of one request. Its functions return a panic of the host as an
// error.
type boundStream struct {
	check   func(ctx context.Context) error
	output  func(ctx context.Context, out io.Writer) error
	session func(ctx context.Context, s *Session) error
	forward func(ctx context.Context, port uint16, conn io.ReadWriter) error
	serve   func(w http.ResponseWriter, r *http.Request) error
}

func (s Stream[T, O]) subresource(parent *resource.Resource) (*servedSubresource, error) {
	fail := func(format string, args ...any) (*servedSubresource, error) {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, fmt.Errorf(format, args...))
	}
	if err := resource.CheckSubresourceName(s.Name); err != nil {
		return nil, err
	}
	options := reflect.TypeFor[O]()
	out := &byteStream{Stream: &kind.Stream{Media: s.ContentType}, bind: s.bind}
	sub := &resource.Subresource{Name: s.Name, Stream: out.Stream, Kind: parent.GVK.GroupVersion().WithKind(options.Name())}
	set := 0
	for w, is := range []bool{outputWay: s.Output != nil, sessionWay: s.Session != nil, forwardWay: s.Forward != nil, serveWay: s.Serve != nil} {
		if is {
			out.way = way(w)
			set++
		}
	}
	if set != 1 {
		return fail("one of Output, Session, Forward and Serve must be set, and %d are", set)
	}
	switch out.way {
	case outputWay:
		sub.Verbs, sub.Kind.Kind = []string{kind.Get}, "" // what is read is a part of the object
		if out.Media == "" {
			out.Media = "text/plain"
		}
	case serveWay:
		sub.Verbs = []string{kind.Create, kind.Delete, kind.Get, kind.Patch, kind.Update}
		out.Below = true
	default:
		sub.Verbs = []string{kind.Create, kind.Get}
	}
	if s.ContentType != "" && out.way != outputWay {
		return fail("ContentType is that of Output, which is not set")
	}
	var err error
	if out.Options, err = schema.Derive(options, schema.Options{Builtin: true}); err != nil {
		return fail("%w", err)
	}
	if err := checkParameters(out.Options); err != nil {
		return fail("%w", err)
	}
	return &servedSubresource{Subresource: sub, bytes: out}, nil
}

func (s Stream[T, O]) bind(parent, options doc.Value) (b boundStream, err error) {
	obj, err := decodeParent[T](parent)
	if err != nil {
		return b, err
	}
	o := new(O)
	if err := schema.ToGo(options, o); err != nil {
		return b, status.BadRequest(err.Error())
	}
	b.check = func(ctx context.Context) (err error) {
		if s.Check == nil {
			return nil
		}
		defer resource.RecoverHook("Check of "+s.Name, &err)
		return s.Check(ctx, obj, o)
	}
	b.output = func(ctx context.Context, out io.Writer) (err error) {
		defer resource.RecoverHook("Output of "+s.Name, &err)
		return s.Output(ctx, obj, o, out)
	}
	b.session = func(ctx context.Context, session *Session) (err error) {
		defer resource.RecoverHook("Session of "+s.Name, &err)
		return s.Session(ctx, obj, o, session)
	}
	b.forward = func(ctx context.Context, port uint16, conn io.ReadWriter) (err error) {
		defer resource.RecoverHook("Forward of "+s.Name, &err)
		return s.Forward(ctx, obj, o, port, conn)
	}
	b.serve = func(w http.ResponseWriter, r *http.Request) (err error) {
		defer recoverServe("Serve of "+s.Name, &err)
		s.Serve(w, r, obj, o)
		return nil
	}
	return b, nil
}

// recoverServe is recoverHook for a handler, which may break its answer off by panicking with [http.ErrAbortHandler].
func recoverServe(hook string, err *error) {
	p := recover()
	if p == http.ErrAbortHandler {
		panic(p)
	}
	if p != nil {
		*err = &resource.PanicError{Where: "the host's hook " + hook, Value: p, Stack: debug.Stack()}
	}
}
