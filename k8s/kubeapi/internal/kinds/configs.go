package kinds

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
)

func configMaps() rest.Resource[corev1.ConfigMap] {
	return sealing(of[corev1.ConfigMap](), func(m *corev1.ConfigMap) *bool { return m.Immutable },
		frozen[corev1.ConfigMap]{"data", func(m *corev1.ConfigMap) any { return m.Data }},
		frozen[corev1.ConfigMap]{"binaryData", func(m *corev1.ConfigMap) any { return m.BinaryData }})
}

func secrets() rest.Resource[corev1.Secret] {
	r := freezing(of[corev1.Secret](), frozen[corev1.Secret]{"type", func(s *corev1.Secret) any { return s.Type }})
	return sealing(r, func(s *corev1.Secret) *bool { return s.Immutable }, frozen[corev1.Secret]{"data", func(s *corev1.Secret) any { return s.Data }})
}
