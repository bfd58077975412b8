package rest

import (
	"log/slog"
	"slices"
	"time"

	"github.com/decorum-go/decorum/storage"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// Options are what a host may want to be different. The zero value is a complete choice: a store in memory, errors in
// slog's default log, the system's clock.
type Options struct {
	// Store keeps the objects. Default: a new [storage.Memory], which Close closes. A store that is given here stays
	// the host's to close.
	Store storage.Store
	// Logger is told what clients must not see: panics of hooks and the causes of 500s. Default: errors go to what is slog's
	// default logger when New is called.
	Logger *slog.Logger
	// HostUser is who in-process clients are to hooks, where the context of a call names no other user (see [WithUser]).
	// Default: system:host, in the group system:authenticated.
	HostUser User
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// NewUID makes the uid of a new object. Default: a random UUID.
	NewUID func() string
	// MaxBodyBytes bounds a request's body; a larger one is answered 413, and so is a write after which an object would
	// have more than twice as many bytes. Default: 3 MiB.
	MaxBodyBytes int64
	// MaxInFlight bounds the requests that are worked on at one time, watches and streams apart; one more is answered 429 with
	// Retry-After. A client that sends or reads slowly holds its place for as long as the host's http.Server lets it:
	// set ReadTimeout and WriteTimeout there, watches and streams lift them for themselves. Default: 1000.
	//
	// Slow clients do not make memory grow. A watch buffers about 256 KiB for its client, which has a minute to take each 64 KiB.
	// A client may read the first state of a watch, a list or a large object as slowly as that while the store or its history
	// holds what it reads (see [storage.MemoryOptions]). After that the watch ends with 410 Expired, and the API breaks the list off,
	// after another minute and a second for each MiB. It closes the connection earlier if the client takes nothing for 10 to 20 seconds. A
	// list in another form than compact JSON is a copy, which no history holds: for it all this counts from the start.
	MaxInFlight int
	// Admission are hooks on the writes of all resources, in the order in which they run.
	Admission []Admission
	// MaxConvertedBytes bounds what is kept of objects in versions that are not stored (see [Converted]), so that they
	// need not be converted for each reader. Default: 64 MiB.
	MaxConvertedBytes int64
	// UnsafeDeletion allows the delete option ignoreStoreReadErrorWithClusterBreakingPotential, which removes an object that
	// cannot be decoded any more, its finalizers and preconditions notwithstanding. The host should let few users send it. Default: the
	// option is ignored.
	UnsafeDeletion bool
	// CBOR, where it is set, makes the API read and serve application/cbor, and application/cbor-seq for watches, beside
	// JSON, YAML and Protobuf: cbor.Format of package rest/cbor. Default: it is refused with 406 and 415.
	CBOR Transcoder
	// Version is what /version tells of the host's program. Default: a version of this library.
	Version Version
}

// Transcoder translates between JSON and another format for the same documents. It may be called by many goroutines at
// one time.
type Transcoder interface {
	// AppendFromJSON appends to dst what a JSON text, which is valid, is in the format.
	AppendFromJSON(dst, json []byte) ([]byte, error)
	// ToJSON is the way back. The error says to a client what is wrong with its bytes.
	ToJSON(data []byte) ([]byte, error)
}

// growth is how many times the limit of a body an object may have, grown by patches and by what the server adds.
const growth = 2

const (
	defaultMaxBodyBytes = 3 << 20
	defaultMaxInFlight  = 1000

	defaultMaxConvertedBytes = 64 << 20
)

func (o Options) withDefaults() Options {
	o.Logger = errorlog.Or(o.Logger)
	if o.HostUser.Name == "" {
		o.HostUser = User{Name: defaultHostUser, Groups: []string{authenticatedGroup}}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewUID == nil {
		o.NewUID = objectmeta.RandomUID
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = defaultMaxBodyBytes
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = defaultMaxInFlight
	}
	o.Admission = slices.Clone(o.Admission)
	if o.MaxConvertedBytes <= 0 {
		o.MaxConvertedBytes = defaultMaxConvertedBytes
	}
	o.Version = o.Version.withDefaults()
	return o
}
