package kinds

import (
	"context"
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest"
)

// daemonSets returns the kind DaemonSet. An annotation counts the changes of the template, as a field of older versions
// did.
func daemonSets() rest.Resource[appsv1.DaemonSet] {
	r := of[appsv1.DaemonSet]()
	canonicalize := r.Hooks.Canonicalize
	r.Hooks.Canonicalize = func(ctx context.Context, d *appsv1.DaemonSet) error {
		if _, ok := d.Annotations[appsv1.DeprecatedTemplateGeneration]; !ok {
			setTemplateGeneration(d, 0) // so that the client owns the annotation
		}
		return canonicalize(ctx, d)
	}
	return preparing(r, func(_ context.Context, d, old *appsv1.DaemonSet) error {
		n := templateGeneration(d)
		if old != nil {
			n = templateGeneration(old)
			if !equality.Semantic.DeepEqual(d.Spec.Template, old.Spec.Template) {
				n++
			}
		}
		setTemplateGeneration(d, n)
		return nil
	})
}

func setTemplateGeneration(d *appsv1.DaemonSet, n int64) {
	d.Annotations = maps.Clone(d.Annotations)
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.FormatInt(n, 10)
}

// templateGeneration returns the number of the template, which is at least 1.
func templateGeneration(d *appsv1.DaemonSet) int64 {
	n, err := strconv.ParseInt(d.Annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	if err != nil {
		return 1
	}
	return max(n, 1)
}
