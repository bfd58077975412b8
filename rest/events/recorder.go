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
	// Client writes the events. It needs no namespace: an event is in the namespace of its object, and in "default" if that is
	// cluster-scoped.
	Client rest.Client[builtin.CoreEvent]
	// Controller names the program that reports the events: a name as of a label, such as "example.com/sizes".
	Controller string
	// Instance names the process, in 128 bytes at most. Default: the end of Controller and a random text.
	Instance string
	// KindOf returns the kind of an object whose TypeMeta is empty because it was made in Go, usually [rest.API.KindOf]. Without it, such
	// objects get no events.
	KindOf func(obj any) (gvk apimeta.GroupVersionKind, ok bool)
	// Logger logs events that are lost at level Error; at level Info, at most once a minute, how many were dropped because their objects
	// had too many; and at level Debug those that were refused because their namespace is gone. Default: the recorder logs errors only,
	// to what slog.Default returns when New is called.
	Logger *slog.Logger
}

// Recorder records events. Its methods are safe for concurrent use. They do nothing if the Recorder is nil, so a program may go without.
type Recorder struct {
	options Options
	queue   chan occurrence
	dropped atomic.Int64 // all that were dropped
	// overflowed counts those that were dropped because too many were waiting.
	overflowed atomic.Int64
	named      atomic.Int64 // the number in the name of the latest event

	// The rest belongs to Run.
	running  sync.Mutex
	series   map[identity]*tracked
	spam     spamFilter
	held     []*tracked // not written when the context ended
	reported report
}

// occurrence is an event to record, or why there is none.
type occurrence struct {
	event *builtin.CoreEvent
	err   error
}

// queued is how many events wait at most for Run.
const queued = 1000

// New returns a recorder. It keeps up to 1,000 events for [Recorder.Run] to write.
func New(options Options) *Recorder {
	short := options.Controller[strings.LastIndexByte(options.Controller, '/')+1:]
	options.Instance = cmp.Or(options.Instance, short+"-"+rand.Text()[:8])
	options.Logger = errorlog.Or(options.Logger)
	return &Recorder{options: options, queue: make(chan occurrence, queued), series: map[identity]*tracked{}, spam: spamFilter{}}
}

// Normal records that something happened to obj as it should. obj is an object that the API serves, of any Go type with metadata, or a
// [builtin.ObjectReference]. The recorder does not keep it.
//
// reason says why in one CamelCase word that programs may test, such as "Scaled"; action says what the program did, in the same form,
// and is the reason if it is empty. Each has 128 bytes at most. note is for people, a format of package fmt with its args, of which the
// first 1,024 bytes count.
func (r *Recorder) Normal(obj any, reason, action, note string, args ...any) {
	r.record(obj, builtin.CoreEvent{Type: builtin.EventTypeNormal, Reason: reason, Action: action}, fmt.Sprintf(note, args...))
}

// Warning records that something happened to obj that may need attention. The arguments are those of [Recorder.Normal].
func (r *Recorder) Warning(obj any, reason, action, note string, args ...any) {
	r.record(obj, builtin.CoreEvent{Type: builtin.EventTypeWarning, Reason: reason, Action: action}, fmt.Sprintf(note, args...))
}

// Dropped returns how many events were dropped: because 1,000 were waiting, because their object had too many, or because the API refused
// them or could not be reached.
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
	e.Message = cut(note)
	e.ReportingController, e.ReportingInstance = r.options.Controller, r.options.Instance
	select {
	case r.queue <- occurrence{&e, err}:
	default:
		r.dropped.Add(1)
		r.overflowed.Add(1)
	}
}

// nameAfter returns a name for an event that differs from all others of this recorder.
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

// cut shortens a note that is too long.
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

// check returns what is wrong with the options.
func (r *Recorder) check() error {
	if faults := apimeta.ValidateQualifiedName(r.options.Controller); len(faults) > 0 {
		return fmt.Errorf("events: Controller %q: %s", r.options.Controller, faults[0])
	}
	if len(r.options.Instance) > 128 {
		return errors.New("events: Instance has more than 128 bytes")
	}
	return nil
}
