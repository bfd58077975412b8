package media

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// negotiateClauses returns the representation for the first clause and media type that fit. As in upstream, the order
// of the clauses comes before the order of the media types that the API serves.
func (t *Types) negotiateClauses(k *Kind, e Endpoint, a Accepted) (*Representation, error) {
	clauses := parseAccept(strings.Join(a.Accept, ","))
	for _, c := range clauses {
		if e == EventStream {
			c.media = objectType(c.media)
		}
		for _, media := range t.Served {
			if !c.matches(media) {
				continue
			}
			rep := &Representation{Media: media, Pretty: a.Pretty || c.params["pretty"] == "1", include: a.Include,
				message: k.Message, cbor: t.cbor}
			if rep.take(c, k, e) {
				return rep, nil
			}
		}
	}
	return nil, t.notAcceptable(k, e, clauses)
}

// take completes the representation with the parameters of a clause. It returns false if the API does not serve what
// they ask for.
func (rep *Representation) take(c clause, k *Kind, e Endpoint) bool {
	f := rep.format()
	if v := c.params["stream"]; v != "" && (v != "watch" || f.stream == "") {
		return false
	}
	if v := c.params["sv"]; v != "" && v != "v1" {
		return false
	}
	as, transformed := c.params["as"]
	if !transformed {
		return (!f.messages || k.Message != nil) && c.params["g"] == "" && c.params["v"] == ""
	}
	rep.MetaVersion = c.params["v"]
	if k.columns == nil { // only objects of a resource have other forms
		return false
	}
	if c.params["g"] != "meta.k8s.io" || rep.MetaVersion != "v1" && rep.MetaVersion != "v1beta1" {
		return false
	}
	switch as {
	case "Table":
		rep.Form = AsTable
		return !k.names.Virtual && f.tables // clients list no objects of a virtual kind
	case "PartialObjectMetadata":
		if e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadata, but the requested object is a list (" + k.goName(true) +
				")")
		}
	case "PartialObjectMetadataList":
		if !e.isList() {
			rep.Mismatch = refusal("you requested PartialObjectMetadataList, but the requested object is not a list (" +
				k.goName(false) + ")")
		}
	default:
		return false
	}
	rep.Form, rep.message = AsPartial, Described(codec.PartialObjectMetadataMessage())
	return true
}

// notAcceptable returns the error for a client that accepts nothing that the API serves. For a kind of the built-in
// dialect, upstream's route refuses the request before a handler sees it, with another text.
func (t *Types) notAcceptable(k *Kind, e Endpoint, clauses []clause) error {
	if !k.dialect.MediaRefusedByRoute || t.routeAccepts(e, clauses) {
		return status.NotAcceptable(t.Served)
	}
	types := t.Served
	if e == ManyObjects || e == EventStream { // upstream's route of a list also serves the watch
		types = slices.Concat(types, t.Streamed)
	}
	return NotRouted(types...)
}

// routeAccepts reports whether a route would accept one of the clauses. A route compares only the names of the media
// types.
func (t *Types) routeAccepts(e Endpoint, clauses []clause) bool {
	return slices.ContainsFunc(clauses, func(c clause) bool {
		return slices.ContainsFunc(t.Served, c.matches) || e != OneObject && slices.Contains(t.Streamed, c.media)
	})
}

// NotRouted returns the error of a route that serves only these media types.
func NotRouted(types ...string) error {
	return refusal("406: Not Acceptable\n\nAvailable representations: " + strings.Join(types, ", "))
}

// refusal returns a 406 with this text.
func refusal(text string) error {
	err := status.NotAcceptable(nil)
	err.Status.Message = text
	return err
}

// NegotiateStatus returns the representation of an error. An error has only one form. If the client accepts nothing
// that the API serves, it gets indented JSON.
func (t *Types) NegotiateStatus(a Accepted) *Representation {
	header := strings.Join(a.Accept, ",")
	if header == "" {
		header = JSON
	}
	for _, c := range parseAccept(header) {
		c.media = objectType(c.media)
		for _, media := range t.Served {
			if c.matches(media) && c.params["as"] == "" && c.params["g"] == "" && c.params["v"] == "" {
				return &Representation{Media: media, Pretty: a.Pretty || c.params["pretty"] == "1", message: statusMessage(),
					cbor: t.cbor}
			}
		}
	}
	return prettyJSON
}
