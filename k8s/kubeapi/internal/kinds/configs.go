package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
)

func configMaps() rest.Resource[corev1.ConfigMap] {
	return sealing(of[corev1.ConfigMap](), func(m *corev1.ConfigMap) *bool { return m.Immutable },
		frozen[corev1.ConfigMap]{"data", func(m *corev1.ConfigMap) any { return m.Data }},
		frozen[corev1.ConfigMap]{"binaryData", func(m *corev1.ConfigMap) any { return m.BinaryData }})
}

// secrets returns the kind Secret. Its stringData is only a way to write data: the server merges it into data and drops it.
func secrets() rest.Resource[corev1.Secret] {
	r := preparing(of[corev1.Secret](), func(_ context.Context, s, _ *corev1.Secret) error {
		if len(s.StringData) > 0 && s.Data == nil {
			s.Data = map[string][]byte{}
		}
		for key, text := range s.StringData {
			s.Data[key] = []byte(text)
		}
		s.StringData = nil
		return nil
	})
	r = freezing(r, frozen[corev1.Secret]{"type", func(s *corev1.Secret) any { return s.Type }})
	return sealing(r, func(s *corev1.Secret) *bool { return s.Immutable }, frozen[corev1.Secret]{"data", func(s *corev1.Secret) any { return s.Data }})
}
