package stream_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func noForward(context.Context, *apitest.Thing, *apitest.ThingForwardOptions, uint16, io.ReadWriter) error {
	return nil
}

func noServe(http.ResponseWriter, *http.Request, *apitest.Thing, *apitest.ThingProxyOptions) {}

func everyStream() []rest.SubresourceOf[apitest.Thing] {
	return []rest.SubresourceOf[apitest.Thing]{
		apitest.ThingLog{Name: "log", Output: apitest.NoOutput},
		apitest.ThingExec{Name: "exec", Session: apitest.Shell},
		rest.Stream[apitest.Thing, apitest.ThingForwardOptions]{Name: "portforward", Forward: noForward},
		rest.Stream[apitest.Thing, apitest.ThingProxyOptions]{Name: "proxy", Serve: noServe},
	}
}

func TestInvalidStreamDeclarations(t *testing.T) {
	type nested struct {
		Inner struct{} `json:"inner"`
	}
	for _, c := range []struct {
		name   string
		stream rest.SubresourceOf[apitest.Thing]
		says   string
	}{
		{"no name", apitest.ThingLog{Output: apitest.NoOutput}, "the name must be a lower-case word"},
		{"the name of another", apitest.ThingLog{Name: "status", Output: apitest.NoOutput},
			"the name must be a lower-case word"},
		{"no function", apitest.ThingLog{Name: "log"}, "one of Output, Session, Forward and Serve must be set, and 0 are"},
		{"two functions", apitest.ThingLog{Name: "log", Output: apitest.NoOutput,
			Serve: func(http.ResponseWriter, *http.Request, *apitest.Thing, *apitest.LogOptions) {}}, "and 2 are"},
		{"a content type of nothing", apitest.ThingExec{Name: "exec", Session: apitest.Shell, ContentType: "text/plain"},
			"ContentType needs Output"},
		{"options of another type than a struct", rest.Stream[apitest.Thing, string]{Name: "x",
			Output: func(context.Context, *apitest.Thing, *string, io.Writer) error { return nil }},
			"the options must be a struct"},
		{"options that no URL can hold", rest.Stream[apitest.Thing, nested]{Name: "x",
			Output: func(context.Context, *apitest.Thing, *nested, io.Writer) error { return nil }},
			`"inner" is neither a string, number or boolean nor a list of them`},
	} {
		t.Run(c.name, func(t *testing.T) {
			things := apitest.ThingResource()
			things.Subresources = []rest.SubresourceOf[apitest.Thing]{c.stream}
			_, err := rest.New(rest.Options{}, things)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, `kind "Thing"`)
		})
	}
	t.Run("twice", func(t *testing.T) {
		things := apitest.ThingResource()
		things.Subresources = []rest.SubresourceOf[apitest.Thing]{apitest.ThingLog{Name: "log", Output: apitest.NoOutput},
			apitest.ThingLog{Name: "log", Output: apitest.NoOutput}}
		_, err := rest.New(rest.Options{}, things)
		require.ErrorContains(t, err, `subresource "log" is declared twice`)
	})
}

func TestStreamsInDiscovery(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{}, everyStream()...)
	var list apimeta.APIResourceList
	s.Do("GET", apitest.ThingsV1, "").Decode(t, &list)
	got := map[string]apimeta.APIResource{}
	for _, r := range list.Resources {
		got[r.Name] = r
	}
	for name, want := range map[string]struct {
		kind  string
		verbs []string
	}{
		"things/log":         {"Thing", []string{"get"}},
		"things/exec":        {"ThingExecOptions", []string{"create", "get"}},
		"things/portforward": {"ThingForwardOptions", []string{"create", "get"}},
		"things/proxy":       {"ThingProxyOptions", []string{"create", "delete", "get", "patch", "update"}},
	} {
		assert.Equal(t, want.kind, got[name].Kind, name)
		assert.Equal(t, want.verbs, got[name].Verbs, name)
		assert.True(t, got[name].Namespaced)
	}
}

func TestStreamsInOpenAPI(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{}, everyStream()...)
	for _, document := range []string{"/openapi/v2", "/openapi/v3" + apitest.ThingsV1} {
		t.Run(document, func(t *testing.T) {
			type operation struct {
				OperationID string `json:"operationId"`
				Action      string `json:"x-kubernetes-action"`
				Kind        struct {
					Kind string `json:"kind"`
				} `json:"x-kubernetes-group-version-kind"`
			}
			var got struct {
				Paths map[string]struct {
					Get, Post, Put, Patch, Delete *operation
					Parameters                    []struct{ Name, In string }
				}
			}
			w := s.Do("GET", document, "")
			w.Decode(t, &got)
			base := apitest.ThingsV1 + "/namespaces/{namespace}/things/{name}/"
			log := got.Paths[base+"log"]
			assert.Equal(t, "readThingsExampleComV1NamespacedThingLog", log.Get.OperationID)
			assert.Equal(t, "get", log.Get.Action)
			assert.Nil(t, log.Post)
			assert.Contains(t, log.Parameters, struct{ Name, In string }{"tailLines", "query"})
			exec := got.Paths[base+"exec"]
			assert.Equal(t, "connectThingsExampleComV1GetNamespacedThingExec", exec.Get.OperationID)
			assert.Equal(t, "connectThingsExampleComV1PostNamespacedThingExec", exec.Post.OperationID)
			assert.Equal(t, "connect", exec.Get.Action)
			assert.Equal(t, "ThingExecOptions", exec.Get.Kind.Kind)
			assert.Contains(t, exec.Parameters, struct{ Name, In string }{"command", "query"})
			below := got.Paths[base+"proxy/{path}"]
			assert.Equal(t, "connectThingsExampleComV1PutNamespacedThingProxyWithPath", below.Put.OperationID)
			assert.Contains(t, below.Parameters, struct{ Name, In string }{"path", "path"})
			assert.NotContains(t, got.Paths, base+"exec/{path}")
		})
	}
}
