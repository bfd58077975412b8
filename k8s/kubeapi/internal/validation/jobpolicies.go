package validation

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// The numbers of rules that the policies of a Job have at most, and the lengths of their texts.
const (
	mostPolicyRules      = 20
	mostExitCodes        = 255
	longestManager       = 63
	longestIndexes       = 64 << 10
	mostParallelIndexes  = 100_000
	manyCompletions      = 100_000
	mostParallelWithMany = 10_000
)

// policies checks who manages a Job, and when it succeeds and fails.
func (r *report) policies(p *field.Path, s *batchv1.JobSpec) {
	if s.ManagedBy != nil {
		r.add(validation.IsDomainPrefixedPath(p.Child("managedBy"), *s.ManagedBy)...)
		r.is(len(*s.ManagedBy) <= longestManager, field.TooLong(p.Child("managedBy"), "", longestManager))
	}
	if s.PodFailurePolicy != nil {
		r.failurePolicy(p.Child("podFailurePolicy", "rules"), s)
	}
	if s.SuccessPolicy != nil {
		if ptr.Deref(s.CompletionMode, "") == batchv1.IndexedCompletion {
			r.successPolicy(p.Child("successPolicy", "rules"), s)
		} else {
			r.add(field.Invalid(p.Child("successPolicy"), *s.SuccessPolicy, "requires indexed completion mode"))
		}
	}
	switch {
	case s.PodReplacementPolicy == nil:
	case s.PodFailurePolicy != nil:
		supported(r, p.Child("podReplacementPolicy"), *s.PodReplacementPolicy, batchv1.Failed)
	default:
		supported(r, p.Child("podReplacementPolicy"), *s.PodReplacementPolicy, batchv1.Failed, batchv1.TerminatingOrFailed)
	}
}

// choice checks a value that must be one of these. Kubernetes names them too if the value is missing.
func choice[T ~string](r *report, p *field.Path, value T, allowed ...T) {
	if value == "" {
		r.add(field.Required(p, fmt.Sprintf("valid values: %q", allowed)))
		return
	}
	supported(r, p, value, allowed...)
}

// failurePolicy checks what happens if a Pod of a Job fails.
func (r *report) failurePolicy(list *field.Path, s *batchv1.JobSpec) {
	rules := s.PodFailurePolicy.Rules
	r.is(len(rules) <= mostPolicyRules, field.TooMany(list, len(rules), mostPolicyRules))
	for i, rule := range rules {
		p := list.Index(i)
		if rule.Action == batchv1.PodFailurePolicyActionFailIndex {
			r.is(s.BackoffLimitPerIndex != nil,
				field.Invalid(p.Child("action"), rule.Action, "requires the backoffLimitPerIndex to be set"))
		} else {
			choice(r, p.Child("action"), rule.Action, batchv1.PodFailurePolicyActionCount,
				batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob,
				batchv1.PodFailurePolicyActionIgnore)
		}
		codes, conditions := rule.OnExitCodes != nil, len(rule.OnPodConditions) > 0
		if codes {
			r.exitCodes(p.Child("onExitCodes"), rule.OnExitCodes, &s.Template.Spec)
		}
		at := p.Child("onPodConditions")
		r.is(len(rule.OnPodConditions) <= mostPolicyRules, field.TooMany(at, len(rule.OnPodConditions), mostPolicyRules))
		for j, c := range rule.OnPodConditions {
			r.follows(at.Index(j).Child("type"), string(c.Type), validation.IsQualifiedName)
			choice(r, at.Index(j).Child("status"), c.Status, corev1.ConditionFalse, corev1.ConditionTrue,
				corev1.ConditionUnknown)
		}
		r.is(!codes || !conditions, field.Invalid(p, field.OmitValueType{},
			"specifying both OnExitCodes and OnPodConditions is not supported"))
		r.is(codes || conditions, field.Invalid(p, field.OmitValueType{},
			"specifying one of OnExitCodes and OnPodConditions is required"))
	}
}

