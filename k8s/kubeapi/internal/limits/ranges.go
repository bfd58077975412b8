package limits

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/errors"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
)

// rangeAnnotation says what the server has taken from LimitRanges.
const rangeAnnotation = "kubernetes.io/limit-ranger"

// Ranges returns the hooks of the plugin LimitRanger. They give the containers of new Pods the requests and limits of
// the LimitRanges of their namespace, and refuse Pods and claims that ask for more or less than the LimitRanges allow.
func Ranges() []admission.Hook {
	return []admission.Hook{
		{Name: "limits.kubeapi", Operations: []admission.Operation{admission.Create}, Resources: []string{"pods"},
			SideEffects: admission.SideEffectsNone, Mutate: completePod, Validate: checkPod},
		{Name: "limits-of-resizes.kubeapi", Operations: []admission.Operation{admission.Update},
			Resources: []string{"pods/resize"}, Validate: checkPod},
		{Name: "limits-of-claims.kubeapi", Operations: []admission.Operation{admission.Create, admission.Update},
			Resources: []string{"persistentvolumeclaims"}, Validate: checkClaim},
	}
}

// limited returns the LimitRanges of a write. If the namespace has one, it stores the object of the write in obj.
func limited(ctx context.Context, r *admission.Request, obj any) ([]corev1.LimitRange, error) {
	ranges, err := rangesOf(ctx, r)
	if err == nil && len(ranges) > 0 {
		err = r.Object(obj)
	}
	return ranges, err
}

// rangesOf returns the limits of all LimitRanges of a namespace, except for writes of objects that are being deleted.
func rangesOf(ctx context.Context, r *admission.Request) (items []corev1.LimitRange, err error) {
	if r.Operation == admission.Update {
		if deleting, err := beingDeleted(r); deleting || err != nil {
			return nil, err
		}
	}
	limits, err := rest.ClientForHook[corev1.LimitRange](ctx)
	if err != nil {
		return nil, err
	}
	for l, err := range limits.Namespace(r.Namespace).All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		items = append(items, *l)
	}
	return items, nil
}

