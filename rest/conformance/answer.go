package conformance

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// answer is the answer of a server to one step, before normalising.
type answer struct {
	step    *step  // nil for a given object, which is not part of the transcript
	request string // method and path as in the case file, for the reader
	path    string // the requested path, which tells the resource of the resourceVersions

	status  int
	headers map[string]any
	body    any
	hasBody bool   // a body of JSON or YAML was decoded, even if it is null
	text    string // a body that is neither
	format  string // yaml or binary, if the body is not JSON
	pretty  *bool  // whether JSON is indented
	events  []any  // the events of a watch; nil for others
	ended   string // how a watch ended, if its case asks
}

// keptHeaders returns the headers that a case may capture or compare.
func keptHeaders() []string {
	return []string{
		"Content-Type", "Warning", "Retry-After", "Content-Encoding", "Allow", "Location", "Cache-Control", "Vary",
		"Accept-Patch", "Deprecation", "X-Content-Type-Options", "Etag", "Last-Modified",
	}
}

func headersOf(resp *http.Response) map[string]any {
	headers := map[string]any{}
	for _, name := range keptHeaders() {
		values := resp.Header.Values(name)
		switch {
		case len(values) == 0:
		case len(values) == 1 && name != "Warning":
			headers[name] = values[0]
		default:
			list := make([]any, len(values))
			for i, v := range values {
				list[i] = v
			}
			headers[name] = list
		}
	}
	return headers
}

func readAnswer(resp *http.Response) (*answer, error) {
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the response: %w", err)
	}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") && len(b) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		if b, err = io.ReadAll(io.LimitReader(z, maxAnswer)); err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
	}
	a := &answer{status: resp.StatusCode, headers: headersOf(resp), pretty: new(bytes.Contains(b, []byte("{\n")))}
	a.decode(resp.Header.Get("Content-Type"), b)
	return a, nil
}

// decode reads a body in the format that the server states. A body in another format
// is text.
func (a *answer) decode(contentType string, b []byte) {
	if len(b) == 0 {
		return
	}
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	mayBeJSON := b[0] == '{' // whatever its label
	switch {
	case media == "application/yaml":
		if v, err := decodeYAML(b); err == nil {
			a.body, a.hasBody, a.format = v, true, "yaml"
			return
		}
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		mayBeJSON = true
	case strings.Contains(media, "protobuf") || strings.Contains(media, "cbor"):
		a.format = "binary"
		return
	}
	if mayBeJSON {
		if v, err := decodeJSON(b); err == nil {
			a.body, a.hasBody = v, true
			return
		}
	}
	a.text = string(b)
}

// find looks up a path in the headers, in the body, or otherwise in the events.
func (a *answer) find(path string) (any, bool) {
	if name, ok := strings.CutPrefix(path, "headers."); ok {
		return lookup(a.headers, name)
	}
	if v, ok := lookup(a.body, path); ok && a.hasBody {
		return v, true
	}
	if a.events == nil {
		return nil, false
	}
	return lookup(a.events, path)
}
