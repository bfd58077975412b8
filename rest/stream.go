package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// Stream declares a subresource that carries bytes instead of an object: a log, a command and its terminal, a
// connection to a port or a proxy, like the subresources of pods in Kubernetes. O is a struct that holds the parameters
// of the URL, such as k8s.io/api/core/v1.PodLogOptions or a struct of the host's own. Each field is a parameter, with
// the name of its json tag and the rules of its api tag. struct{} declares a stream without parameters.
//
// Exactly one of Output, Session, Forward and Serve must be set; it determines how the bytes travel. The function runs
// for as long as the stream lasts. Its context ends when the client leaves and when the API shuts down; from then on
// reads and writes fail, and the function must return. The API also ends a stream that carries no bytes for four hours.
//
// The [access.Authorizer] is asked about the verb of the HTTP method and the subresource, such as get or create of pods/exec.
type Stream[T, O any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Check refuses a request while the API can still answer with a Status, for example because a container does not exist
	// or the object is not running. Optional.
	Check func(ctx context.Context, parent *T, options *O) error

	// Output answers GET with the bytes that it writes (pods/log): as the body of the answer, or as messages of a
	// WebSocket (subprotocols binary.k8s.io and base64.binary.k8s.io). The client receives each Write at once; wrap out in
	// a [bufio.Writer] to combine many small ones. The first Write, even an empty one, begins the answer. The API answers
	// an error before that with a Status; a later error breaks the answer off.
	Output func(ctx context.Context, parent *T, options *O, out io.Writer) error
	// ContentType is the media type of Output's body. Default: text/plain.
	ContentType string

	// Session runs a command, or attaches to one (pods/exec, pods/attach), over a WebSocket. The parameters stdin, stdout,
	// stderr and tty say which streams the client wants. The result of Session is the last message to the client: nil
	// means success, [status.NonZeroExit] carries the exit code of a command, and any other error means failure.
	Session func(ctx context.Context, parent *T, options *O, session *Session) error

	// Forward connects the client to a port of the object (pods/portforward), over a WebSocket. The API calls it
	// concurrently, once for each port in the parameter ports. When Forward returns, the connection to its port ends; the
	// client receives the message of its error.
	Forward func(ctx context.Context, parent *T, options *O, port uint16, conn io.ReadWriter) error

	// Serve answers every method at …/NAME/SUBRESOURCE/ and at every path below (pods/proxy). The path of its request is
	// the part that follows SUBRESOURCE. Serve usually calls a [net/http/httputil.ReverseProxy].
	Serve func(w http.ResponseWriter, r *http.Request, parent *T, options *O)
}

// Session is the client's side of a command that a [Stream] runs. Reads and writes block until the other side is ready:
// a command waits for a client that does not read its output, and a client waits for a command that does not read its
// input.
type Session struct {
	// Stdin is the client's input. It is empty if the client sends none.
	Stdin io.Reader
	// Stdout and Stderr send each Write to the client at once. The API drops output that the client has not asked for;
	// with a TTY, it drops all of Stderr.
	Stdout, Stderr io.Writer
	// TTY reports whether the client is a terminal.
	TTY bool
	// Resize delivers the sizes of the terminal, the first soon after the session begins. A newer size replaces one that
	// the command has not received yet. The channel is closed when the client leaves.
	Resize <-chan TerminalSize
}

// TerminalSize is the size of a terminal in characters.
type TerminalSize struct {
	Width, Height uint16
}

// subresource implements [SubresourceOf].
func (s Stream[T, O]) subresource(parent *resource.Resource) (*front.Subresource, error) {
	fail := func(format string, args ...any) (*front.Subresource, error) {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, fmt.Errorf(format, args...))
	}
	if err := resource.CheckSubresourceName(s.Name); err != nil {
		return nil, err
	}
	options := reflect.TypeFor[O]()
	out := &front.Stream{Stream: &kind.Stream{Media: s.ContentType}, Bind: s.bind}
	sub := &resource.Subresource{Name: s.Name, Stream: out.Stream,
		Kind: parent.GVK.GroupVersion().WithKind(options.Name())}
	set := 0
	for w, is := range []bool{front.OutputWay: s.Output != nil, front.SessionWay: s.Session != nil,
		front.ForwardWay: s.Forward != nil, front.ServeWay: s.Serve != nil} {
		if is {
			out.Way = front.Way(w)
			set++
		}
	}
	if set != 1 {
		return fail("one of Output, Session, Forward and Serve must be set, and %d are", set)
	}
	switch out.Way {
	case front.OutputWay:
		sub.Verbs, sub.Kind.Kind = []string{kind.Get}, "" // discovery shows the kind of the object
		if out.Media == "" {
			out.Media = "text/plain"
		}
	case front.ServeWay:
		sub.Verbs = []string{kind.Create, kind.Delete, kind.Get, kind.Patch, kind.Update}
		out.Below = true
	default:
		sub.Verbs = []string{kind.Create, kind.Get}
	}
	if s.ContentType != "" && out.Way != front.OutputWay {
		return fail("ContentType needs Output")
	}
	var err error
	if out.Options, err = parent.Derive(options, schema.Options{Builtin: true}); err != nil {
		return fail("%w", err)
	}
	if err := resource.CheckStreamOptions(out.Options); err != nil {
		return fail("%w", err)
	}
	return &front.Subresource{Subresource: sub, Bytes: out}, nil
}

// bind decodes the object and the parameters of one request.
func (s Stream[T, O]) bind(parent, options doc.Value) (b front.Bound, err error) {
	obj, o := new(T), new(O)
	if err := decodeStored(parent, obj); err != nil {
		return b, err
	}
	if err := gotype.ToGo(options, o); err != nil {
		return b, status.BadRequest(err.Error())
	}
	b.Check = func(ctx context.Context) (err error) {
		if s.Check == nil {
			return nil
		}
		defer resource.EnterHook(ctx, "Check of "+s.Name).Leave(&err)
		return s.Check(ctx, obj, o)
	}
	b.Output = func(ctx context.Context, out io.Writer) (err error) {
		defer resource.RecoverHook("Output of "+s.Name, &err)
		return s.Output(ctx, obj, o, out)
	}
	b.Session = func(ctx context.Context, call *stream.Call, wanted stream.Wanted) error {
		return stream.Session(ctx, call, wanted, func(ctx context.Context, t *stream.Terminal[TerminalSize]) (err error) {
			defer resource.RecoverHook("Session of "+s.Name, &err)
			return s.Session(ctx, obj, o, (*Session)(t))
		})
	}
	b.Forward = func(ctx context.Context, port uint16, conn io.ReadWriter) (err error) {
		defer resource.RecoverHook("Forward of "+s.Name, &err)
		return s.Forward(ctx, obj, o, port, conn)
	}
	b.Serve = func(w http.ResponseWriter, r *http.Request) (err error) {
		defer recoverServe("Serve of "+s.Name, &err)
		s.Serve(w, r, obj, o)
		return nil
	}
	return b, nil
}

// recoverServe is [resource.RecoverHook] for an HTTP handler, which may panic with [http.ErrAbortHandler] to break its
// answer off.
func recoverServe(hook string, err *error) {
	p := recover()
	if p == http.ErrAbortHandler {
		panic(p)
	}
	if p != nil {
		*err = &resource.PanicError{Where: "the host's hook " + hook, Value: p, Stack: debug.Stack()}
	}
}
