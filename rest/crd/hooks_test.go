package crd_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
)

// Admission hooks see the writes of kinds that arrive later, as documents.
func TestHooksSeeKindsOfDefinitions(t *testing.T) {
	api := enabled(t, rest.Options{Admission: []admission.Hook{{
		Name: "teeth.example.org",
		Validate: func(_ context.Context, r *admission.Request) error {
			if r.Kind.Kind != "Gear" {
				return nil
			}
			var gear apimeta.Document
			if err := r.Object(&gear); err != nil {
				return err
			}
			if spec, _ := gear.Content["spec"].(map[string]any); spec["teeth"] == int64(13) {
				return errors.New(gear.Name + " brings bad luck")
			}
			return nil
		},
	}}})
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	require.Equal(t, 201, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"teeth":12}}`, nil))
	var refused struct{ Message string }
	require.Equal(t, 403, send(t, api, "POST "+gearPath,
		`{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"b"},"spec":{"teeth":13}}`, &refused))
	assert.Contains(t, refused.Message, "b brings bad luck")
}
