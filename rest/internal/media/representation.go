package media

import (
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// Form is the part or view of an object that a client asks for (API concepts, Alternate representations of resources).
type Form int

const (
	// Whole is the object, or the list of objects.
	Whole Form = iota
	// AsTable is a Table with one row for each object (API concepts, Receiving resources as Tables).
	AsTable
	// AsPartial is PartialObjectMetadata, or a list of it (API concepts, Fetching metadata only).
	AsPartial
)

// Representation is the form and the media type of an answer. Answers share it and must not change it.
type Representation struct {
	Media  string
	Pretty bool // indented, for people
	Form   Form
	// MetaVersion is the version of meta.k8s.io of a Table or of PartialObjectMetadata.
	MetaVersion string
	// Drops reports that the objects are shown without their managedFields. It is false for a Table.
	Drops bool
	// Mismatch is the error for a client that asks for one object in the form of a list, or the reverse. Upstream reports
	// it only after invalid options and missing objects, so it does not end the negotiation.
	Mismatch error

	include apimeta.IncludeObjectPolicy // how much of each object a row of a Table contains
	message Message                     // the message of the answer; nil if it has none
	cbor    Transcoder                  // nil if the API does not serve CBOR
}

// Accepted is what a client asks for in the form of its answer.
type Accepted struct {
	// Accept holds the values of the Accept header.
	Accept []string
	// Pretty asks for an indented answer, see [ForPeople].
	Pretty bool
	// Include says how much of each object the rows of a Table contain.
	Include apimeta.IncludeObjectPolicy
}

// Endpoint is the kind of answer that is negotiated.
type Endpoint int

const (
	// OneObject is an object, a Status, or a document of discovery.
	OneObject Endpoint = iota
	// ManyObjects is a list, whose route also serves the watch.
	ManyObjects
	// DeletedObjects is the list of the objects that a deletecollection deleted. Its route serves no watch.
	DeletedObjects
	// EventStream is a watch.
	EventStream
)

// isList reports whether the answer is a list.
func (e Endpoint) isList() bool { return e == ManyObjects || e == DeletedObjects }

// Negotiate returns the representation of an answer. It takes the clauses of the Accept header by falling q, and in the
// order of the header for the same q, and uses the first one that the API can serve. k is the kind of the answer.
func (t *Types) Negotiate(k *Kind, e Endpoint, a Accepted) (*Representation, error) {
	if len(a.Accept) == 0 || len(a.Accept) == 1 && (a.Accept[0] == JSON || a.Accept[0] == "*/*" || a.Accept[0] == "") {
		return PlainJSON(a.Pretty), nil
	}
	return t.negotiateClauses(k, e, a)
}

var compactJSON, prettyJSON = &Representation{Media: JSON}, &Representation{Media: JSON, Pretty: true}

// PlainJSON returns the representation as JSON, indented or compact.
func PlainJSON(pretty bool) *Representation {
	if pretty {
		return prettyJSON
	}
	return compactJSON
}

// IsPlain reports whether the answer is compact JSON, the stored bytes.
func (rep *Representation) IsPlain() bool { return rep.Media == JSON && !rep.Pretty }

// OfStatus returns the representation of a Status instead of the object: in the same media type, but never as a Table
// or PartialObjectMetadata.
func (rep *Representation) OfStatus() *Representation {
	return &Representation{Media: rep.Media, Pretty: rep.Pretty, message: statusMessage(), cbor: rep.cbor}
}

// ForPeople reports whether a person probably reads the answer. The parameter pretty decides; without it, the
// User-Agent does.
func ForPeople(pretty, userAgent string) bool {
	if pretty != "" {
		is, _ := strconv.ParseBool(pretty)
		return is
	}
	return strings.HasPrefix(userAgent, "curl") || strings.HasPrefix(userAgent, "Wget") ||
		strings.HasPrefix(userAgent, "Mozilla/5.0")
}
