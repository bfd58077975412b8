// Package podsecurity holds the admission plugin PodSecurity: labels of a namespace say which of the Pod Security
// Standards its Pods must meet, and which violations cause a warning. The checks are those of module
// k8s.io/pod-security-admission.
package podsecurity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// Name is the name of the plugin.
const Name = "PodSecurity"

// Hooks returns the hooks of the plugin with a configuration. If text is nil, Pods may do everything in namespaces
// without labels.
func Hooks(text []byte) ([]admission.Hook, error) {
	c, err := configIn(text)
	if err != nil {
		return nil, err
	}
	both := []admission.Operation{admission.Create, admission.Update}
	s := standards{checks(), c}
	return []admission.Hook{
		{Name: "pod-security.kubeapi", Operations: both,
			Resources: []string{"pods", "pods/ephemeralcontainers", "pods/resize"}, Validate: s.checkPod},
		{Name: "pod-security-of-templates.kubeapi", Operations: both, Validate: s.checkTemplate,
			Resources: []string{"podtemplates", "replicationcontrollers", "replicasets.apps", "deployments.apps",
				"statefulsets.apps", "daemonsets.apps", "jobs.batch", "cronjobs.batch"}},
		{Name: "pod-security-of-namespaces.kubeapi", Operations: both, Resources: []string{"namespaces"},
			Validate: s.checkNamespace},
	}, nil
}

// standards are the checks of all levels and versions, and what an operator has configured.
type standards struct {
	policy.Evaluator
	config
}

// checks returns the checks of Kubernetes 1.37. They are the same for all APIs of a process.
var checks = sync.OnceValue(func() policy.Evaluator {
	version := api.MajorMinorVersion(1, 37)
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), &version)
	if err != nil {
		panic(err) // the checks of the module contradict each other
	}
	return evaluator
})

// policyOf returns what the labels of a namespace ask for. What they leave open follows from the configuration.
func (s standards) policyOf(labels map[string]string) (api.Policy, field.ErrorList) {
	return api.PolicyToEvaluate(labels, s.defaults)
}

// policyFor returns the policy of the namespace of a write. Of labels that are invalid, the strictest interpretation
// counts.
func (s standards) policyFor(ctx context.Context, r *admission.Request) (api.Policy, error) {
	namespaces, err := rest.ClientForHook[corev1.Namespace](ctx)
	if err != nil {
		return api.Policy{}, err
	}
	n, err := namespaces.Get(ctx, r.Namespace)
	if err != nil {
		return api.Policy{}, err
	}
	p, _ := s.policyOf(n.Labels)
	return p, nil
}

// violations returns what a Pod violates, or "".
func (s standards) violations(of api.LevelVersion, m *metav1.ObjectMeta,
	spec *corev1.PodSpec) policy.AggregateCheckResult {
	return policy.AggregateCheckResults(s.EvaluatePod(of, m, spec))
}

// warn warns the client of violations.
func (s standards) warn(r *admission.Request, of api.LevelVersion, m *metav1.ObjectMeta, spec *corev1.PodSpec) {
	if found := s.violations(of, m, spec); !found.Allowed {
		r.Warn(fmt.Sprintf("would violate PodSecurity %q: %s", of.String(), found.ForbiddenDetail()))
	}
}

func (s standards) checkPod(ctx context.Context, r *admission.Request) error {
	if s.exempts(r) {
		return nil
	}
	p, err := s.policyFor(ctx, r)
	if err != nil || p.FullyPrivileged() {
		return err
	}
	var pod, old corev1.Pod
	if err := r.Object(&pod); err != nil {
		return err
	}
	if r.Operation == admission.Update {
		if err := r.OldObject(&old); err != nil || sameImages(&pod.Spec, &old.Spec) {
			return err
		}
	}
	if s.exemptsRuntime(&pod.Spec) {
		return nil
	}
	if found := s.violations(p.Enforce, &pod.ObjectMeta, &pod.Spec); !found.Allowed {
		return fmt.Errorf("violates PodSecurity %q: %s", p.Enforce.String(), found.ForbiddenDetail())
	}
	s.warn(r, p.Warn, &pod.ObjectMeta, &pod.Spec)
	return nil
}

