package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// endless is the body of a list, which it generates while the client reads. It has n objects of about the same size.
type endless struct {
	n, made int
	read    int // bytes
	left    string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == "" {
		if e.left = e.next(); e.left == "" {
			return 0, io.EOF
		}
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	e.read += n
	return n, nil
}

func (e *endless) next() string {
	e.made++
	switch at := e.made - 1; {
	case at == 0:
		return `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[` + e.object(at)
	case at < e.n:
		return "," + e.object(at)
	case at == e.n:
		return "]}"
	}
	return ""
}

func (e *endless) object(i int) string {
	return strings.Replace(apitest.StoredWidget{Name: fmt.Sprintf("w%06d", i)}.String(), `"metadata":{`,
		`"metadata":{"annotations":{"text":"`+strings.Repeat("x", 2000)+`"},`, 1)
}

// seen counts the objects that were decoded.
var seen int

// SeenSpec is a part of an object that counts when it is decoded.
type SeenSpec struct {
	Color string `json:"color,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *SeenSpec) UnmarshalJSON([]byte) error {
	seen++
	return nil
}

// Seen is a Widget whose client counts what it decodes.
type Seen struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SeenSpec `json:"spec"`
}

// A client decodes each object of a list as it reads it, so it holds little of the text of a long list.
func TestListsAreDecodedWhileTheyAreRead(t *testing.T) {
	const objects, most = 20_000, 64 << 10
	body := &endless{n: objects}
	held := 0
	counted := reading(func(p []byte) (int, error) {
		held = max(held, body.read-seen*(len(body.object(0))+1))
		return body.Read(p)
	})
	server := rest.Endpoint{URL: "https://api.example.com", HTTP: &http.Client{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: 1 << 40, Body: io.NopCloser(counted),
				Request: r}, nil
		})}}
	client := apitest.ClientForEndpoint(t, server, rest.Resource[Seen]{Group: "example.com", Version: "v1",
		Plural: "widgets", Names: rest.Names{Kind: "Widget"}})
	page, err := client.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, page.Items, objects)
	assert.Equal(t, objects, seen)
	assert.Equal(t, "w019999", page.Items[objects-1].Name)
	assert.Greater(t, body.read, 40<<20)
	assert.LessOrEqual(t, held, most)
}

// A list may have its members in any order, and members that the client does not know.
func TestListsInAnotherOrder(t *testing.T) {
	one := apitest.StoredWidget{Name: "a"}.String()
	for _, text := range []string{
		`{"items":[` + one + `],"metadata":{"continue":"more","resourceVersion":"7"},"kind":"WidgetList","more":[{}]}`,
		"\n{ \"items\" : [ " + one + " ] , \"metadata\" : { \"resourceVersion\" : \"7\", \"continue\" : \"more\" } } \n",
	} {
		page, err := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text)
		}).List(t.Context(), rest.ListOptions{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		assert.Equal(t, "a", page.Items[0].Name)
		assert.Equal(t, "7", page.ResourceVersion)
		assert.Equal(t, "more", page.Continue)
	}
}

// A list that breaks off is an error, wherever it breaks off.
func TestListsWithoutAnEnd(t *testing.T) {
	one := apitest.StoredWidget{Name: "a"}.String()
	const head = `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":`
	for text, want := range map[string]string{
		head + `[` + one:                  "unexpected EOF",
		head + `[` + one + `,`:            "unexpected EOF",
		head + `[` + one + `]`:            "unexpected EOF",
		head + `[` + one + one + `]}`:     "invalid character",
		head + `[` + one + `]}{}`:         "something follows it",
		head + `{}}`:                      "cannot unmarshal object",
		head + `[` + one + `],"kind":[]}`: "cannot unmarshal array",
	} {
		client := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
		page, err := client.List(t.Context(), rest.ListOptions{})
		assert.ErrorContains(t, err, "the server's answer is not a list: ", text)
		assert.ErrorContains(t, err, want, text)
		assert.Nil(t, page)
	}
}

// An object that is larger than a client reads ends the list.
func TestObjectsOfListsAreLimited(t *testing.T) {
	_, err := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"`)
		text := strings.Repeat("x", 1<<20)
		for range 65 {
			_, _ = io.WriteString(w, text)
		}
	}).List(t.Context(), rest.ListOptions{})
	assert.ErrorContains(t, err, "an object of a list exceeds the limit of 67108864 bytes")
}

// If the connection breaks within a list, or the context ends, the error says so.
func TestListsThatBreak(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	broken := func(end func() error) rest.Client[apitest.Widget] {
		body := io.MultiReader(&endless{n: 3}, reading(func([]byte) (int, error) { return 0, end() }))
		server := rest.Endpoint{URL: "https://api.example.com", HTTP: &http.Client{
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
			})}}
		return apitest.ClientForEndpoint(t, server, apitest.WidgetResource())
	}
	_, err := broken(func() error { return io.ErrClosedPipe }).List(ctx, rest.ListOptions{})
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	stop := fmt.Errorf("enough")
	_, err = broken(func() error { cancel(stop); return context.Canceled }).List(ctx, rest.ListOptions{})
	assert.ErrorIs(t, err, stop)
}

// reading is a reader that calls a function.
type reading func([]byte) (int, error)

func (f reading) Read(p []byte) (int, error) { return f(p) }
