package rest_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

func noOutput(context.Context, *Thing, *LogOptions, io.Writer) error { return nil }

func noForward(context.Context, *Thing, *ThingForwardOptions, uint16, io.ReadWriter) error {
	return nil
}

func noServe(http.ResponseWriter, *http.Request, *Thing, *ThingProxyOptions) {}

// ThingForwardOptions are the parameters of a connection to a Thing.
type ThingForwardOptions struct {
	Ports []int32 `json:"ports,omitempty"`
}

// ThingProxyOptions are the parameters of a proxy.
type ThingProxyOptions struct {
	Path string `json:"path,omitempty"`
}

func everyStream() []rest.SubresourceOf[Thing] {
	return []rest.SubresourceOf[Thing]{
		thingLog{Name: "log", Output: noOutput},
		thingExec{Name: "exec", Session: shell},
		rest.Stream[Thing, ThingForwardOptions]{Name: "portforward", Forward: noForward},
		rest.Stream[Thing, ThingProxyOptions]{Name: "proxy", Serve: noServe},
	}
}

func TestStreamsThatCannotWork(t *testing.T) {
	type nested struct {
		Inner struct{} `json:"inner"`
	}
	for _, c := range []struct {
		name   string
		stream rest.SubresourceOf[Thing]
		says   string
	}{
		{"no name", thingLog{Output: noOutput}, "the name must be a lower-case word"},
		{"the name of another", thingLog{Name: "status", Output: noOutput}, "the name must be a lower-case word"},
		{"no function", thingLog{Name: "log"}, "one of Output, Session, Forward and Serve must be set, and 0 are"},
		{"two functions", thingLog{Name: "log", Output: noOutput, Serve: func(http.ResponseWriter, *http.Request, *Thing, *LogOptions) {}}, "and 2 are"},
		{"a content type of nothing", thingExec{Name: "exec", Session: shell, ContentType: "text/plain"}, "ContentType needs Output"},
		{"options that are no struct", rest.Stream[Thing, string]{Name: "x", Output: func(context.Context, *Thing, *string, io.Writer) error { return nil }}, "the options must be a struct"},
		{"options that no URL can hold", rest.Stream[Thing, nested]{Name: "x", Output: func(context.Context, *Thing, *nested, io.Writer) error { return nil }}, `"inner" is neither a string, number or boolean nor a list of them`},
	} {
		t.Run(c.name, func(t *testing.T) {
			things := thingResource()
			things.Subresources = []rest.SubresourceOf[Thing]{c.stream}
			_, err := rest.New(rest.Options{}, things)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, `kind "Thing"`)
		})
	}
	t.Run("twice", func(t *testing.T) {
		things := thingResource()
		things.Subresources = []rest.SubresourceOf[Thing]{thingLog{Name: "log", Output: noOutput}, thingLog{Name: "log", Output: noOutput}}
		_, err := rest.New(rest.Options{}, things)
		require.ErrorContains(t, err, `subresource "log" is declared twice`)
	})
}

func TestStreamsInDiscovery(t *testing.T) {
	s := streamed(t, rest.Options{}, everyStream()...)
	var list apimeta.APIResourceList
	s.do("GET", thingRoot, "").decode(t, &list)
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
	s := streamed(t, rest.Options{}, everyStream()...)
	for _, document := range []string{"/openapi/v2", "/openapi/v3" + thingRoot} {
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
			w := s.do("GET", document, "")
			w.decode(t, &got)
			base := thingRoot + "/namespaces/{namespace}/things/{name}/"
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
