package main

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

var configKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// configMaps enforces immutable, the form of keys, that a key occurs in only one of the two maps, and the limit of
// their size.
func configMaps() rest.Resource[corev1.ConfigMap] {
	r := k8s.Resource[corev1.ConfigMap]()
	r.Hooks.Validate = func(_ context.Context, obj, old *corev1.ConfigMap) (errs status.FieldErrors) {
		if old != nil && old.Immutable != nil && *old.Immutable {
			errs = changedConfigMap(obj, old)
		}
		for _, key := range slices.Sorted(maps.Keys(obj.Data)) {
			errs = append(errs, checkConfigKey(status.Field("data").Key(key), key)...)
			if _, twice := obj.BinaryData[key]; twice {
				errs = append(errs, status.InvalidField(status.Field("data").Key(key), key,
					"duplicate of key present in binaryData"))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(obj.BinaryData)) {
			errs = append(errs, checkConfigKey(status.Field("binaryData").Key(key), key)...)
		}
		if sizeOf(obj) > corev1.MaxSecretSize {
			errs = append(errs, status.TooLongField(status.Field(""), "", corev1.MaxSecretSize))
		}
		return errs
	}
	return r
}

// sizeOf returns the total size of the values of a ConfigMap.
func sizeOf(obj *corev1.ConfigMap) (size int) {
	for _, value := range obj.Data {
		size += len(value)
	}
	for _, value := range obj.BinaryData {
		size += len(value)
	}
	return size
}

// changedConfigMap returns an error for each field that a write would change although the ConfigMap is immutable.
func changedConfigMap(obj, old *corev1.ConfigMap) (errs status.FieldErrors) {
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"immutable", obj.Immutable == nil || !*obj.Immutable},
		{"data", !maps.Equal(obj.Data, old.Data)},
		{"binaryData", !maps.EqualFunc(obj.BinaryData, old.BinaryData, bytes.Equal)},
	} {
		if f.changed {
			errs = append(errs, status.ForbiddenField(status.Field(f.name), "field is immutable when `immutable` is set"))
		}
	}
	return errs
}

// checkConfigKey accepts the keys that are valid file names.
func checkConfigKey(path *status.Path, key string) (errs status.FieldErrors) {
	refuse := func(text string) { errs = append(errs, status.InvalidField(path, key, text)) }
	if len(key) > 253 {
		refuse("must be no more than 253 characters")
	}
	if !configKey.MatchString(key) {
		refuse("a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
			"(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')")
	}
	switch {
	case key == ".", key == "..":
		refuse("must not be '" + key + "'")
	case strings.HasPrefix(key, ".."):
		refuse("must not start with '..'")
	}
	return errs
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
	r.Hooks.Validate = func(_ context.Context, obj, _ *coordinationv1.Lease) (errs status.FieldErrors) {
		if seconds := obj.Spec.LeaseDurationSeconds; seconds != nil && *seconds <= 0 {
			errs = append(errs, status.InvalidField(status.Field("spec", "leaseDurationSeconds"), *seconds,
				"must be greater than 0"))
		}
		if transitions := obj.Spec.LeaseTransitions; transitions != nil && *transitions < 0 {
			errs = append(errs, status.InvalidField(status.Field("spec", "leaseTransitions"), *transitions,
				"must be greater than or equal to 0"))
		}
		return errs
	}
	return r
}
