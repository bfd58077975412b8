package tools_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
)

const widgets = "/apis/example.com/v1/namespaces/default/widgets"

// widgetHost starts a host that shows its kind as a CustomResourceDefinition, and returns its address.
func widgetHost(t *testing.T) string {
	t.Helper()
	kind := widget.Resource()
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{Compiled: []rest.Definition{kind}})}},
		builtin.Namespaces(), builtin.Events(), builtin.Leases(), kind)
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close()) // ends the watches
		web.Close()
	})
	return web.URL
}

// widgetDefinition is the CustomResourceDefinition of the same kind.
func widgetDefinition(t *testing.T) string {
	t.Helper()
	manifest, _, err := crd.Manifest(widget.Resource())
	require.NoError(t, err)
	return string(manifest)
}
