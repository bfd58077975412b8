package tools_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
)

// Ship is the kind of a host that shows its kinds as CustomResourceDefinitions.
type Ship struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipSpec   `json:"spec" api:"doc='The desired state.'"`
	Status ShipStatus `json:"status,omitzero" api:"doc='The observed state.'"`
}

// ShipSpec is the desired state of a ship.
type ShipSpec struct {
	Guns  int32    `json:"guns,omitempty" api:"default=4,min=0,max=200,doc='The number of guns.'"`
	Ports []string `json:"ports,omitempty" api:"maxItems=20,doc='The ports of its voyage.'"`
}

// ShipStatus is the observed state of a ship.
type ShipStatus struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,doc='Afloat is True while it floats.'"`
}

// harbor starts a host that shows its kind as a CustomResourceDefinition, and returns its address.
func harbor(t *testing.T) string {
	t.Helper()
	ships := rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships"}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{Compiled: []rest.Definition{ships}})}},
		builtin.Namespaces(), builtin.Events(), builtin.Leases(), ships)
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close()) // ends the watches
		web.Close()
	})
	return web.URL
}

const ships = "/apis/fleet.example.com/v1/namespaces/default/ships"
