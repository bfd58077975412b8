package media

import (
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// Form is what a client wants to see of an object (API concepts, Alternate representations of resources).
type Form int

const (
	// Whole is the object, or the list of objects.
	Whole Form = iota
	// AsTable is a Table with a row for each object (API concepts, Receiving resources as Tables).
	AsTable
	// AsPartial is PartialObjectMetadata, or the list of them (API concepts, Fetching metadata only).
	AsPartial
)

// Representation is what a client asks for and the API can give. Answers share it, and nobody changes it.
type Representation struct {
	Media  string
	Pretty bool // for people: indented
	Form   Form
	// MetaVersion is the version of meta.k8s.io in which a Table or PartialObjectMetadata is asked for.
	MetaVersion string
	// Mismatch is set if an object is asked for in the form of a list, or the reverse. It is told after what is wrong with the
	// options and with what is looked for.
	Mismatch error

	include apimeta.IncludeObjectPolicy // what the rows of a Table carry of their objects
	message Message                     // of what is represented, nil if it has none
	cbor    Transcoder                  // for CBOR
}

// Asked is what a client says about the form of its answer.
type Asked struct {
	// Accept are the values of the header.
	Accept []string
	// Pretty asks for an answer for people, see [ForPeople].
	Pretty bool
	// Include is what the rows of a Table are to carry of their objects.
	Include apimeta.IncludeObjectPolicy
}

// Endpoint is what kind of answer is negotiated.
type Endpoint int

const (
	// OneObject is also a Status, or a document of discovery.
	OneObject Endpoint = iota
	// ManyObjects is a list, which can be watched as well.
	ManyObjects
	// DeletedObjects is a list of what has been deleted, which cannot be watched.
	DeletedObjects
	// EventStream is a watch.
	EventStream
)

// isList says that the answer is a list.
func (e Endpoint) isList() bool { return e == ManyObjects || e == DeletedObjects }

// Negotiate picks the representation of an answer: of the clauses of the header Accept by falling q, and of those with the same q, the
// first that can be served. k is the kind of what is represented.
func (t *Types) Negotiate(k *Kind, e Endpoint, a Asked) (*Representation, error) {
	if len(a.Accept) == 0 || len(a.Accept) == 1 && (a.Accept[0] == JSON || a.Accept[0] == "*/*" || a.Accept[0] == "") {
		return PlainJSON(a.Pretty), nil
	}
	return t.negotiateClauses(k, e, a)
}

var compactJSON, prettyJSON = &Representation{Media: JSON}, &Representation{Media: JSON, Pretty: true}

// PlainJSON is the representation as JSON.
func PlainJSON(pretty bool) *Representation {
	if pretty {
		return prettyJSON
	}
	return compactJSON
}

// IsPlain says that the answer is compact JSON, which is sent as it is stored.
func (rep *Representation) IsPlain() bool { return rep.Media == JSON && !rep.Pretty }

// OfStatus is the representation of a Status in place of an object: in the same media type, but never in another form.
func (rep *Representation) OfStatus() *Representation {
	return &Representation{Media: rep.Media, Pretty: rep.Pretty, message: statusMessage(), cbor: rep.cbor}
}

// ForPeople reports whether a person is likely to read the answer: as the parameter pretty says, else by the User-Agent.
func ForPeople(pretty, userAgent string) bool {
	if pretty != "" {
		is, _ := strconv.ParseBool(pretty)
		return is
	}
	return strings.HasPrefix(userAgent, "curl") || strings.HasPrefix(userAgent, "Wget") || strings.HasPrefix(userAgent, "Mozilla/5.0")
}
