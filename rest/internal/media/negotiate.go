package media

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// negotiateClauses picks the representation by the clauses of the header.
func (t *Types) negotiateClauses(k *Kind, e Endpoint, a Asked) (*Representation, error) {
	clauses := parseAccept(strings.Join(a.Accept, ","))
	for _, c := range clauses {
		if e == EventStream && c.media == CBORSequence {
			c.media = CBOR
		}
		for _, media := range t.Served {
			if !c.matches(media) {
				continue
			}
			rep := &Representation{Media: media, Pretty: a.Pretty || c.params["pretty"] == "1", include: a.Include, message: k.Message, cbor: t.cbor}
			if rep.take(c, k, e) {
				return rep, nil
			}
		}
	}
	return nil, t.notAcceptable(k, e, clauses)
}

// take completes the representation with what a clause asks for. It returns false if that is not served.
func (rep *Representation) take(c clause, k *Kind, e Endpoint) bool {
	if v := c.params["stream"]; v != "" && (v != "watch" || rep.Media == YAML) {
		return false
	}
	if v := c.params["sv"]; v != "" && v != "v1" {
		return false
	}
	as, transformed := c.params["as"]
	if !transformed {
		return (rep.Media != Protobuf || k.Message != nil) && c.params["g"] == "" && c.params["v"] == ""
	}
	rep.MetaVersion = c.params["v"]
	if k.columns == nil { // what is not an object of a resource has no other form
		return false
	}
	if c.params["g"] != "meta.k8s.io" || rep.MetaVersion != "v1" && rep.MetaVersion != "v1beta1" {
		return false
	}
	switch as {
	case "Table":
		rep.Form = AsTable
		return rep.Media == JSON || rep.Media == YAML
	case "PartialObjectMetadata":
		if e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadata, but the requested object is a list (" + k.goName(true) + ")")
		}
	case "PartialObjectMetadataList":
		if !e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadataList, but the requested object is not a list (" + k.goName(false) + ")")
		}
	default:
		return false
	}
	rep.Form, rep.message = AsPartial, Described(codec.PartialObjectMetadataMessage())
	return true
}

// notAcceptable is the answer to a client that takes nothing that is served. The routes of some kinds answer before anything else
// is looked at, in other words.
func (t *Types) notAcceptable(k *Kind, e Endpoint, clauses []clause) error {
	if !k.dialect.MediaRefusedByRoute || t.routeAccepts(e, clauses) {
		return status.NotAcceptable(t.Served)
	}
	types := t.Served
	if e == ManyObjects || e == EventStream { // what can be listed can be watched
		types = slices.Concat(types, t.Streamed)
	}
	return NotRouted(types...)
}

// routeAccepts looks at the names of the media types alone.
func (t *Types) routeAccepts(e Endpoint, clauses []clause) bool {
	return slices.ContainsFunc(clauses, func(c clause) bool {
		return slices.ContainsFunc(t.Served, c.matches) || c.media == CBORSequence && t.cbor != nil && e != OneObject
	})
}

// NotRouted is the refusal of a route that has answers in these media types only.
func NotRouted(types ...string) error {
	return refusal("406: Not Acceptable\n\nAvailable representations: " + strings.Join(types, ", "))
}

func refusal(text string) error {
	err := status.NotAcceptable(nil)
	err.Status.Message = text
	return err
}

// NegotiateStatus returns how a client gets an error. It is never transformed, and sent even to a client that accepts nothing
// that is served: then as JSON for people.
func (t *Types) NegotiateStatus(a Asked) *Representation {
	header := strings.Join(a.Accept, ",")
	if header == "" {
		header = JSON
	}
	for _, c := range parseAccept(header) {
		if c.media == CBORSequence {
			c.media = CBOR
		}
		for _, media := range t.Served {
			if c.matches(media) && c.params["as"] == "" && c.params["g"] == "" && c.params["v"] == "" {
				return &Representation{Media: media, Pretty: a.Pretty || c.params["pretty"] == "1", message: statusMessage(), cbor: t.cbor}
			}
		}
	}
	return prettyJSON
}
