package media

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// negotiateClauses picks the representation for the clauses of a header.
func (t *Types) negotiateClauses(k *Kind, e Endpoint, clauses []clause) (Representation, error) {
	for _, c := range clauses {
		if e == EventStream && c.media == CBORSequence {
			c.media = CBOR
		}
		for _, media := range t.Served {
			if !c.matches(media) {
				continue
			}
			if rep, ok := t.represent(k, e, c, media); ok {
				return rep, nil
			}
		}
	}
	return Representation{}, t.notAcceptable(k, e, clauses)
}

// represent returns what a clause asks for in one of the media types that it takes; it is not ok if that is not served.
func (t *Types) represent(k *Kind, e Endpoint, c clause, media string) (rep Representation, ok bool) {
	rep = Representation{Media: media, Pretty: c.params["pretty"] == "1", message: k.Message, cbor: t.cbor}
	if v := c.params["stream"]; v != "" && (v != "watch" || media == YAML) {
		return rep, false
	}
	if v := c.params["sv"]; v != "" && v != "v1" {
		return rep, false
	}
	as, transformed := c.params["as"]
	if !transformed {
		return rep, (media != Protobuf || k.Message != nil) && c.params["g"] == "" && c.params["v"] == ""
	}
	rep.MetaVersion = c.params["v"]
	if k.columns == nil { // what is not an object of a resource has no other form
		return rep, false
	}
	if c.params["g"] != "meta.k8s.io" || rep.MetaVersion != "v1" && rep.MetaVersion != "v1beta1" {
		return rep, false
	}
	switch as {
	case "Table":
		rep.Form = AsTable
		return rep, media == JSON || media == YAML
	case "PartialObjectMetadata":
		if e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadata, but the requested object is a list (" + k.goName(true) + ")")
		}
	case "PartialObjectMetadataList":
		if !e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadataList, but the requested object is not a list (" + k.goName(false) + ")")
		}
	default:
		return rep, false
	}
	rep.Form, rep.message = AsPartial, Described(codec.PartialObjectMetadataMessage())
	return rep, true
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
func (t *Types) NegotiateStatus(accept []string, pretty bool) Representation {
	header := strings.Join(accept, ",")
	if header == "" {
		header = JSON
	}
	for _, c := range parseAccept(header) {
		if c.media == CBORSequence {
			c.media = CBOR
		}
		for _, media := range t.Served {
			if c.matches(media) && c.params["as"] == "" && c.params["g"] == "" && c.params["v"] == "" {
				return Representation{Media: media, Pretty: pretty || c.params["pretty"] == "1", message: statusMessage(), cbor: t.cbor}
			}
		}
	}
	return Representation{Media: JSON, Pretty: true}
}
