// Package apparmor reads the annotations that named the AppArmor profiles of Pods before Pods had fields for them.
package apparmor

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Deprecation is the warning about an annotation without a field.
const Deprecation = `deprecated since v1.30; use the "appArmorProfile" field instead`

// Profile returns the field that corresponds to an annotation, or nil if the annotation names no profile.
func Profile(annotation string) *corev1.AppArmorProfile {
	switch annotation {
	case corev1.DeprecatedAppArmorBetaProfileNameUnconfined:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	case corev1.DeprecatedAppArmorBetaProfileRuntimeDefault:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}
	}
	name, ok := strings.CutPrefix(annotation, corev1.DeprecatedAppArmorBetaProfileNamePrefix)
	if !ok || name == "" {
		return nil
	}
	return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &name}
}
