package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// The server of a webhook is at a ready endpoint of its Service. The test does not call it, because an endpoint cannot
// have a loopback address.
func TestWebhookServiceResolvesToReadyEndpoint(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	s, err := New(t.Context(), Config{Accounts: serviceaccount.Options{Issuer: "https://kubernetes.default.svc",
		Keys: []serviceaccount.Key{{Signer: key}}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	services, err := rest.ClientForType[corev1.Service](s.api)
	require.NoError(t, err)
	slices, err := rest.ClientForType[discoveryv1.EndpointSlice](s.api)
	require.NoError(t, err)
	create := func(name string, endpoints ...discoveryv1.Endpoint) {
		_, err := services.Namespace("default").Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "metrics", Port: 80}, {Name: "hooks", Port: 443}}}})
		require.NoError(t, err)
		_, err = slices.Namespace("default").Create(t.Context(), &discoveryv1.EndpointSlice{
			ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
			AddressType: discoveryv1.AddressTypeIPv4, Endpoints: endpoints,
			Ports: []discoveryv1.EndpointPort{{Name: new("metrics"), Port: new(int32(9090))},
				{Name: new("hooks"), Port: new(int32(8443))}},
		})
		require.NoError(t, err)
	}
	away := discoveryv1.Endpoint{Addresses: []string{"192.0.2.1"},
		Conditions: discoveryv1.EndpointConditions{Ready: new(false)}}
	create("labels", away, discoveryv1.Endpoint{Addresses: []string{"192.0.2.2"}})
	create("starting", away)

	for _, tt := range []struct {
		name          string
		port          int32
		address, says string
	}{
		{name: "labels", address: "192.0.2.2:8443"},
		{name: "labels", port: 80, address: "192.0.2.2:9090"},
		{name: "labels", port: 81, says: `no service port 81 found for service "labels"`},
		{name: "starting", says: `no endpoints available for service "starting"`},
		{name: "absent", says: `services "absent" not found`},
	} {
		service := callout.Service{Namespace: "default", Name: tt.name, Port: tt.port}
		address, err := s.resolver(nil)(t.Context(), service)
		if tt.says != "" {
			require.EqualError(t, err, tt.says)
			address, err = s.resolver(func() string { return "127.0.0.1:1" })(t.Context(), service)
			tt.address = "127.0.0.1:1"
		}
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.address, address)
	}
}
