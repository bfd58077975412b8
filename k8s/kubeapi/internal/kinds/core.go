package kinds

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// core returns the kinds of the group without a name, except for ServiceAccount, and Event, which has a second form in events.k8s.io.
func core() []rest.Definition {
	return []rest.Definition{
		of[corev1.ConfigMap](),
		//lint:ignore SA1019 clients still use it
		of[corev1.Endpoints](),
		builtin.Events(),
		of[corev1.LimitRange](),
		of[corev1.Namespace](),
		of[corev1.Node](),
		of[corev1.PersistentVolume](),
		of[corev1.PersistentVolumeClaim](),
		of[corev1.Pod](),
		of[corev1.PodTemplate](),
		of[corev1.ReplicationController](),
		of[corev1.ResourceQuota](),
		of[corev1.Secret](),
		of[corev1.Service](),
	}
}

// serviceAccounts returns the kind ServiceAccount, whose subresource token an API answers with keys of its own.
func serviceAccounts(issuer *serviceaccount.Issuer) rest.Definition {
	r := of[corev1.ServiceAccount]()
	r.Subresources = append(r.Subresources, serviceaccount.Token[corev1.ServiceAccount](issuer))
	return r
}
