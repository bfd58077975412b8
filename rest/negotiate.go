package rest

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// Media types.
const (
	mediaJSON    = "application/json"
	mediaYAML    = "application/yaml"
	mediaCBOR    = "application/cbor"
	mediaCBORSeq = "application/cbor-seq"
	mediaText    = "text/plain; charset=utf-8"
)

// ofStream makes of a media type the one of a watch in it.
const ofStream = ";stream=watch"

// transform is what a client wants to see of an object.
type transform int

const (
	wholeObject transform = iota
	asTable
	asPartial // PartialObjectMetadata, or the list of them
)

// representation is what one clause of an Accept header asks for and the server can give (API concepts, Alternate
// representations of resources; Receiving resources as Tables; Fetching metadata only).
type representation struct {
	media  string
	wire   wireCodec // of what is represented, nil where it has no Protobuf message
	pretty bool
	as     transform
	// metaVersion is the version of meta.k8s.io that Table and PartialObjectMetadata are asked in.
	metaVersion string
	// mismatch is set where an object is asked for in the form of a list, or the reverse.
	mismatch error
}

// endpoint is what kind of answer is negotiated.
type endpoint int

const (
	oneObject endpoint = iota
	manyObjects
	eventStream
)

// mediaTypes are what an API serves and reads, and in what it streams.
type mediaTypes struct{ served, streamed []string }

func mediaTypesOf(o Options) mediaTypes {
	t := mediaTypes{
		served:   []string{mediaJSON, mediaYAML, mediaProtobuf},
		streamed: []string{mediaJSON + ofStream, mediaProtobuf + ofStream},
	}
	if o.CBOR != nil {
		t.served, t.streamed = append(t.served, mediaCBOR), append(t.streamed, mediaCBORSeq)
	}
	return t
}

// negotiate picks the representation of the answer to a write, which must not be done when it cannot be answered.
func (q *request) negotiate(e endpoint) (representation, error) {
	rep, err := q.negotiateRead(e)
	return rep, cmp.Or(err, rep.mismatch)
}

// negotiateRead picks the representation of an answer from the Accept header: clauses by falling q, of those with the same
// q the first that can be served. A mismatch is told after what is wrong with the options and with what is looked for.
func (q *request) negotiateRead(e endpoint) (representation, error) {
	rep := representation{media: mediaJSON}
	accept := q.r.Header["Accept"]
	if len(accept) > 0 && !(len(accept) == 1 && (accept[0] == mediaJSON || accept[0] == "*/*" || accept[0] == "")) {
		var err error
		if rep, err = q.negotiateHeader(strings.Join(accept, ","), e); err != nil {
			return rep, err
		}
	}
	rep.pretty = rep.pretty || q.wantsPretty()
	return rep, nil
}

// wantsPretty reports whether a person is likely to read the answer: as the request says, else by its User-Agent.
func (q *request) wantsPretty() bool {
	if value := q.parameters().Get("pretty"); value != "" {
		pretty, _ := strconv.ParseBool(value)
		return pretty
	}
	agent := q.r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// clause is one alternative of an Accept header.
type clause struct {
	media  string
	params map[string]string
	q      float64
}

func parseAccept(header string) []clause {
	var out []clause
	for _, part := range strings.Split(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		c := clause{media: media, params: params, q: 1}
		if v, ok := params["q"]; ok {
			if c.q, err = strconv.ParseFloat(v, 64); err != nil {
				continue
			}
		}
		if c.q > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b clause) int {
		if a.q != b.q {
			return cmp.Compare(b.q, a.q)
		}
		return cmp.Compare(strings.Count(a.media, "*"), strings.Count(b.media, "*"))
	})
	return out
}

// matches says that the clause takes a media type, its parameters apart.
func (c clause) matches(media string) bool {
	return c.media == media || c.media == "*/*" || c.media == "application/*"
}

