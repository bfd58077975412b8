package schema_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/schema"
)

type service struct {
	Ports []string `json:"ports,omitempty"`
	Next  *service `json:"next,omitempty"`
}

func TestTypesReturnTheSameSchemaForTheSameArguments(t *testing.T) {
	types := new(schema.Types)
	derive := func(options schema.Options) *schema.Schema {
		s, err := types.Derive(reflect.TypeFor[service](), options)
		require.NoError(t, err)
		return s
	}
	plain := derive(schema.Options{})
	assert.Same(t, plain, derive(schema.Options{Overlay: map[string]string{}}))
	for name, options := range map[string]schema.Options{
		"the conventions of Kubernetes": {Builtin: true},
		"a description":                 {Description: "A service."},
		"an overlay":                    {Overlay: map[string]string{"service.ports": "maxItems=7"}},
		"another overlay":               {Overlay: map[string]string{"service.ports": "maxItems=8"}},
		"rules":                         {Rules: map[string][]schema.Rule{"service": {{Rule: "true"}}}},
	} {
		s := derive(options)
		assert.NotSame(t, plain, s, name)
		alone, err := schema.Derive(reflect.TypeFor[service](), options)
		require.NoError(t, err)
		assert.Equal(t, alone.Fingerprint(), s.Fingerprint(), name)
		assert.Equal(t, alone.Description, s.Description, name)
	}
	assert.Equal(t, "A service.", derive(schema.Options{Description: "A service."}).Description)
	assert.Same(t, plain, derive(schema.Options{}))
}

func TestTypesRememberFaults(t *testing.T) {
	types := new(schema.Types)
	for range 2 {
		_, err := types.Derive(reflect.TypeFor[service](),
			schema.Options{Overlay: map[string]string{"service.prots": "list=set"}})
		assert.ErrorContains(t, err, "overlay service.prots: unknown type or field")
	}
}

// Kinds share the shapes of recursive types, so a goroutine must not see half of one.
func TestTypesServeManyGoroutines(t *testing.T) {
	types := new(schema.Types)
	all := []reflect.Type{reflect.TypeFor[node](), reflect.TypeFor[service](), reflect.TypeFor[panel](),
		reflect.TypeFor[shaped]()}
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for j := range all {
				of := all[(i+j)%len(all)]
				s, err := types.Derive(of, schema.Options{Builtin: true})
				assert.NoError(t, err)
				assert.True(t, types.View(s, of).IsOf(of))
				assert.Same(t, types.ShapeOf(of), types.ShapeOf(of))
			}
		})
	}
	running.Wait()
}
