package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// caller speaks HTTP with the API, over a socket or in process, in one of the versions of Gadgets. To its users every
// Gadget has the stored version: caller renames the fields that differ in what it sends and reads.
type caller struct {
	client *http.Client
	root   string
	older  bool
}

// older is the other version of Gadgets. The field names in which it differs are plain strings here, so that the soak
// shares no code with the conversion under test.
const older = "v1beta1"

var (
	olderWords = strings.NewReplacer(collection, "/apis/"+group+"/"+older+"/", group+"/v1", group+"/"+older,
		`"color"`, `"paint"`, "spec.color", "spec.paint", `"count"`, `"total"`, "/spec/count", "/spec/total")
	newerWords = strings.NewReplacer(group+"/"+older, group+"/v1", `"paint"`, `"color"`, `"total"`, `"count"`)
)

func (c *caller) say(text string) string {
	if c.older {
		return olderWords.Replace(text)
	}
	return text
}

func (c *caller) hear(data []byte) []byte {
	if c.older {
		return []byte(newerWords.Replace(string(data)))
	}
	return data
}

const (
	mediaJSON  = "application/json"
	mediaMerge = "application/merge-patch+json"
	mediaPatch = "application/json-patch+json"
	mediaTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
	mediaMeta  = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	mediaMetas = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

// open sends a request and returns the body of the response. It returns a failure as the Status that came with it.
func (c *caller) open(ctx context.Context, method, path string, query url.Values, media, accept string,
	body []byte) (io.ReadCloser, error) {
	if fields := query.Get("fieldSelector"); fields != "" {
		query.Set("fieldSelector", c.say(fields))
	}
	r, err := http.NewRequestWithContext(ctx, method, c.root+c.say(path)+"?"+query.Encode(),
		strings.NewReader(c.say(string(body))))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", media)
	r.Header.Set("Accept", accept)
	response, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		return response.Body, nil
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return nil, asError(data)
}

func asError(data []byte) error {
	var s status.Status
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("the response is not a Status: %w: %s", err, data)
	}
	return &status.Error{Status: s}
}

// do sends a request and decodes the response.
func (c *caller) do(method, path string, query url.Values, media, accept string, body []byte, into any) error {
	answer, err := c.open(context.Background(), method, path, query, media, accept, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	data, err := io.ReadAll(answer)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(c.hear(data), into)
}

// write sends a JSON object or a patch and returns the object in the response.
func (c *caller) write(method, path, media string, body any) (*Gadget, error) {
	data, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		data = string(encoded)
	}
	out := new(Gadget)
	return out, c.do(method, path, nil, media, mediaJSON, []byte(data), out)
}

func (c *caller) get(namespace, name string) (*Gadget, error) {
	out := new(Gadget)
	return out, c.do("GET", path(namespace, name), nil, mediaJSON, mediaJSON, nil, out)
}

// listing is a list, a list of metadata or a table.
type listing struct {
	Metadata apimeta.ListMeta
	Items    []Gadget
	Rows     []struct{ Object Gadget }
}

func (l *listing) items() []item {
	var out []item
	for i := range l.Items {
		out = append(out, itemOf(&l.Items[i]))
	}
	for i := range l.Rows {
		out = append(out, itemOf(&l.Rows[i].Object))
	}
	return out
}

func (c *caller) list(sel selector, query url.Values, accept string) (*listing, error) {
	out := new(listing)
	return out, c.do("GET", path(sel.namespace, ""), query, mediaJSON, accept, nil, out)
}

// isMetadata reports whether the response in an accepted form contains only the metadata of an object.
func isMetadata(accept string) bool { return strings.Contains(accept, "as=") }
