package front

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/stream"
)

// Served is one version of a resource as clients see it over HTTP. It is immutable.
type Served struct {
	*resource.Resource
	Media *media.Kind
	// Shown are the subresources, in the order of discovery.
	Shown []*Subresource
	// Others are the other versions. Only the stored version has them.
	Others []*Served
	// Converted reports that functions of the host convert objects between this version and the stored one.
	Converted bool
	// Unserved hides the version from clients.
	Unserved bool
	// Service carries out the requests.
	Service service.Service
	// InCache identifies the resource in the cache of lists, which must not keep a replaced resource alive.
	InCache *byte
}

// Subresource is a subresource as clients see it over HTTP.
type Subresource struct {
	*resource.Subresource
	Media *media.Kind // nil for a part of the object and for a stream
	Bytes *Stream     // nil unless the subresource is a stream
}

// Stream is a subresource that carries bytes. Bind binds it to the object and the parameters of one request.
type Stream struct {
	*kind.Stream
	Way  Way
	Bind func(parent, options doc.Value) (Bound, error)
}

// Way is how the bytes of a stream travel.
type Way int

// The ways of streams.
const (
	OutputWay Way = iota
	SessionWay
	ForwardWay
	ServeWay
)

// Bound is a stream of one object, bound to the parameters of one request. Its functions turn a panic of the host's code
// into an error.
type Bound struct {
	Check   func(ctx context.Context) error
	Output  func(ctx context.Context, out io.Writer) error
	Session func(ctx context.Context, call *stream.Call, wanted stream.Wanted) error
	Forward func(ctx context.Context, port uint16, conn io.ReadWriter) error
	Serve   func(w http.ResponseWriter, r *http.Request) error
}

// subresource returns the subresource of this name, or nil.
func (res *Served) subresource(name string) *Subresource {
	i := slices.IndexFunc(res.Shown, func(s *Subresource) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return res.Shown[i]
}

// Versions returns all versions of a resource, the stored version first. res must be the stored version.
func (res *Served) Versions() []*Served { return append([]*Served{res}, res.Others...) }

// resourcesOf returns the resources of the stored versions.
func resourcesOf(stored []*Served) (resources []*resource.Resource) {
	for _, res := range stored {
		resources = append(resources, res.Resource)
	}
	return resources
}
