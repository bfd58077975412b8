package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// The kind follows the API conventions.
func TestKindKeepsTheConventions(t *testing.T) {
	conventions.Vet(t, site.Resource())
}

func TestDefaultsAndRules(t *testing.T) {
	s := resttest.New(t, site.Resource())
	sites := resttest.Client[site.Site](t, s.API).Namespace("default")
	hello, err := sites.Create(t.Context(),
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello"}})
	require.NoError(t, err)
	assert.Equal(t, "Light", hello.Spec.Theme)

	_, err = sites.Create(t.Context(), &site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "empty"}})
	assert.True(t, status.IsInvalid(err), "%v", err)
}

// What one version writes, the other reads, and back.
func TestVersions(t *testing.T) {
	s := resttest.New(t, site.Resource())
	v1, v2 := resttest.Client[site.Site](t, s.API).Namespace("default"),
		resttest.Client[site.SiteV2](t, s.API).Namespace("default")
	_, err := v1.Create(t.Context(),
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello", Text: "one\n\ntwo"}})
	require.NoError(t, err)

	changed, err := v2.Modify(t.Context(), "hello", func(s *site.SiteV2) error {
		assert.Equal(t, []string{"one", "two"}, s.Spec.Paragraphs)
		s.Spec.Paragraphs = append(s.Spec.Paragraphs, "three")
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "platform.example.com/v2", changed.APIVersion)

	hello, err := v1.Get(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, "one\n\ntwo\n\nthree", hello.Spec.Text)
}
