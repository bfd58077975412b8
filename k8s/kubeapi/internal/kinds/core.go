package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// core returns the kinds of the group without a name, except for ServiceAccount and Service, which an API has of its
// own, and for Event, which has a second form in events.k8s.io.
func core() []rest.Definition {
	return []rest.Definition{
		legacyBindings(),
		componentStatuses(),
		of[corev1.ConfigMap](),
		endpoints(),
		builtin.Events(),
		of[corev1.LimitRange](),
		of[corev1.Namespace](),
		nodes(),
		persistentVolumes(),
		persistentVolumeClaims(),
		pods(),
		podTemplates(),
		of[corev1.ReplicationController](),
		of[corev1.ResourceQuota](),
		of[corev1.Secret](),
	}
}

// endpoints returns the deprecated kind Endpoints, which clients still use.
//
//lint:ignore SA1019 see above
func endpoints() rest.Resource[corev1.Endpoints] {
	//lint:ignore SA1019 see above
	r := of[corev1.Endpoints]()
	r.Stage = rest.Stage{Deprecated: true,
		Warning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
	return r
}

func podTemplates() rest.Resource[corev1.PodTemplate] {
	r := of[corev1.PodTemplate]()
	r.Wire.Generation = true
	return r
}

// nodes returns the kind Node. A kubelet registers its Node together with the status. The source of its configuration,
// and what the status says about it, belong to a feature that Kubernetes has removed.
func nodes() rest.Resource[corev1.Node] {
	r := preparing(of[corev1.Node](), func(_ context.Context, n, old *corev1.Node) error {
		//lint:ignore SA1019 clients still send it
		if old == nil || old.Spec.ConfigSource == nil {
			//lint:ignore SA1019 see above
			n.Spec.ConfigSource = nil
		}
		if old == nil || old.Status.Config == nil {
			n.Status.Config = nil
		}
		return nil
	})
	r.Wire.StatusOnCreate = true
	r.Subresources = append(r.Subresources, noProxy[corev1.Node, corev1.NodeProxyOptions]())
	return r
}

// serviceAccounts returns the kind ServiceAccount, whose subresource token an API answers with keys of its own.
func serviceAccounts(issuer *serviceaccount.Issuer) rest.Definition {
	r := preparing(of[corev1.ServiceAccount](), func(_ context.Context, a, _ *corev1.ServiceAccount) error {
		for i := range a.Secrets {
			a.Secrets[i] = corev1.ObjectReference{Name: a.Secrets[i].Name}
		}
		return nil
	})
	r.Subresources = append(r.Subresources, serviceaccount.Token[corev1.ServiceAccount](issuer))
	return r
}
