package e2e_test

import (
	"io"
	"net/http"
	"testing"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	openapiv3 "github.com/google/gnostic-models/openapiv3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	discoveryclient "k8s.io/client-go/discovery"
	clientopenapi "k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/util/openapi"
	"sigs.k8s.io/yaml"
)

// The Protobuf form of the Swagger document must equal the message that upstream's library makes of the JSON form, and
// kubectl must find the kinds in it.
func TestOpenAPIv2Protobuf(t *testing.T) {
	for _, h := range []host{rootHost, prefixHost, exampleTargets()[0].host, {program: "warehouse"}} {
		t.Run(h.name(), func(t *testing.T) {
			s := startServer(t, h, newest())
			want, err := openapiv2.ParseDocument(s.openAPIv2(t, "application/json"))
			require.NoError(t, err)
			got := &openapiv2.Document{}
			data := s.openAPIv2(t, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
			require.NoError(t, proto.UnmarshalOptions{DiscardUnknown: false}.Unmarshal(data, got))
			jsonInAny(t, want.ProtoReflect())
			jsonInAny(t, got.ProtoReflect())
			require.True(t, proto.Equal(want, got), "a message of %d bytes differs from that of gnostic, of %d bytes", len(data),
				proto.Size(want))

			resources, err := openapi.NewOpenAPIData(got)
			require.NoError(t, err)
			if h.program == rootHost.program {
				for _, g := range conformTargets() {
					kind := resources.LookupResource(parse(t, g.manifest("a", "b", "")).GroupVersionKind())
					require.NotNil(t, kind, g.kind)
					assert.Contains(t, kind.GetDescription(), g.doc)
				}
			}
		})
	}
}

// The Protobuf form of each OpenAPI 3.0 document must equal the message that upstream's library makes of the JSON form.
func TestOpenAPIv3Protobuf(t *testing.T) {
	for _, h := range []host{rootHost, prefixHost, exampleTargets()[0].host, {program: "warehouse"}} {
		t.Run(h.name(), func(t *testing.T) {
			s := startServer(t, h, newest())
			client, err := discoveryclient.NewDiscoveryClientForConfig(&rest.Config{Host: s.url})
			require.NoError(t, err)
			paths, err := client.OpenAPIV3().Paths()
			require.NoError(t, err)
			require.NotEmpty(t, paths)
			for path, document := range paths {
				text, err := document.Schema("application/json")
				require.NoError(t, err, path)
				want, err := openapiv3.ParseDocument(text)
				require.NoError(t, err, path)
				data, err := document.Schema(clientopenapi.ContentTypeOpenAPIV3PB)
				require.NoError(t, err, path)
				got := &openapiv3.Document{}
				require.NoError(t, proto.UnmarshalOptions{DiscardUnknown: false}.Unmarshal(data, got))
				jsonInAny(t, want.ProtoReflect())
				jsonInAny(t, got.ProtoReflect())
				require.True(t, proto.Equal(want, got), "%s: a message of %d bytes differs from that of gnostic, of %d bytes", path,
					len(data), proto.Size(want))
			}
		})
	}
}

// kubectl explains kinds also where OpenAPI describes extensions.
func TestKubectlExplainsAKindWithExtensions(t *testing.T) {
	s := startServer(t, host{program: "warehouse"}, newest())
	assert.Contains(t, s.run(t, "explain", "stocks"), "KIND:       Stock")
	assertLine(t, s.run(t, "explain", "stocks", "--recursive"), "count", "<integer>")
}

func (s *server) openAPIv2(t *testing.T, accept string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/openapi/v2", nil)
	require.NoError(t, err)
	req.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return body
}

// jsonInAny normalizes the YAML that a message contains.
func jsonInAny(t *testing.T, m protoreflect.Message) {
	switch value := m.Interface().(type) {
	case *openapiv2.Any:
		value.Yaml, value.Value = jsonOf(t, value.Yaml), nil
		return
	case *openapiv3.Any:
		value.Yaml, value.Value = jsonOf(t, value.Yaml), nil
		return
	}
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				jsonInAny(t, v.List().Get(i).Message())
			}
		default:
			jsonInAny(t, v.Message())
		}
		return true
	})
}

func jsonOf(t *testing.T, text string) string {
	t.Helper()
	normal, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	return string(normal)
}
