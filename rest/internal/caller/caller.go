// Package caller carries out the calls of typed clients. A Client of package rest turns Go values into documents and back, and a [Caller]
// does the rest: [Local] in the process of the API, and room remote over HTTP. Both return the same objects and the same errors.
package caller

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// Caller reads and writes the objects of one resource, as JSON in one version. Any number of goroutines may use it. If a method returns an
// error of the API, that is a *status.Error.
type Caller interface {
	// Get returns an object, or a view of it, from a state that is not older than a resourceVersion. If that is empty, the state is the
	// most recent one.
	Get(ctx context.Context, at Address, resourceVersion string) ([]byte, error)
	// List returns one page of a list.
	List(ctx context.Context, namespace string, options apimeta.ListOptions) (*Page, error)
	// Write carries out one write and returns the object, or the view, as it then is. The result is nil for an action without an answer
	// and for a deletion.
	Write(ctx context.Context, w *Write) ([]byte, error)
	// DeleteCollection carries out the deletion w for each selected object and returns the objects as they were.
	DeleteCollection(ctx context.Context, w *Write, options apimeta.ListOptions) (*Page, error)
	// Watch passes events to see until see returns an error, the context ends, or the watch fails. It returns the reason. If recovers is
	// set, it recovers as Client.Follow promises. It calls see in the goroutine of its caller.
	Watch(ctx context.Context, f Following, see func(Event) error) error
}

// Address names an object, and the part or view of it that a call is about. Subresource is empty for the object itself.
type Address struct{ Namespace, Name, Subresource string }

// CheckName returns a BadRequest error if the address has no name.
func (a Address) CheckName() error {
	if a.Name == "" {
		return status.BadRequest("the name of the object must not be empty")
	}
	return nil
}

// Write is one write. The verb decides which of the other fields count.
type Write struct {
	Address
	Asked resource.Asked
	// Verb is Create, Update, Patch or Delete of package kind, or Apply.
	Verb string
	// Object is the new object, the view, the question to an action, or the applied configuration. For an update without Change it is
	// what replaces the old object or view.
	Object doc.Value
	// Change computes the object that an update writes from the old one. It may run several times. A result without a resourceVersion
	// overwrites any state; one with the resourceVersion of another state is a Conflict.
	Change resource.Change
	// Form is the media type of the patch Data.
	Form string
	Data []byte
	// Deletion are the options of a deletion.
	Deletion apimeta.DeleteOptions
	// Tell receives the warnings when the write ends. It is nil if nobody reads them.
	Tell func(text string)
}

// Apply is the verb of a write that applies a configuration.
const Apply = "apply"

// Page is one page of a list.
type Page struct {
	Items                     [][]byte
	ResourceVersion, Continue string
}

// Following says what to watch, and from where.
type Following struct {
	Namespace string
	// Options hold the selectors and the resourceVersion after which the watch begins.
	Options  apimeta.ListOptions
	Recovers bool
}

// Event is one event of a watch. JSON is the object at the ResourceVersion of the event.
type Event struct {
	Type            watch.EventType
	JSON            []byte
	ResourceVersion string
}
