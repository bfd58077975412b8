package media

// Media types.
const (
	JSON         = "application/json"
	YAML         = "application/yaml"
	CBOR         = "application/cbor"
	CBORSequence = "application/cbor-seq"
	Text         = "text/plain; charset=utf-8"

	// Protobuf is Kubernetes Protobuf: an envelope that names the kind, around the object's message (API concepts,
	// Kubernetes Protobuf encoding). Clients of built-in kinds send it without asking, and have no fallback.
	Protobuf = "application/vnd.kubernetes.protobuf"

	// ApplyCBOR is a configuration in CBOR, for an apply.
	ApplyCBOR = "application/apply-patch+cbor"
)

// OfStream is the parameter that turns a media type into that of a watch.
const OfStream = ";stream=watch"

// Transcoder translates JSON to CBOR. Package rest/cbor implements it, so that a host that serves no CBOR does not link
// it.
type Transcoder interface {
	AppendFromJSON(dst, json []byte) ([]byte, error)
}

// Types are the media types that an API reads and serves, and those that its watches serve.
type Types struct {
	Served, Streamed []string
	cbor             Transcoder // nil if the API does not serve CBOR
	drops            bool       // clients may drop managedFields from answers
}

// NewTypes returns the media types of an API. cbor is nil if the API does not serve CBOR. drops reports whether clients
// may drop managedFields from answers.
func NewTypes(cbor Transcoder, drops bool) *Types {
	t := &Types{cbor: cbor, drops: drops}
	for _, f := range formats {
		if f.optional && cbor == nil {
			continue
		}
		t.Served = append(t.Served, f.name)
		if f.stream != "" {
			t.Streamed = append(t.Streamed, f.stream)
		}
	}
	return t
}
