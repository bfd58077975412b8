package warnings

import (
	"crypto/tls"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// secret adds a warning about a certificate and a key that do not belong together.
func (l *list) secret(s *corev1.Secret) {
	if s.Type != corev1.SecretTypeTLS {
		return
	}
	if _, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey]); err != nil {
		l.add("%s", err)
	}
}

// mountableSecrets is an annotation that limits the secrets of a ServiceAccount.
const mountableSecrets = "kubernetes.io/enforce-mountable-secrets"

func (l *list) serviceAccount(a, old *corev1.ServiceAccount) {
	if old != nil {
		if _, had := old.Annotations[mountableSecrets]; had {
			return
		}
	}
	if _, has := a.Annotations[mountableSecrets]; has {
		l.add("metadata.annotations[%s]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted "+
			"secrets", mountableSecrets)
	}
}

// quota adds warnings about requests above the limits of the same resource.
func (l *list) quota(q *corev1.ResourceQuota) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceStorage,
		corev1.ResourceEphemeralStorage} {
		requests, limits := "requests."+name, "limits."+name
		request, asked := q.Spec.Hard[requests]
		if !asked && (name == corev1.ResourceCPU || name == corev1.ResourceMemory) {
			if request, asked = q.Spec.Hard[name]; asked {
				requests = name
			}
		}
		if limit, limited := q.Spec.Hard[limits]; asked && limited && request.Cmp(limit) > 0 {
			l.add("ResourceQuota %s (%s) should be less than %s (%s)", requests, request.String(), limits, limit.String())
		}
	}
}

func (l *list) resourceSlice(s *resourcev1.ResourceSlice) {
	if s.Spec.Driver != strings.ToLower(s.Spec.Driver) {
		l.add("spec.driver: driver names should be lowercase; %q contains uppercase characters", s.Spec.Driver)
	}
}
