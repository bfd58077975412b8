// Package service is the one way to the objects of a resource. Whatever clients ask for, over HTTP or in process, is
// one of the calls of a [Service], on behalf of a [Caller]. [Local] carries them out. [Calls] is a Service for the
// typed clients of a process: it finds out on whose behalf a call is made, as the stages of a request do over HTTP, and
// leaves the rest to Local. Package remote has a Service that sends the calls to an API elsewhere.
package service

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/body"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Service reads and writes the objects of one resource, as JSON in one version. It is safe for concurrent use. Errors
// of the API are *status.Error.
type Service interface {
	// Get returns an object, or the view of a subresource that has a kind of its own, in a state at least as recent as
	// resourceVersion. If resourceVersion is empty, it returns the most recent state.
	Get(c Caller, at Address, resourceVersion string) ([]byte, error)
	// History returns the history of an object. The caller closes it.
	History(c Caller, at Address) (History, error)
	// List reads one page of a list.
	List(c Caller, namespace string, selected Selected, into Into) (Page, error)
	// Count returns how many of the selected objects have which values. Their memory comes out of the loan. If the loan is
	// nil, Count gives the memory back before it returns.
	Count(c Caller, namespace string, selected Selected, loan *storage.Loan) (*queries.Counts, error)
	// Begin reads what a client wants to write, as far as that is possible without the object.
	Begin(ctx context.Context, w *Wanted) (Writing, error)
	// DeleteCollection performs the deletion w on each selected object. The page has the objects in their last state.
	DeleteCollection(c Caller, w *Wanted, selected Selected, into Into) (Page, error)
	// Beginning says where a watch begins. A watch over HTTP follows the store from there at the pace of its client.
	Beginning(c Caller, namespace string, selected Selected) (follow.Beginning, error)
	// Watch calls see with each event until see returns an error, the context ends or the watch fails, and returns the
	// reason. It calls see in the goroutine of its caller. If f.Recovers is set, Watch recovers from failures as
	// Client.Follow does.
	Watch(c Caller, f Following, see func(Event) error) error
}

// Caller is on whose behalf a call is made. The context has the user, and hooks receive it.
type Caller struct {
	context.Context
	// Only restricts the caller to some of the objects, unless it is nil. Resume is that of [resource.ListParameters].
	Only   *rights.Restriction
	Resume rights.Resume
	// MayCreate is that of [write.Write].
	MayCreate func(context.Context) (*rights.Restriction, error)
}

// Address names an object or one of its subresources. Subresource is empty for the object itself.
type Address struct{ Namespace, Name, Subresource string }

// CheckName returns a BadRequest error if the address has no name.
func (a Address) CheckName() error {
	if a.Name == "" {
		return status.BadRequest("the name of the object must not be empty")
	}
	return nil
}

// Access returns the access of a request over HTTP that would do the same as the call.
func (a Address) Access(res *resource.Resource, verb string) access.Access {
	if verb == Apply {
		verb = kind.Patch
	}
	to := access.Access{Verb: access.Verb(verb), Group: res.GVK.Group, Version: res.GVK.Version,
		Resource: res.GR.Resource, Namespace: a.Namespace, Name: a.Name, Subresource: a.Subresource}
	if to.Resource == resource.NamespacesPlural {
		to.Namespace = a.Name
	}
	return to
}

// Wanted is one write that a client wants. The verb determines which of the other fields matter.
type Wanted struct {
	Address
	Asked write.Asked
	// Verb is Create, Update, Patch or Delete of package kind, or Apply.
	Verb string
	// Body is the new object, the new subresource or the input of an action, as a client has sent it. If it is nil, it is
	// Object.
	Body *Body
	// Object is the new object, the new subresource, the input of an action, or the applied configuration. An update
	// without Change replaces the old object or subresource by Object.
	Object doc.Value
	// Change computes the new object of an update from the old one. It may run several times. A result without a
	// resourceVersion overwrites any state. If the resourceVersion of the result is not that of the old object, the write
	// fails with a Conflict.
	Change write.Change
	// Form is the media type of the patch Data. Without an Object, Data is the applied configuration, in YAML or JSON.
	Form string
	Data []byte
	// Deletion holds the options of a deletion.
	Deletion apimeta.DeleteOptions
	// Warnings collects the warnings. It is nil if nobody reads them.
	Warnings *write.Warnings
}

// Body is a body as a client has sent it.
type Body struct {
	body.Format
	Data []byte
	// Decoded, unless nil, receives the document of the body.
	Decoded func(obj doc.Value)
}

// Apply is the verb of a write that applies a configuration.
const Apply = "apply"

// Writing is a write that has begun.
type Writing interface {
	// Do carries the write out. An action that has no result leaves the JSON of the result nil, and so does a deletion
	// that leaves nothing to show.
	Do(c Caller) (write.Result, error)
}

// Selected says which objects a list, a watch or a deletion of a collection selects. Its copies share what For has
// parsed.
type Selected struct {
	apimeta.ListOptions
	Query resource.QueryText

	parsed *resource.ListParameters
}

// Parsed returns a selection whose options and query somebody has parsed.
func Parsed(p *resource.ListParameters) Selected {
	s := Selected{ListOptions: p.ListOptions, parsed: p}
	if p.Query != nil {
		s.Query = p.Query.Text
	}
	return s
}

// For returns the parameters that select from a resource, or an error if the selection is invalid. They restrict
// nobody.
func (s *Selected) For(of *resource.Resource) (*resource.ListParameters, error) {
	if s.parsed != nil {
		return s.parsed, nil
	}
	p := new(resource.ListParameters)
	err := p.Read(s.ListOptions, of)
	if err == nil {
		err = p.ReadQuery(s.Query, of)
	}
	return p, err
}

// Into says where a call puts the objects of a page.
type Into struct {
	// Buffer becomes that of the page's records if it is large enough.
	Buffer []*storage.Record
	// See, unless nil, gets the objects in the place of the page's records: one after the other, as JSON in the version of
	// the resource. If it returns an error, the call returns it. After any error, See may have got some of the objects. It
	// must not change an object, and must not keep it after it returns.
	See func(object []byte) error
}

// Page is one page of a list. [resource.Resource.Show] converts its records to the version of the resource.
type Page struct {
	resource.Page
	// Version is the resourceVersion of the page if it is not the decimal number of its Revision.
	Version string
}

// History is the history of an object.
type History interface {
	// Answer returns what a query asks for, as JSON.
	Answer(past.Query) ([]byte, error)
	// List returns the versions of the object.
	List() (*history.ObjectVersionList, error)
	Close()
}

// Following describes what to watch, and where to start.
type Following struct {
	Namespace string
	// Selected holds the selectors and the resourceVersion after which the watch begins.
	Selected Selected
	Recovers bool
}

// Event is one event of a watch. JSON is the object at the ResourceVersion of the event.
type Event struct {
	Type            apimeta.EventType
	JSON            []byte
	ResourceVersion string
	Written         time.Time // zero if unknown
}
