package events

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// Options configure a [Recorder]. Client and Controller must be set.
type Options struct {
	// Client writes the events. The recorder chooses the namespace: an event is in the namespace of its object, or in
	// "default" if the object is cluster-scoped.
	Client rest.Client[builtin.CoreEvent]
	// Controller is the name of the program that reports the events, such as "example.com/sizes". It must be a qualified
	// name, like the key of a label.
	Controller string
	// Instance identifies the process, in at most 128 bytes. Default: the last part of Controller and a random suffix.
	Instance string
	// KindOf returns the kind of an object with an empty TypeMeta, which a program has made in Go. Usually it is
	// [rest.API.KindOf]. If KindOf is nil, the recorder drops the events of such objects.
	KindOf func(obj any) (gvk apimeta.GroupVersionKind, ok bool)
	// Logger logs lost events at level Error. At level Info, it logs at most once a minute how many events the recorder
	// dropped because their objects had too many. At level Debug, it logs events that the API refused because their
	// namespace does not exist or is being deleted. Default: the recorder logs errors only, to the logger that
	// slog.Default returns when New is called.
	Logger *slog.Logger
}

// Recorder records events. Its methods are safe for concurrent use. The methods of a nil Recorder do nothing, so a
// program can make events optional.
type Recorder struct {
	options Options
	queue   chan occurrence
	dropped atomic.Int64 // the number of dropped events
	// overflowed counts the events that were dropped because too many were waiting.
	overflowed atomic.Int64
	named      atomic.Int64 // the number in the name of the latest event

	// Only Run uses the following fields.
	running  sync.Mutex
	series   map[identity]*tracked
	spam     spamFilter
	held     []*tracked // events that were not written when the context ended
	reported report
}

// occurrence is an event to record, or the error that prevents it.
type occurrence struct {
	event *builtin.CoreEvent
	err   error
}

// queued is the maximum number of events that wait for Run.
const queued = 1000

// New returns a recorder. It buffers up to 1,000 events until [Recorder.Run] writes them. Run returns the error if an
// option is invalid.
func New(options Options) *Recorder {
	short := options.Controller[strings.LastIndexByte(options.Controller, '/')+1:]
	options.Instance = cmp.Or(options.Instance, short+"-"+rand.Text()[:8])
	options.Logger = errorlog.Or(options.Logger)
	return &Recorder{options: options, queue: make(chan occurrence, queued), series: map[identity]*tracked{},
		spam: spamFilter{}}
}

// Normal records an expected event. obj is the object that the event concerns: an object of any Go type with metadata,
// or a [builtin.ObjectReference]. The recorder keeps no reference to obj.
//
// reason is the cause as one CamelCase word that programs may test, such as "Scaled". action is what the program did,
// in the same form; an empty action means the reason. Both have at most 128 bytes. note is a message for people, in the
// format of package fmt with its args. The recorder replaces bytes that are not UTF-8, and cuts the note after 1,024
// bytes.
func (r *Recorder) Normal(obj any, reason, action, note string, args ...any) {
	r.record(obj, builtin.CoreEvent{Type: builtin.EventTypeNormal, Reason: reason, Action: action},
		fmt.Sprintf(note, args...))
}

// Warning records an event that may need attention. Its arguments are the same as for [Recorder.Normal].
func (r *Recorder) Warning(obj any, reason, action, note string, args ...any) {
	r.record(obj, builtin.CoreEvent{Type: builtin.EventTypeWarning, Reason: reason, Action: action},
		fmt.Sprintf(note, args...))
}

// Dropped returns how many events the recorder has dropped: because 1,000 events were waiting, because the object had
// too many events, or because the API refused the event or was unreachable.
func (r *Recorder) Dropped() int64 {
	if r == nil {
		return 0
	}
	return r.dropped.Load()
}

// record completes an event and queues it.
func (r *Recorder) record(obj any, e builtin.CoreEvent, note string) {
	if r == nil {
		return
	}
	now := time.Now()
	var err error
	if e.InvolvedObject, err = r.referenceTo(obj); err == nil {
		e.Name = r.nameAfter(e.InvolvedObject.Name, now)
		e.Namespace = cmp.Or(e.InvolvedObject.Namespace, "default")
	}
	e.Action = cmp.Or(e.Action, e.Reason)
	e.EventTime = apimeta.NewMicroTime(now)
	e.Message = cut(strings.ToValidUTF8(note, string(utf8.RuneError))) // the API would refuse or change other bytes
	e.ReportingController, e.ReportingInstance = r.options.Controller, r.options.Instance
	select {
	case r.queue <- occurrence{&e, err}:
	default:
		r.dropped.Add(1)
		r.overflowed.Add(1)
	}
}

// nameAfter returns a name for an event that is unique among the events of this recorder.
func (r *Recorder) nameAfter(object string, now time.Time) string {
	number := now.UnixNano()
	for {
		last := r.named.Load()
		if number = max(number, last+1); r.named.CompareAndSwap(last, number) {
			break
		}
	}
	name := fmt.Sprintf("%s.%x", object, number)
	if len(apimeta.ValidateDNS1123Subdomain(name)) > 0 { // the rules for names of other kinds allow more
		name = fmt.Sprintf("%s.%x", strings.ToLower(rand.Text()), number)
	}
	return name
}

// maxNote is how many bytes a note may have.
const maxNote = 1024

// cut shortens a note that is too long. The note must be valid UTF-8.
func cut(note string) string {
	if len(note) <= maxNote {
		return note
	}
	const end = "..."
	at := maxNote - len(end)
	for !utf8.RuneStart(note[at]) {
		at--
	}
	return note[:at] + end
}

// check validates the options.
func (r *Recorder) check() error {
	if faults := apimeta.ValidateQualifiedName(r.options.Controller); len(faults) > 0 {
		return fmt.Errorf("events: Controller %q: %s", r.options.Controller, faults[0])
	}
	if len(r.options.Instance) > 128 {
		return errors.New("events: Instance has more than 128 bytes")
	}
	return nil
}
