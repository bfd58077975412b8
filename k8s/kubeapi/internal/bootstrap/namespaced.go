package bootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// CreateAccounts creates the ServiceAccount default in each namespace, until ctx ends.
func CreateAccounts(ctx context.Context, api *rest.API) error {
	return eachNamespace(ctx, api, func(namespace string) error {
		return ensure(ctx, api, namespace, corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	})
}

// PublishCA creates the ConfigMap kube-root-ca.crt in each namespace, until ctx ends. It holds the certificate of the
// authority by which Pods recognize the API, in PEM.
func PublishCA(ctx context.Context, api *rest.API, certificate []byte) error {
	return eachNamespace(ctx, api, func(namespace string) error {
		return ensure(ctx, api, namespace, corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "kube-root-ca.crt"}, Data: map[string]string{"ca.crt": string(certificate)}})
	})
}

// eachNamespace calls create for each namespace that exists or comes, until ctx ends.
func eachNamespace(ctx context.Context, api *rest.API, create func(namespace string) error) error {
	namespaces, err := rest.ClientForType[corev1.Namespace](api)
	if err != nil {
		return err
	}
	for event, err := range namespaces.Follow(ctx, rest.WatchOptions{}) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if event.Type != apimeta.EventAdded || event.Object.DeletionTimestamp != nil {
			continue
		}
		// A namespace that has been deleted in the meantime needs nothing.
		if err := create(event.Object.Name); err != nil && !status.IsNotFound(err) && !status.IsForbidden(err) {
			return err
		}
	}
	return nil
}
