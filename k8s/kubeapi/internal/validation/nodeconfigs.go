package validation

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// nodeConfigs checks from where a Node gets its configuration, which Kubernetes still stores but no longer uses.
func (r *report) nodeConfigs(obj *corev1.Node) {
	if source := obj.Spec.ConfigSource; source != nil {
		p := field.NewPath("spec", "configSource")
		if r.configSource(p, source); source.ConfigMap != nil {
			at := p.Child("configMap")
			r.absent(at, "uid must not be set in spec", member{"uid", source.ConfigMap.UID != ""})
			r.absent(at, "resourceVersion must not be set in spec",
				member{"resourceVersion", source.ConfigMap.ResourceVersion != ""})
		}
	}
	s := obj.Status.Config
	if s == nil {
		return
	}
	for _, used := range []struct {
		name   string
		source *corev1.NodeConfigSource
	}{{"assigned", s.Assigned}, {"active", s.Active}, {"lastKnownGood", s.LastKnownGood}} {
		if used.source == nil {
			continue
		}
		p := field.NewPath("status", "config", used.name)
		if r.configSource(p, used.source); used.source.ConfigMap != nil {
			r.needs(p.Child("configMap"), text{"uid", string(used.source.ConfigMap.UID)},
				text{"resourceVersion", used.source.ConfigMap.ResourceVersion})
		}
	}
}

func (r *report) configSource(p *field.Path, s *corev1.NodeConfigSource) {
	if s.ConfigMap == nil {
		r.add(field.Invalid(p, s, "exactly one reference subfield must be non-nil"))
		return
	}
	p = p.Child("configMap")
	r.named(p.Child("namespace"), s.ConfigMap.Namespace, validation.IsDNS1123Label)
	r.named(p.Child("name"), s.ConfigMap.Name, validation.IsDNS1123Subdomain)
	r.named(p.Child("kubeletConfigKey"), s.ConfigMap.KubeletConfigKey, validation.IsConfigMapKey)
}