func (r *report) exitCodes(p *field.Path, on *batchv1.PodFailurePolicyOnExitCodesRequirement, pod *corev1.PodSpec) {
	choice(r, p.Child("operator"), on.Operator, batchv1.PodFailurePolicyOnExitCodesOpIn,
		batchv1.PodFailurePolicyOnExitCodesOpNotIn)
	if name := on.ContainerName; name != nil {
		named := func(c corev1.Container) bool { return c.Name == *name }
		r.is(slices.ContainsFunc(pod.Containers, named) || slices.ContainsFunc(pod.InitContainers, named),
			field.Invalid(p.Child("containerName"), *name, "must be one of the container or initContainer names in the pod "+
				"template"))
	}
	values := p.Child("values")
	r.is(len(on.Values) > 0, field.Invalid(values, on.Values, "at least one value is required"))
	r.is(len(on.Values) <= mostExitCodes, field.TooMany(values, len(on.Values), mostExitCodes))
	seen := map[int32]bool{}
	for i, code := range on.Values {
		r.is(code != 0 || on.Operator != batchv1.PodFailurePolicyOnExitCodesOpIn,
			field.Invalid(values.Index(i), code, "must not be 0 for the In operator"))
		r.is(!seen[code], field.Duplicate(values.Index(i), code))
		seen[code] = true
	}
	r.is(slices.IsSorted(on.Values), field.Invalid(values, on.Values, "must be ordered"))
}

// successPolicy checks which indexes of a Job must succeed. The Job has completions, or that is its fault.
func (r *report) successPolicy(list *field.Path, s *batchv1.JobSpec) {
	rules := s.SuccessPolicy.Rules
	r.is(len(rules) > 0, field.Required(list, "at least one rules must be specified when the successPolicy is specified"))
	r.is(len(rules) <= mostPolicyRules, field.TooMany(list, len(rules), mostPolicyRules))
	if s.Completions == nil {
		return
	}
	for i, rule := range rules {
		p, total := list.Index(i), int32(0)
		count, indexes := rule.SucceededCount, rule.SucceededIndexes
		r.is(count != nil || indexes != nil,
			field.Required(p, "at least one of succeededCount or succeededIndexes must be specified"))
		if indexes != nil {
			at := p.Child("succeededIndexes")
			r.is(len(*indexes) <= longestIndexes, field.TooLong(at, "", longestIndexes))
			ranges, err := indexRanges(*indexes, int(*s.Completions))
			if err != nil {
				r.add(field.Invalid(at, *indexes, "error parsing succeededIndexes: "+err.Error()))
				ranges = nil
			}
			for _, one := range ranges {
				total += int32(one.last - one.first + 1)
			}
		}
		if count == nil {
			continue
		}
		at := p.Child("succeededCount")
		number(r, at, *count)
		r.is(*count <= *s.Completions, field.Invalid(at, *count,
			fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", *s.Completions)))
		r.is(indexes == nil || *count <= total, field.Invalid(at, *count, fmt.Sprintf("must be less than or equal to %d "+
			"(the number of indexes in the specified succeededIndexes field)", total)))
	}
}

// many checks a Job with many indexes, whose status must not become too long.
func (r *report) many(p *field.Path, s *batchv1.JobSpec) {
	most := func(name string, n *int32, limit int32, detail string) {
		if n != nil && *n > limit {
			r.add(field.Invalid(p.Child(name), *n, fmt.Sprintf("must be less than or equal to %d", limit)+detail))
		}
	}
	most("parallelism", s.Parallelism, mostParallelIndexes, " when completion mode is Indexed")
	most("maxFailedIndexes", s.MaxFailedIndexes, mostParallelIndexes, "")
	if s.Completions == nil || *s.Completions <= manyCompletions || s.BackoffLimitPerIndex == nil {
		return
	}
	const perIndex = " when completions are above 100000 and used with backoff limit per index"
	r.is(s.MaxFailedIndexes != nil,
		field.Required(p.Child("maxFailedIndexes"), "must be specified when completions is above 100000"))
	most("parallelism", s.Parallelism, mostParallelWithMany, perIndex)
	most("maxFailedIndexes", s.MaxFailedIndexes, mostParallelWithMany, perIndex)
}
