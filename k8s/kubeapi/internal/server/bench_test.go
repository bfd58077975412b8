package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// A test with an API of its own must cost little. The first API of a process also builds the declarations, so the benchmark leaves it out.
func BenchmarkFurtherAPI(b *testing.B) {
	secrets, err := pki.NewSecrets()
	require.NoError(b, err)
	types, objects := new(rest.Types), bootstrap.Config{Common: new(bootstrap.Common)}
	start := func() {
		s, err := server.New(b.Context(), server.Config{Types: types, Objects: objects, Accounts: serviceaccount.Options{Issuer: "https://example.com",
			Keys: []serviceaccount.Key{{Signer: secrets.AccountKey}}}})
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
	start()
	for b.Loop() {
		start()
	}
}
