package kinds

import (
	corev1 "k8s.io/api/core/v1"
)

// setDataSources makes the two fields of a claim that name its source agree, as far as a client has set one of them.
// Before there were two, kube-apiserver dropped the sources that it did not know, and it still does so in the older
// field.
func setDataSources(spec *corev1.PersistentVolumeClaimSpec, old *corev1.PersistentVolumeClaimSpec) {
	had := old != nil && (old.DataSource != nil || old.DataSourceRef != nil)
	if !had {
		if ref := spec.DataSourceRef; ref != nil && ref.Namespace != nil && *ref.Namespace != "" {
			spec.DataSourceRef = nil // belongs to a feature that is off
		}
		if spec.DataSourceRef == nil && !isKnownSource(spec.DataSource) {
			spec.DataSource = nil
		}
	}
	switch source, ref := spec.DataSource, spec.DataSourceRef; {
	case source != nil && ref == nil:
		spec.DataSourceRef = &corev1.TypedObjectReference{APIGroup: source.APIGroup, Kind: source.Kind, Name: source.Name}
	case ref != nil && source == nil && (ref.Namespace == nil || *ref.Namespace == ""):
		spec.DataSource = &corev1.TypedLocalObjectReference{APIGroup: ref.APIGroup, Kind: ref.Kind, Name: ref.Name}
	}
}

// isKnownSource reports whether a source is a claim or a snapshot.
func isKnownSource(s *corev1.TypedLocalObjectReference) bool {
	if s == nil {
		return false
	}
	group := ""
	if s.APIGroup != nil {
		group = *s.APIGroup
	}
	return s.Kind == "PersistentVolumeClaim" && group == "" ||
		s.Kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io"
}
