package kinds

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest/admission"
)

// limitsSecrets reports whether the Pods of an account may use only the Secrets that the account lists.
func limitsSecrets(account *corev1.ServiceAccount) bool {
	limits, err := strconv.ParseBool(account.Annotations["kubernetes.io/enforce-mountable-secrets"])
	return err == nil && limits
}

// limitSecrets refuses a Pod that uses Secrets that its account does not list, if the account limits them.
func limitSecrets(account *corev1.ServiceAccount, spec *corev1.PodSpec) error {
	if !limitsSecrets(account) {
		return nil
	}
	for _, v := range spec.Volumes {
		if v.Secret != nil && !lists(account, v.Secret.SecretName) {
			return fmt.Errorf("volume with secret.secretName=%q is not allowed because service account %s does not reference that secret",
				v.Secret.SecretName, account.Name)
		}
	}
	for _, c := range spec.InitContainers {
		if err := limitEnvironment(account, "init container", c.Name, c.Env, c.EnvFrom); err != nil {
			return err
		}
	}
	for _, c := range spec.Containers {
		if err := limitEnvironment(account, "container", c.Name, c.Env, c.EnvFrom); err != nil {
			return err
		}
	}
	for i, s := range spec.ImagePullSecrets {
		if !slices.Contains(account.ImagePullSecrets, s) {
			return fmt.Errorf("imagePullSecrets[%d].name=%q is not allowed because service account %s does not reference that imagePullSecret",
				i, s.Name, account.Name)
		}
	}
	return nil
}

// limitEnvironment refuses a container with variables from a Secret that the account does not list.
func limitEnvironment(account *corev1.ServiceAccount, kind, name string, env []corev1.EnvVar,
	from []corev1.EnvFromSource) error {
	refuse := func(where, secret string) error {
		return fmt.Errorf("%s %s with %s referencing secret.secretName=%q is not allowed because service account %s does not reference that secret",
			kind, name, where, secret, account.Name)
	}
	for _, e := range env {
		if e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil {
			continue
		}
		if secret := e.ValueFrom.SecretKeyRef.Name; !lists(account, secret) {
			return refuse("envVar "+e.Name, secret)
		}
	}
	for _, e := range from {
		if e.SecretRef != nil && !lists(account, e.SecretRef.Name) {
			return refuse("envFrom", e.SecretRef.Name)
		}
	}
	return nil
}

func lists(account *corev1.ServiceAccount, secret string) bool {
	return slices.ContainsFunc(account.Secrets, func(s corev1.ObjectReference) bool { return s.Name == secret })
}

// limitDebugging does for the ephemeral containers of a Pod what limitSecrets does for the others. kube-apiserver
// answers their Secrets with an internal error.
func limitDebugging(ctx context.Context, r *admission.Request) error {
	var pod corev1.Pod
	if err := r.Object(&pod); err != nil {
		return err
	}
	if pod.Spec.ServiceAccountName == "" {
		return fmt.Errorf("no service account specified for pod %s/%s", r.Namespace, pod.Name)
	}
	account, err := accountOf(ctx, r.Namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		return fmt.Errorf("error looking up service account %s/%s: %w", r.Namespace, pod.Spec.ServiceAccountName, err)
	}
	if !limitsSecrets(account) {
		return nil
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if err := limitEnvironment(account, "ephemeral container", c.Name, c.Env, c.EnvFrom); err != nil {
			return unexpected(err)
		}
	}
	return nil
}
