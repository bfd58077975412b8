// Package front answers the requests of an API over HTTP. A request passes through the stages, and its handler calls the
// service of the resource; see docs/design-of-rest.md. Package rest makes the front of each API, and gives it the
// settings of the host and its plug-ins.
package front

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

// maxProtobufLists limits the memory for lists in Protobuf, which need not be built as a whole.
const maxProtobufLists = 32 << 20

// Options are the options of an API and the parts of its plug-ins that requests need.
type Options struct {
	Authenticator access.Authenticator // nil if the host's middleware determines the users
	Authorizer    access.Authorizer    // nil if everything is allowed
	ExemptGroups  []string
	OpenHealth    bool
	// Limiter is nil if only the number of places limits requests.
	Limiter   access.Limiter
	Observers []observe.Observer
	// Checks are all health checks, in the order of the reports.
	Checks                       []Check
	AllowedOrigins, AllowedHosts []string
	RequestTimeout               time.Duration
	MaxBodyBytes                 int64
	Now                          func() time.Time
	Logger                       *slog.Logger
	CBOR                         Transcoder // nil if the API does not serve CBOR
	KeepManagedFields            bool       // clients cannot drop managedFields from answers
	Version                      any        // the answer of /version
	// MaxListBytes and MaxProtobufBytes are the sizes of the caches of lists and of Protobuf messages.
	MaxListBytes, MaxProtobufBytes int64
}

// Transcoder translates documents between JSON and another format, in both directions.
type Transcoder interface {
	media.Transcoder
	ToJSON(data []byte) ([]byte, error)
}

// Front is the HTTP side of an API.
type Front struct {
	options  Options
	env      *resource.Environment
	writes   *write.Writes
	types    *media.Types
	lists    *media.ListCache
	messages *media.Messages
	listRoom *storage.Budget // has the lists in Protobuf that are encoded only once
	router   *httprouter.Router
	stages   []stage
	serving  atomic.Pointer[Serving]
	expected atomic.Pointer[map[apimeta.GroupVersionResource]bool]
	ending   *delivery.Ending
	flights  *delivery.Flights
	rights   *rights.Rights
	readings rights.Readings
	pages    *pagePolicy
	paths    pluginPaths
	draining atomic.Pointer[time.Time] // the beginning of the drain
}

// New returns a front that serves nothing yet. It answers requests once it is open.
func New(ending *delivery.Ending, flights *delivery.Flights, rights *rights.Rights) *Front {
	a := &Front{ending: ending, flights: flights, rights: rights, stages: newStages(), paths: pluginPaths{}}
	a.router = a.newRouter()
	a.serving.Store(newServing(nil, nil, nil))
	return a
}

// Open gives the front the settings of the host and its plug-ins.
func (a *Front) Open(options Options, writes *write.Writes, env *resource.Environment) (err error) {
	a.options, a.writes, a.env = options, writes, env
	a.types = media.NewTypes(options.CBOR, !options.KeepManagedFields)
	a.listRoom = env.Budget.Part(maxProtobufLists)
	a.lists = media.NewListCache(env.Budget, options.MaxListBytes)
	a.messages = media.NewMessages(env.Budget, options.MaxProtobufBytes)
	if a.pages, err = newPagePolicy(options.AllowedOrigins, options.AllowedHosts); err != nil {
		return err
	}
	if options.Authorizer != nil {
		a.readings.Restricted, err = rights.NewRestricted(context.Background(), env.Store, a.ending)
	}
	return err
}

// ServeHTTP answers a request. It looks up a request by its path alone; the handler of the path checks the method.
func (a *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, _ := route.Path(r.URL)
	if _, _, ok := cutPath(path); ok { // before the router, which allocates the parameters of a path
		a.request(w, r, findResource).pass()
		return
	}
	if handle, params, _ := a.router.Lookup(anyMethod, path); handle != nil {
		handle(w, r, params)
		return
	}
	a.request(w, r, a.findPluginPath).pass()
}

// ownsPath reports whether a path belongs to the API itself, so that no plug-in may use it.
func (a *Front) ownsPath(path string) bool {
	if _, _, ok := cutPath(path); ok {
		return true
	}
	handle, _, _ := a.router.Lookup(anyMethod, path)
	return handle != nil
}

func (a *Front) closing() bool { return a.ending.Err() != nil }
