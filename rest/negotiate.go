package rest

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// Media types.
const (
	mediaJSON = "application/json"
	mediaYAML = "application/yaml"
	mediaText = "text/plain; charset=utf-8"
)

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
	wire   wireCodec // where media is Protobuf
	pretty bool
	as     transform
	// metaVersion is the version of meta.k8s.io that Table and PartialObjectMetadata are asked in.
	metaVersion string
}

// endpoint is what kind of answer is negotiated.
type endpoint int

const (
	oneObject endpoint = iota
	manyObjects
	stream
)

// The media types of answers, of bodies and of streams.
var (
	servedTypes   = []string{mediaJSON, mediaYAML, mediaProtobuf}
	streamedTypes = []string{mediaJSON + ";stream=watch"}
)

// negotiate picks the representation of an answer from the Accept header: clauses by falling q, of those with the same
// q the first that can be served.
func (q *request) negotiate(e endpoint) (representation, error) {
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
	if values, ok := q.parameters()["pretty"]; ok {
		return parseBool(values[0])
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
		switch {
		case a.q > b.q:
			return -1
		case a.q < b.q:
			return 1
		}
		return 0
	})
	return out
}

func (q *request) negotiateHeader(header string, e endpoint) (representation, error) {
	for _, c := range parseAccept(header) {
		rep := representation{media: mediaJSON}
		switch c.media {
		case mediaJSON, "*/*", "application/*":
		case mediaYAML:
			if e == stream {
				continue
			}
			rep.media = mediaYAML
		case mediaProtobuf:
			if e == stream || q.wire == nil || c.params["as"] != "" {
				continue
			}
			rep.media, rep.wire = mediaProtobuf, q.wire
		default:
			continue
		}
		if v, ok := c.params["stream"]; ok && (e != stream || v != "watch") {
			continue
		}
		if v, ok := c.params["pretty"]; ok {
			rep.pretty = parseBool(v)
		}
		if as, ok := c.params["as"]; ok {
			rep.metaVersion = c.params["v"]
			if c.params["g"] != "meta.k8s.io" || rep.metaVersion != "v1" && rep.metaVersion != "v1beta1" {
				continue
			}
			switch {
			case as == "Table":
				rep.as = asTable
			case as == "PartialObjectMetadata" && e != manyObjects, as == "PartialObjectMetadataList" && e == manyObjects:
				rep.as = asPartial
			case as == "PartialObjectMetadata":
				return rep, notAcceptable("you requested PartialObjectMetadata, but the requested object is a list")
			case as == "PartialObjectMetadataList":
				return rep, notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list")
			default:
				continue
			}
		}
		return rep, nil
	}
	if e == stream {
		return representation{}, status.NotAcceptable(streamedTypes)
	}
	return representation{}, status.NotAcceptable(servedTypes)
}

func notAcceptable(text string) error {
	err := status.NotAcceptable(nil)
	err.Status.Message = text
	return err
}

// parseBool reads a flag as Kubernetes does: what is not plainly false is true.
func parseBool(s string) bool { return s != "0" && !strings.EqualFold(s, "false") }
