package main

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/internal/test/corekinds"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// configMaps has the rules of Kubernetes' ConfigMaps.
func configMaps() rest.Resource[corev1.ConfigMap] {
	r := k8s.Resource[corev1.ConfigMap]()
	r.Hooks.Validate = func(_ context.Context, obj, old *corev1.ConfigMap) (status.FieldErrors, error) {
		if old == nil {
			return contentOf(obj).Validate(nil), nil
		}
		former := contentOf(old)
		return contentOf(obj).Validate(&former), nil
	}
	return r
}

func contentOf(m *corev1.ConfigMap) corekinds.ConfigMapContent {
	return corekinds.ConfigMapContent{Immutable: m.Immutable, Data: m.Data, BinaryData: m.BinaryData}
}

// serviceAccounts stores only the name of each secret.
func serviceAccounts() rest.Resource[corev1.ServiceAccount] {
	r := k8s.Resource[corev1.ServiceAccount]()
	r.Hooks.Prepare = func(_ context.Context, obj, _ *corev1.ServiceAccount) error {
		for i, secret := range obj.Secrets {
			obj.Secrets[i] = corev1.ObjectReference{Name: secret.Name}
		}
		return nil
	}
	return r
}

// leases drops the fields of coordinated leader election, and requires a positive duration.
func leases() rest.Resource[coordinationv1.Lease] {
	r := k8s.Resource[coordinationv1.Lease]()
	r.Hooks.Prepare = func(_ context.Context, obj, _ *coordinationv1.Lease) error {
		obj.Spec.Strategy, obj.Spec.PreferredHolder = nil, nil // coordinated leader election is disabled on the recorded server
		return nil
	}
	r.Hooks.Validate = func(_ context.Context, obj, _ *coordinationv1.Lease) (errs status.FieldErrors, err error) {
		if seconds := obj.Spec.LeaseDurationSeconds; seconds != nil && *seconds <= 0 {
			errs = append(errs, status.InvalidField(status.NewPath("spec", "leaseDurationSeconds"), *seconds,
				"must be greater than 0"))
		}
		if transitions := obj.Spec.LeaseTransitions; transitions != nil && *transitions < 0 {
			errs = append(errs, status.InvalidField(status.NewPath("spec", "leaseTransitions"), *transitions,
				"must be greater than or equal to 0"))
		}
		return errs, nil
	}
	return r
}
