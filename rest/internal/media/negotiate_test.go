package media_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/status"
)

// thing is a Go type without a Protobuf message.
type thing struct {
	apimeta.TypeMeta
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

type goThing struct{}

func (goThing) Decode([]byte) (any, error) { return &thing{}, nil }
func (goThing) ObjectType() reflect.Type   { return reflect.TypeFor[thing]() }

func newKind(t *testing.T, dialect upstream.Dialect, message media.Message) *media.Kind {
	t.Helper()
	s, err := schema.Derive(reflect.TypeFor[thing](), schema.Options{})
	require.NoError(t, err)
	k, err := media.NewKind(media.Declaration{
		Kind: &kind.Kind{GroupVersionKind: apimeta.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"},
			ListKind: "ThingList", Schema: s},
		Dialect: dialect, Message: message, GoType: goThing{},
	})
	require.NoError(t, err)
	return k
}

// The header, the kind and the endpoint alone decide about the representation of an answer.
func TestNegotiate(t *testing.T) {
	const (
		table   = ";as=Table;v=v1;g=meta.k8s.io"
		partial = ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	)
	types := media.NewTypes(nil, true)
	object := newKind(t, upstream.Custom, nil)
	message := newKind(t, upstream.Builtin, media.Described(codec.StatusMessage()))
	for _, c := range []struct {
		name   string
		kind   *media.Kind
		at     media.Endpoint
		accept []string
		want   media.Representation
	}{
		{"no header", object, media.OneObject, nil, media.Representation{Media: media.JSON}},
		{"anything", object, media.OneObject, []string{"text/html, */*;q=0.1"}, media.Representation{Media: media.JSON}},
		{"several headers", object, media.OneObject, []string{"text/html", media.YAML},
			media.Representation{Media: media.YAML}},
		{"the highest q", object, media.OneObject, []string{media.JSON + ";q=0.5," + media.YAML},
			media.Representation{Media: media.YAML}},
		{"the first of the same q", object, media.OneObject, []string{media.YAML + "," + media.JSON},
			media.Representation{Media: media.YAML}},
		{"no Protobuf message", object, media.OneObject, []string{media.Protobuf + "," + media.JSON},
			media.Representation{Media: media.JSON}},
		{"a Protobuf message", message, media.OneObject, []string{media.Protobuf + "," + media.JSON},
			media.Representation{Media: media.Protobuf}},
		{"indented", object, media.OneObject, []string{media.JSON + ";pretty=1"},
			media.Representation{Media: media.JSON, Pretty: true}},
		{"a Table", object, media.ManyObjects, []string{media.JSON + table + "," + media.JSON},
			media.Representation{Media: media.JSON, Form: media.AsTable, MetaVersion: "v1"}},
		{"a Table of a document", media.OfDocument(codec.APIGroupMessage(), false), media.OneObject,
			[]string{media.JSON + table + "," + media.JSON}, media.Representation{Media: media.JSON}},
		{"metadata", object, media.EventStream, []string{media.JSON + partial},
			media.Representation{Media: media.JSON, Form: media.AsPartial, MetaVersion: "v1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep, err := types.Negotiate(c.kind, c.at, media.Accepted{Accept: c.accept})
			require.NoError(t, err)
			got := media.Representation{Media: rep.Media, Pretty: rep.Pretty, Form: rep.Form, MetaVersion: rep.MetaVersion,
				Mismatch: rep.Mismatch}
			assert.Equal(t, c.want, got)
		})
	}

	rep, err := types.Negotiate(object, media.DeletedObjects, media.Accepted{Accept: []string{media.JSON + partial}})
	require.NoError(t, err)
	assert.ErrorContains(t, rep.Mismatch, "the requested object is a list (*unstructured.UnstructuredList)")
	rep, err = types.Negotiate(message, media.OneObject,
		media.Accepted{Accept: []string{media.JSON + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}})
	require.NoError(t, err)
	assert.ErrorContains(t, rep.Mismatch, "the requested object is not a list (*example.Thing)")
}

// A refusal by the route lists the media types of the route. The route of a deletecollection has no watch.
func TestRefusalListsTheMediaTypesOfTheRoute(t *testing.T) {
	types := media.NewTypes(nil, true)
	refused := func(k *media.Kind, at media.Endpoint) string {
		_, err := types.Negotiate(k, at, media.Accepted{Accept: []string{"text/html"}})
		require.True(t, status.IsNotAcceptable(err), "%v", err)
		return status.From(err).Status.Message
	}
	const served = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	const streamed = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
	assert.Equal(t, "only the following media types are accepted: "+served,
		refused(newKind(t, upstream.Custom, nil), media.ManyObjects))
	builtin := newKind(t, upstream.Builtin, nil)
	assert.Equal(t, "406: Not Acceptable\n\nAvailable representations: "+served+streamed,
		refused(builtin, media.ManyObjects))
	assert.Equal(t, "406: Not Acceptable\n\nAvailable representations: "+served, refused(builtin, media.DeletedObjects))
}

// The client's order decides which media type is preferred. Without a header it is the first one offered.
func TestPreferred(t *testing.T) {
	assert.Equal(t, media.JSON, media.Preferred("", media.JSON, media.YAML))
	assert.Equal(t, media.YAML, media.Preferred("text/html,"+media.YAML+",*/*", media.JSON, media.YAML))
	assert.Equal(t, media.JSON, media.Preferred("application/*", media.JSON, media.YAML))
	assert.Empty(t, media.Preferred("text/html", media.JSON, media.YAML))
	for _, q := range []string{"x", "-1", "NaN"} { // says nothing
		assert.Equal(t, media.YAML, media.Preferred(media.YAML+";q="+q, media.JSON, media.YAML), q)
		assert.Equal(t, media.JSON, media.Preferred(media.YAML+";q="+q+", application/json;q=0.1", media.JSON, media.YAML), q)
	}
}