// sameImages reports whether two Pods have the same containers with the same images. Only updates that change them are
// checked.
func sameImages(a, b *corev1.PodSpec) bool {
	same := func(a, b corev1.Container) bool { return a.Image == b.Image }
	for _, c := range a.EphemeralContainers {
		if !slices.ContainsFunc(b.EphemeralContainers,
			func(o corev1.EphemeralContainer) bool { return o.Name == c.Name && o.Image == c.Image }) {
			return false
		}
	}
	return slices.EqualFunc(a.Containers, b.Containers, same) && slices.EqualFunc(a.InitContainers, b.InitContainers, same)
}

// templated is an object with a template for Pods, in one of three places.
type templated struct {
	Template *corev1.PodTemplateSpec `json:"template"`
	Spec     struct {
		Template    *corev1.PodTemplateSpec `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template *corev1.PodTemplateSpec `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	} `json:"spec"`
}

func (s standards) checkTemplate(ctx context.Context, r *admission.Request) error {
	if s.exempts(r) {
		return nil
	}
	p, err := s.policyFor(ctx, r)
	if err != nil || p.Warn.Level == api.LevelPrivileged {
		return err
	}
	var obj templated
	if err := r.Object(&obj); err != nil {
		return err
	}
	t := cmp.Or(obj.Template, obj.Spec.Template, obj.Spec.JobTemplate.Spec.Template)
	if t != nil && !s.exemptsRuntime(&t.Spec) {
		s.warn(r, p.Warn, &t.ObjectMeta, &t.Spec)
	}
	return nil
}

// checkNamespace refuses labels with an invalid policy. If a namespace gets a stricter policy, it warns of the Pods
// that violate it.
func (s standards) checkNamespace(ctx context.Context, r *admission.Request) error {
	var now, was corev1.Namespace
	if err := r.Object(&now); err != nil {
		return err
	}
	p, errs := s.policyOf(now.Labels)
	if r.Operation == admission.Create {
		if len(errs) == 0 {
			s.warnOfExemption(r, p, now.Labels)
		}
		return invalid(r, errs)
	}
	if err := r.OldObject(&was); err != nil {
		return err
	}
	before, oldErrs := s.policyOf(was.Labels)
	if len(errs) > 0 && errs.ToAggregate().Error() != errorText(oldErrs) {
		return invalid(r, errs)
	}
	relaxed := p.Enforce.Version == before.Enforce.Version && api.CompareLevels(p.Enforce.Level, before.Enforce.Level) < 1
	if p.Enforce.Level == api.LevelPrivileged || relaxed {
		return nil
	}
	if s.exemptsNamespace(r.Name) {
		s.warnOfExemption(r, p, now.Labels)
		return nil
	}
	return s.warnOfPods(ctx, r, p.Enforce)
}

func errorText(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// invalid returns the error about labels, or nil.
func invalid(r *admission.Request, errs field.ErrorList) error {
	var faults status.FieldErrors
	for _, e := range errs {
		faults = append(faults, &status.FieldError{Type: status.CauseType(e.Type), Field: e.Field, BadValue: e.BadValue,
			Detail: e.Detail})
	}
	if len(faults) == 0 {
		return nil
	}
	return status.Invalid(apimeta.GroupKind{Kind: "Namespace"}, r.Name, faults)
}

// maxPods is how many Pods of a namespace are checked against a new policy.
const maxPods = 3000

// warnOfPods warns the client of the Pods in the namespace that violate a policy.
func (s standards) warnOfPods(ctx context.Context, r *admission.Request, of api.LevelVersion) error {
	pods, err := rest.ClientForHook[corev1.Pod](ctx)
	if err != nil {
		return err
	}
	names := map[string][]string{}
	all, checked := 0, 0
	for pod, err := range pods.Namespace(r.Name).All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		if s.exemptsRuntime(&pod.Spec) {
			continue
		}
		if all++; all > maxPods {
			continue
		}
		checked++
		if found := s.violations(of, &pod.ObjectMeta, &pod.Spec); !found.Allowed {
			why := found.ForbiddenReason()
			names[why] = append(names[why], pod.Name)
		}
	}
	if checked < all {
		r.Warn(fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", checked,
			all))
	}
	if len(names) > 0 {
		r.Warn(fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", r.Name, of.String()))
	}
	var texts []string
	for why, pods := range names {
		others := ""
		switch n := len(pods) - 1; {
		case n == 1:
			others = " (and 1 other pod)"
		case n > 1:
			others = fmt.Sprintf(" (and %d other pods)", n)
		}
		texts = append(texts, slices.Min(pods)+others+": "+why)
	}
	slices.Sort(texts)
	for _, text := range texts {
		r.Warn(text)
	}
	return nil
}