func (q *request) negotiateHeader(header string, e endpoint) (representation, error) {
	for _, c := range parseAccept(header) {
		if e == eventStream && c.media == mediaCBORSeq {
			c.media = mediaCBOR
		}
		for _, media := range q.api.media.served {
			if !c.matches(media) {
				continue
			}
			if rep, ok := q.represent(c, media, e); ok {
				return rep, nil
			}
		}
	}
	return representation{}, q.notAcceptable(e)
}

// represent is what a clause asks for in one of the media types that it takes; it is not ok where that is not served.
func (q *request) represent(c clause, media string, e endpoint) (rep representation, ok bool) {
	rep = representation{media: media, wire: q.wire, pretty: c.params["pretty"] == "1"}
	if v := c.params["stream"]; v != "" && (v != "watch" || media == mediaYAML) {
		return rep, false
	}
	if v := c.params["sv"]; v != "" && v != "v1" {
		return rep, false
	}
	as, transformed := c.params["as"]
	if !transformed {
		return rep, (media != mediaProtobuf || q.wire != nil) && c.params["g"] == "" && c.params["v"] == ""
	}
	rep.metaVersion = c.params["v"]
	if q.res == nil || q.columns() == nil { // what is not an object of a resource has no other form
		return rep, false
	}
	if c.params["g"] != "meta.k8s.io" || rep.metaVersion != "v1" && rep.metaVersion != "v1beta1" {
		return rep, false
	}
	switch as {
	case "Table":
		rep.as = asTable
		return rep, media == mediaJSON || media == mediaYAML
	case "PartialObjectMetadata":
		if e == manyObjects {
			rep.mismatch = notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (" + q.res.goName(true) + ")")
		}
	case "PartialObjectMetadataList":
		if e != manyObjects {
			rep.mismatch = notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list (" + q.res.goName(false) + ")")
		}
	default:
		return rep, false
	}
	rep.as, rep.wire = asPartial, messageCodec{codec.PartialObjectMetadataMessage()}
	return rep, true
}

// goName is the Go type that errors name.
func (res *served) goName(list bool) string {
	switch {
	case res.Dialect.UnstructuredNames && list:
		return "*unstructured.UnstructuredList"
	case res.Dialect.UnstructuredNames:
		return "*unstructured.Unstructured"
	}
	group, _, _ := strings.Cut(cmp.Or(res.GR.Group, "core"), ".")
	kind := res.GVK.Kind
	if list {
		kind = res.Kind.ListKind
	}
	return "*" + group + "." + kind
}

// notAcceptable is the answer to who takes nothing that is served. Built-in kinds answer where their routes are chosen.
func (q *request) notAcceptable(e endpoint) error {
	types := q.api.media.served
	if !q.checkedByRoute() || q.routeAccepts(e) {
		return status.NotAcceptable(types)
	}
	if q.method() == http.MethodGet && e != oneObject { // what can be listed can be watched
		types = slices.Concat(types, q.api.media.streamed)
	}
	return notRouted(types...)
}

// notRouted is the refusal of a route that has answers in these media types only.
func notRouted(types ...string) error {
	return notAcceptable("406: Not Acceptable\n\nAvailable representations: " + strings.Join(types, ", "))
}

// checkedByRoute says that media types are looked at before anything else is, and refused in other words: so it is with
// built-in kinds and with their part of discovery.
func (q *request) checkedByRoute() bool {
	if q.res == nil {
		return !q.unrouted
	}
	return q.res.Dialect.MediaRefusedByRoute
}

// routeAccepts looks at the names of the media types alone.
func (q *request) routeAccepts(e endpoint) bool {
	return slices.ContainsFunc(parseAccept(strings.Join(q.r.Header["Accept"], ",")), func(c clause) bool {
		return slices.ContainsFunc(q.api.media.served, c.matches) || c.media == mediaCBORSeq && q.api.options.CBOR != nil && e != oneObject
	})
}

func notAcceptable(text string) error {
	err := status.NotAcceptable(nil)
	err.Status.Message = text
	return err
}

// parseBool reads a flag as Kubernetes does: what is not plainly false is true.
func parseBool(s string) bool { return s != "0" && !strings.EqualFold(s, "false") }