// beingDeleted reports whether the old object of an update has a deletionTimestamp.
func beingDeleted(r *admission.Request) (bool, error) {
	var old struct {
		Metadata struct {
			DeletionTimestamp string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	err := r.OldObject(&old)
	return old.Metadata.DeletionTimestamp != "", err
}

func completePod(ctx context.Context, r *admission.Request) error {
	var pod corev1.Pod
	ranges, err := limited(ctx, r, &pod)
	if err != nil || len(ranges) == 0 {
		return err
	}
	for _, l := range ranges {
		var done []string
		missing := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		for _, limit := range l.Spec.Limits {
			if limit.Type == corev1.LimitTypeContainer {
				maps.Copy(missing.Requests, limit.DefaultRequest)
				maps.Copy(missing.Limits, limit.Default)
			}
		}
		for i := range pod.Spec.Containers {
			done = append(done, completeContainer(&pod.Spec.Containers[i], missing, "container")...)
		}
		for i := range pod.Spec.InitContainers {
			done = append(done, completeContainer(&pod.Spec.InitContainers[i], missing, "init container")...)
		}
		if len(done) > 0 {
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations[rangeAnnotation] = "LimitRanger plugin set: " + strings.Join(done, "; ")
		}
	}
	return r.SetObject(&pod)
}

// completeContainer fills in the requests and limits that a container lacks, and returns what it has done, in words.
func completeContainer(c *corev1.Container, missing corev1.ResourceRequirements, what string) (done []string) {
	for _, part := range []struct {
		word string
		to   *corev1.ResourceList
		from corev1.ResourceList
	}{{"request", &c.Resources.Requests, missing.Requests}, {"limit", &c.Resources.Limits, missing.Limits}} {
		var names []string
		for _, name := range sortedNames(part.from) {
			if _, ok := (*part.to)[name]; ok {
				continue
			}
			if *part.to == nil {
				*part.to = corev1.ResourceList{}
			}
			(*part.to)[name] = part.from[name].DeepCopy()
			names = append(names, string(name))
		}
		if len(names) > 0 {
			done = append(done, fmt.Sprintf("%s %s for %s %s", strings.Join(names, ", "), part.word, what, c.Name))
		}
	}
	return done
}

func checkPod(ctx context.Context, r *admission.Request) error {
	var pod corev1.Pod
	ranges, err := limited(ctx, r, &pod)
	if err != nil {
		return err
	}
	return apply(ranges, func(limit corev1.LimitRangeItem) (errs []error) {
		switch limit.Type {
		case corev1.LimitTypeContainer:
			for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
				errs = append(errs, check(limit, c.Resources.Requests, c.Resources.Limits)...)
			}
		case corev1.LimitTypePod:
			errs = check(limit, podRequests(&pod.Spec), podLimits(&pod.Spec))
		}
		return errs
	})
}

// apply calls check for each limit, and returns the errors of the first LimitRange for which it returns any.
func apply(ranges []corev1.LimitRange, check func(corev1.LimitRangeItem) []error) error {
	for _, l := range ranges {
		var errs []error
		for _, limit := range l.Spec.Limits {
			errs = append(errs, check(limit)...)
		}
		if err := errors.NewAggregate(errs); err != nil {
			return err
		}
	}
	return nil
}

func checkClaim(ctx context.Context, r *admission.Request) error {
	var claim corev1.PersistentVolumeClaim
	ranges, err := limited(ctx, r, &claim)
	if err != nil {
		return err
	}
	requests := claim.Spec.Resources.Requests
	return apply(ranges, func(limit corev1.LimitRangeItem) (errs []error) {
		if limit.Type != corev1.LimitTypePersistentVolumeClaim {
			return nil
		}
		for _, name := range sortedNames(limit.Min) {
			errs = append(errs, atLeast(bound{limit.Type, name, limit.Min[name]}, requests, nil))
		}
		for _, name := range sortedNames(limit.Max) { // a claim has no limits
			errs = append(errs, requestAtMost(bound{limit.Type, name, limit.Max[name]}, requests))
		}
		return errs
	})
}

// bound is the quantity of one resource in a LimitRange.
type bound struct {
	of    corev1.LimitType
	name  corev1.ResourceName
	value resource.Quantity
}

// check returns the errors about requests and limits that one item of a LimitRange does not allow.
func check(limit corev1.LimitRangeItem, requests, limits corev1.ResourceList) (errs []error) {
	for _, part := range []struct {
		bounds corev1.ResourceList
		check  func(b bound, requests, limits corev1.ResourceList) error
	}{{limit.Min, atLeast}, {limit.Max, atMost}, {limit.MaxLimitRequestRatio, closeEnough}} {
		for _, name := range sortedNames(part.bounds) {
			if err := part.check(bound{limit.Type, name, part.bounds[name]}, requests, limits); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// is returns the error about a bound that is not kept.
func (b bound) is(kind, problem string) error {
	return fmt.Errorf("%s %s usage per %s is %s%s", kind, b.name, b.of, b.value.String(), problem)
}

func atLeast(b bound, requests, limits corev1.ResourceList) error {
	request, requested := requests[b.name]
	limit, limited := limits[b.name]
	switch {
	case !requested:
		return b.is("minimum", ".  No request is specified")
	case request.Cmp(b.value) < 0:
		return b.is("minimum", ", but request is "+request.String())
	case limited && limit.Cmp(b.value) < 0:
		return b.is("minimum", ", but limit is "+limit.String())
	}
	return nil
}

func atMost(b bound, requests, limits corev1.ResourceList) error {
	request, requested := requests[b.name]
	limit, limited := limits[b.name]
	switch {
	case !limited:
		return b.is("maximum", ".  No limit is specified")
	case limit.Cmp(b.value) > 0:
		return b.is("maximum", ", but limit is "+limit.String())
	case requested && request.Cmp(b.value) > 0:
		return b.is("maximum", ", but request is "+request.String())
	}
	return nil
}

func requestAtMost(b bound, requests corev1.ResourceList) error {
	request, requested := requests[b.name]
	switch {
	case !requested:
		return b.is("maximum", ".  No request is specified")
	case request.Cmp(b.value) > 0:
		return b.is("maximum", ", but request is "+request.String())
	}
	return nil
}

// closeEnough checks how many times the request the limit is.
func closeEnough(b bound, requests, limits corev1.ResourceList) error {
	refuse := func(problem string) error {
		return fmt.Errorf("%s max limit to request ratio per %s is %s, but %s", b.name, b.of, b.value.String(), problem)
	}
	request, limit := requests[b.name], limits[b.name]
	if request.IsZero() {
		return refuse("no request is specified or request is 0")
	}
	if limit.IsZero() {
		return refuse("no limit is specified or limit is 0")
	}
	if ratio := limit.AsApproximateFloat64() / request.AsApproximateFloat64(); ratio > b.value.AsApproximateFloat64() {
		return refuse(fmt.Sprintf("provided ratio is %f", ratio))
	}
	return nil
}
