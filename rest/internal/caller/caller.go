// Package caller performs the calls of typed clients. A Client of package rest converts between Go values and
// documents, and a [Caller] does the rest. [Local] calls an API in the same process, and package remote calls a server
// over HTTP. Both return the same objects and the same errors.
package caller

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/history"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// Caller reads and writes the objects of one resource, as JSON in one version. It is safe for concurrent use. Errors of
// the API are *status.Error.
type Caller interface {
	// Get returns an object or a subresource, in a state at least as recent as resourceVersion. If resourceVersion is
	// empty, it returns the most recent state.
	Get(ctx context.Context, at Address, resourceVersion string) ([]byte, error)
	// History answers a query about the history of an object.
	History(ctx context.Context, at Address, query history.Query) ([]byte, error)
	// List reads one page of a list, and calls see with each object. If see returns an error, List returns it. After any
	// error, see may have got some of the objects. The object that see gets is not its own: see must not change it, and
	// must not keep it after it returns.
	List(ctx context.Context, namespace string, options ListOptions, see See) (*Page, error)
	// Count returns how many of the selected objects have which values, as JSON.
	Count(ctx context.Context, namespace string, options ListOptions) ([]byte, error)
	// Write performs one write and returns the resulting object or subresource. It returns nil for a deletion, and for an
	// action that has no result.
	Write(ctx context.Context, w *Write) ([]byte, error)
	// DeleteCollection performs the deletion w on each selected object, and calls see with the objects in their last state,
	// as List does.
	DeleteCollection(ctx context.Context, w *Write, options ListOptions, see See) (*Page, error)
	// Watch calls see with each event until see returns an error, the context ends or the watch fails, and returns the
	// reason. It calls see in the goroutine of its caller. If f.Recovers is set, Watch recovers from failures as
	// Client.Follow does.
	Watch(ctx context.Context, f Following, see func(Event) error) error
}

// Address names an object or one of its subresources. Subresource is empty for the object itself.
type Address struct{ Namespace, Name, Subresource string }

// Write describes one write. The verb determines which of the other fields matter.
type Write struct {
	Address
	Asked write.Asked
	// Verb is Create, Update, Patch or Delete of package kind, or Apply.
	Verb string
	// Object is the new object, the new subresource, the input of an action, or the applied configuration. An update
	// without Change replaces the old object or subresource by Object.
	Object doc.Value
	// Change computes the new object of an update from the old one. It may run several times. A result without a
	// resourceVersion overwrites any state. If the resourceVersion of the result is not that of the old object, the write
	// fails with a Conflict.
	Change write.Change
	// Form is the media type of the patch Data.
	Form string
	Data []byte
	// Deletion holds the options of a deletion.
	Deletion apimeta.DeleteOptions
	// Tell, unless nil, receives the warnings when the write ends.
	Tell func(text string)
}

// ListOptions say which objects a list, a watch or a deletion of a collection selects.
type ListOptions struct {
	apimeta.ListOptions
	Query resource.QueryText
}

// Apply is the verb of a write that applies a configuration.
const Apply = "apply"

// See is a function that gets the objects of a list, one after the other, as JSON.
type See func(object []byte) error

// Page is one page of a list, without its objects.
type Page struct{ ResourceVersion, Continue string }

// Following describes what to watch, and where to start.
type Following struct {
	Namespace string
	// Options hold the selectors and the resourceVersion after which the watch begins.
	Options  ListOptions
	Recovers bool
}

// Event is one event of a watch. JSON is the object at the ResourceVersion of the event.
type Event struct {
	Type            apimeta.EventType
	JSON            []byte
	ResourceVersion string
	Written         time.Time // zero if unknown
}
