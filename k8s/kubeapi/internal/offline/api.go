package offline

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// administrator sends all requests.
func administrator(*http.Request) (*access.Identity, error) {
	return &access.Identity{User: access.User{Name: "kubernetes-admin",
		Groups: []string{server.Masters, "system:authenticated"}}}, nil
}

// newServer returns a Kubernetes API for the validator alone.
func newServer(ctx context.Context, services netip.Prefix, log io.Writer) (*server.Server, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // no client requests tokens here
	if err != nil {
		return nil, err
	}
	return server.New(ctx, server.Config{
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})),
		Accounts: serviceaccount.Options{Issuer: "https://kubernetes.default.svc.cluster.local",
			Keys: []serviceaccount.Key{{Signer: key}}},
		Users:   []access.Authenticator{access.AuthenticatorFunc(administrator)},
		Objects: bootstrap.Config{ServiceRange: services},
		Plugins: server.DefaultPlugins(nil),
	})
}

// looksAt reports whether admission plugins look at the objects of a kind when others are written.
func looksAt(kind apimeta.GroupKind) bool {
	switch kind {
	case apimeta.GroupKind{Kind: "LimitRange"},
		apimeta.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"},
		apimeta.GroupKind{Group: "networking.k8s.io", Kind: "ServiceCIDR"},
		apimeta.GroupKind{Group: "node.k8s.io", Kind: "RuntimeClass"},
		apimeta.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
		apimeta.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}:
		return true
	}
	return false
}
