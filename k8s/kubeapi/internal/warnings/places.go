package warnings

import (
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// formerLabels maps labels that Kubernetes has replaced to the texts of their warnings.
var formerLabels = map[string]string{
	"beta.kubernetes.io/arch":                       `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                         `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region":      `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":        `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":              `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  "deprecated since v1.9",
	"scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// formerLabel adds a warning about a label that Kubernetes has replaced.
func (l *list) formerLabel(p *field.Path, label string) {
	if text, ok := formerLabels[label]; ok {
		l.at(p, "%s", text)
	}
}

// formerKey is formerLabel for a field whose value is the label.
func (l *list) formerKey(p *field.Path, label string) {
	if text, ok := formerLabels[label]; ok {
		l.at(p, "%s is %s", label, text)
	}
}

const selectsNothing = "a null labelSelector results in matching no pod"

// podPlaces adds warnings about the constraints on where a Pod may run.
func (l *list) podPlaces(at *field.Path, spec *corev1.PodSpec) {
	for label := range spec.NodeSelector {
		l.formerLabel(at.Child("nodeSelector").Key(label), label)
	}
	if spec.Affinity != nil && spec.Affinity.NodeAffinity != nil {
		l.nodeAffinity(at.Child("affinity", "nodeAffinity"), spec.Affinity.NodeAffinity)
	}
	for i, c := range spec.TopologySpreadConstraints {
		p := at.Child("topologySpreadConstraints").Index(i)
		l.formerKey(p.Child("topologyKey"), c.TopologyKey)
		if c.LabelSelector == nil {
			l.at(p.Child("labelSelector"), selectsNothing)
		}
	}
	if spec.Affinity == nil {
		return
	}
	if a := spec.Affinity.PodAffinity; a != nil {
		l.podAffinity(at.Child("affinity", "podAffinity"), a.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := spec.Affinity.PodAntiAffinity; a != nil {
		l.podAffinity(at.Child("affinity", "podAntiAffinity"), a.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

// These constants are the fields of affinities for requirements and preferences.
const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution",
	"preferredDuringSchedulingIgnoredDuringExecution"

func (l *list) nodeAffinity(p *field.Path, a *corev1.NodeAffinity) {
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for i, term := range r.NodeSelectorTerms {
			l.nodeTerm(p.Child(required, "nodeSelectorTerms").Index(i), term, false)
		}
	}
	for i, term := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		l.nodeTerm(p.Child(preferred).Index(i).Child("preference"), term.Preference, true)
	}
}

// nodeTerm adds warnings about a term that selects nodes. If values is set, it also warns about invalid label values.
func (l *list) nodeTerm(p *field.Path, term corev1.NodeSelectorTerm, values bool) {
	for i, e := range term.MatchExpressions {
		p := p.Child("matchExpressions").Index(i)
		l.formerKey(p.Child("key"), e.Key)
		for k, value := range e.Values {
			if !values {
				break
			}
			for _, fault := range validation.IsValidLabelValue(value) {
				l.at(p.Child("values").Index(k), "%s is invalid, %s", value, fault)
			}
		}
	}
}

func (l *list) podAffinity(p *field.Path, must []corev1.PodAffinityTerm, may []corev1.WeightedPodAffinityTerm) {
	for i, term := range must {
		if term.LabelSelector == nil {
			l.at(p.Child(required).Index(i).Child("labelSelector"), selectsNothing)
		}
	}
	for i, term := range may {
		if term.PodAffinityTerm.LabelSelector == nil {
			l.at(p.Child(preferred).Index(i).Child("podAffinityTerm", "labelSelector"), selectsNothing)
		}
	}
}

// nodeSelector adds warnings about a selector of nodes.
func (l *list) nodeSelector(p *field.Path, s *metav1.LabelSelector) {
	if s == nil {
		return
	}
	for i, e := range s.MatchExpressions {
		l.formerKey(p.Child("matchExpressions").Index(i).Child("key"), e.Key)
	}
	for label := range s.MatchLabels {
		l.formerLabel(p.Child("matchLabels").Child(label), label)
	}
}

func (l *list) runtimeClass(c *nodev1.RuntimeClass) {
	if c.Scheduling == nil {
		return
	}
	for label := range c.Scheduling.NodeSelector {
		l.formerLabel(field.NewPath("scheduling", "nodeSelector"), label)
	}
}

func (l *list) node(n *corev1.Node) {
	//lint:ignore SA1019 clients still send it
	if n.Spec.ConfigSource != nil {
		l.add("spec.configSource: the feature is removed")
	}
	if n.Spec.DoNotUseExternalID != "" {
		l.add("spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range n.Spec.PodCIDRs {
		l.cidr(field.NewPath("spec", "podCIDRs").Index(i), cidr)
	}
}
