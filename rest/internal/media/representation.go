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

// Representation is what a client asks for and the API can give.
type Representation struct {
	Media  string
	Pretty bool // for people: indented
	Form   Form
	// MetaVersion is the version of meta.k8s.io in which a Table or PartialObjectMetadata is asked for.
	MetaVersion string
	// Include is what the rows of a Table carry of their objects, as the client says it.
	Include apimeta.IncludeObjectPolicy
	// Mismatch is set if an object is asked for in the form of a list, or the reverse. It is told after what is wrong with the
	// options and with what is looked for.
	Mismatch error

	message Message    // of what is represented, nil if it has none
	cbor    Transcoder // for CBOR
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

// Negotiate picks the representation of an answer from the values of the header Accept: clauses by falling q, of those with the
// same q the first that can be served. k is the kind of what is represented.
func (t *Types) Negotiate(k *Kind, e Endpoint, accept []string) (Representation, error) {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == JSON || accept[0] == "*/*" || accept[0] == "") {
		return Representation{Media: JSON}, nil
	}
	return t.negotiateClauses(k, e, parseAccept(strings.Join(accept, ",")))
}

// IsPlain says that the answer is compact JSON, which is sent as it is stored.
func (rep Representation) IsPlain() bool { return rep.Media == JSON && !rep.Pretty }

// OfStatus is the representation of a Status in place of an object: in the same media type, but never in another form.
func (rep Representation) OfStatus() Representation {
	rep.Form, rep.MetaVersion, rep.message = Whole, "", statusMessage()
	return rep
}

// ForPeople reports whether a person is likely to read the answer: as the parameter pretty says, else by the User-Agent.
func ForPeople(pretty, userAgent string) bool {
	if pretty != "" {
		is, _ := strconv.ParseBool(pretty)
		return is
	}
	return strings.HasPrefix(userAgent, "curl") || strings.HasPrefix(userAgent, "Wget") || strings.HasPrefix(userAgent, "Mozilla/5.0")
}
