package crd_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Cog is gears as a Go type.
type Cog struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CogSpec `json:"spec,omitempty"`
}

// CogSpec is the spec of a Cog.
type CogSpec struct {
	Teeth int64 `json:"teeth,omitempty" api:"min=3,default=8"`
}

// BenchmarkCreate creates objects of the same form: of a Go type, of a schema, and of a definition, with which each
// create commits.
func BenchmarkCreate(b *testing.B) {
	schema := `{"type":"object","properties":{"spec":{"type":"object","properties":{"teeth":{"type":"integer","minimum":3,"default":8}}}}}`
	api, err := rest.New(rest.Options{Logger: discard, Plugins: []rest.Plugin{crd.New(crd.Options{})}},
		rest.Resource[Cog]{Group: "example.org", Version: "v1", Plural: "cogs"},
		rest.Resource[apimeta.Document]{Group: "example.org", Version: "v1", Plural: "pins", Names: rest.Names{Kind: "Pin"},
			Schema: rest.Schema{OpenAPI: []byte(schema)}})
	require.NoError(b, err)
	defer func() { require.NoError(b, api.Close()) }()
	require.NoError(b, api.Start(b.Context()))
	post := httptest.NewRequest("POST", definitions, strings.NewReader(gears))
	post.Header.Set("Content-Type", "application/yaml")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, post)
	require.Equal(b, 201, answer.Code)
	follower := resttest.Client[apiextensions.CustomResourceDefinition](b, api)
	for event, err := range follower.Watch(b.Context(), rest.WatchOptions{}) {
		require.NoError(b, err)
		if established(event.Object) {
			break
		}
	}
	n := 0
	b.Run("struct", func(b *testing.B) {
		cogs := resttest.Client[Cog](b, api).Namespace("default")
		for b.Loop() {
			n++
			_, err := cogs.Create(b.Context(),
				&Cog{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("c", n)}, Spec: CogSpec{Teeth: 5}})
			require.NoError(b, err)
		}
	})
	for _, kind := range [][2]string{{"schema", "pins"}, {"definition", "gears"}} {
		b.Run(kind[0], func(b *testing.B) {
			client := documents(b, api,
				apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: kind[1]}).Namespace("default")
			for b.Loop() {
				n++
				_, err := client.Create(b.Context(), &apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("c", n)},
					Content: map[string]any{"spec": map[string]any{"teeth": 5}}})
				require.NoError(b, err)
			}
		})
	}
}
