package limits

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// Quotas returns the hook of the plugin ResourceQuota. It refuses writes that would exceed a quota, and adds others to
// the usage in the status of the quota, so that concurrent writes cannot exceed it together. It belongs behind all
// other hooks, because it cannot know whether they refuse the write. If the write fails nevertheless, the usage is too
// high until a controller corrects it. Its configuration is text, or nil.
func Quotas(text []byte) ([]admission.Hook, error) {
	needs, err := needsIn(text)
	h := admission.Hook{Name: "quotas.kubeapi", Operations: []admission.Operation{admission.Create, admission.Update},
		Resources: []string{"*", "pods/resize"}, SideEffects: admission.SideEffectsNoneOnDryRun, Validate: needs.charge}
	if len(needs) == 0 {
		h.Idle = noQuotas
	}
	return []admission.Hook{h}, err
}

// noQuotas reports whether the API has no quota at all.
func noQuotas(ctx context.Context) bool {
	quotas, err := rest.ClientForHook[corev1.ResourceQuota](ctx)
	if err != nil {
		return false
	}
	page, err := quotas.List(ctx, rest.ListOptions{Limit: 1})
	return err == nil && len(page.Items) == 0
}

// uncounted reports whether no quota limits a resource: events, and virtual kinds.
func uncounted(group, resource string) bool {
	switch group {
	case "events.k8s.io", "authorization.k8s.io", "authentication.k8s.io":
		return true
	}
	return group == "" && slices.Contains([]string{"events", "bindings", "namespaces"}, resource)
}

// change is the difference that a write makes.
type change struct {
	counted
	obj any
	old any // nil in a create
}

// changeOf reads a write. It returns nil if the write changes nothing that a quota counts.
func changeOf(ctx context.Context, r *admission.Request) (*change, error) {
	near, err := nearbyFor(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &change{counted: countedAs(r.Resource.Group, r.Resource.Resource, near)}
	c.obj, c.old = typed(r.Resource.Group, r.Resource.Resource), typed(r.Resource.Group, r.Resource.Resource)
	if r.Operation == admission.Create {
		c.old = nil
	}
	if c.obj == nil {
		if r.Operation == admission.Update {
			return nil, nil
		}
		return c, nil
	}
	if err := r.Object(c.obj); err != nil {
		return nil, err
	}
	if c.old != nil {
		if err := r.OldObject(c.old); err != nil {
			return nil, err
		}
	}
	if old, ok := c.old.(*corev1.Pod); ok && r.Subresource == "" &&
		isTerminating(old) == isTerminating(c.obj.(*corev1.Pod)) {
		return nil, nil
	}
	return c, nil
}

// nearbyFor reads the objects that the usage of a ResourceClaim depends on. It returns nothing for other resources.
func nearbyFor(ctx context.Context, r *admission.Request) (nearby, error) {
	if (apimeta.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}) != deviceClaims {
		return nearby{}, nil
	}
	c, err := clientsOfHook(ctx)
	if err != nil {
		return nearby{}, err
	}
	return c.read(ctx)
}

// typed returns an empty object of a kind whose objects differ in what they use, or nil for other kinds.
func typed(group, resource string) any {
	switch (apimeta.GroupResource{Group: group, Resource: resource}) {
	case apimeta.GroupResource{Resource: "pods"}:
		return new(corev1.Pod)
	case apimeta.GroupResource{Resource: "services"}:
		return new(corev1.Service)
	case apimeta.GroupResource{Resource: "persistentvolumeclaims"}:
		return new(corev1.PersistentVolumeClaim)
	case deviceClaims:
		return new(resourcev1.ResourceClaim)
	}
	return nil
}

var deviceClaims = apimeta.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"}

// charge lets all quotas of a namespace pay for a write.
func (n needs) charge(ctx context.Context, r *admission.Request) error {
	if r.Namespace == "" || uncounted(r.Resource.Group, r.Resource.Resource) {
		return nil
	}
	c, err := changeOf(ctx, r)
	if c == nil || err != nil {
		return err
	}
	quotas, err := rest.ClientForHook[corev1.ResourceQuota](ctx)
	if err != nil {
		return err
	}
	quotas = quotas.Namespace(r.Namespace).FieldManager("kube-apiserver")
	var all []*corev1.ResourceQuota
	for q, err := range quotas.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		all = append(all, q)
	}
	if err := n.check(apimeta.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}, c, all); err != nil {
		return err
	}
	var names []string
	for _, q := range all {
		delta, err := c.chargeFor(q)
		if err != nil {
			return err
		}
		if len(delta) > 0 {
			names = append(names, q.Name)
		}
	}
	if r.DryRun {
		return nil
	}
	for i, name := range names {
		if err := c.pay(ctx, quotas, name, +1); err != nil {
			for _, paid := range names[:i] {
				_ = c.pay(ctx, quotas, paid, -1) // the error about the write matters more
			}
			return err
		}
	}
	return nil
}

// pay adds what the change costs to the usage in a quota, or takes it away. It fails if the quota does not allow the
// change any more.
func (c *change) pay(ctx context.Context, quotas rest.Client[corev1.ResourceQuota], name string, sign int) error {
	for {
		_, err := quotas.ModifyStatus(ctx, name, func(q *corev1.ResourceQuota) error {
			delta, err := c.chargeFor(q)
			if sign < 0 {
				delta, err = negative(only(c.costs(q), sortedNames(q.Status.Used))), nil
			}
			if err == nil {
				amounts.Add(q.Status.Used, delta)
			}
			return err
		})
		// Many writes at once pay in turn, and one of them succeeds in each round.
		if status.IsConflict(err) && ctx.Err() == nil {
			continue
		}
		if status.IsNotFound(err) {
			return nil // the quota limits nothing any more
		}
		return err
	}
}

// concerns reports whether a quota counts the new object, or returns an error if it cannot.
func (c *change) concerns(q *corev1.ResourceQuota) (bool, error) {
	in, err := c.counts(q, c.obj)
	if !in || err != nil {
		return false, err
	}
	limited := c.limited(q)
	if c.missing != nil {
		if err := c.missing(c.obj, limited); err != nil {
			return false, fmt.Errorf("failed quota: %s: %w", q.Name, err)
		}
	}
	if len(only(q.Status.Used, limited)) < len(limited) {
		return false, fmt.Errorf("status unknown for quota: %s, resources: %s", q.Name, textOf(limited))
	}
	return true, nil
}

// chargeFor returns what a change costs in the terms of a quota, or an error if the quota does not allow it.
func (c *change) chargeFor(q *corev1.ResourceQuota) (corev1.ResourceList, error) {
	if in, err := c.concerns(q); !in || err != nil {
		return nil, err
	}
	delta := c.costs(q)
	var over []corev1.ResourceName
	for name, n := range delta {
		sum, hard := q.Status.Used[name].DeepCopy(), q.Status.Hard[name]
		sum.Add(n)
		if sum.Cmp(hard) > 0 {
			over = append(over, name)
		}
	}
	if len(over) > 0 {
		return nil, fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s", q.Name,
			text(only(delta, over)), text(only(q.Status.Used, over)), text(only(q.Status.Hard, over)))
	}
	return delta, nil
}

// counts reports whether a quota counts an object.
func (c *counted) counts(q *corev1.ResourceQuota, obj any) (bool, error) {
	for _, s := range scopesOf(q) {
		if c.inScope == nil {
			return false, nil
		}
		if in, err := c.inScope(obj, s); !in || err != nil {
			return false, err
		}
	}
	return len(c.limited(q)) > 0, nil
}

// limited returns the names under which a quota limits the resource.
func (c *counted) limited(q *corev1.ResourceQuota) []corev1.ResourceName {
	return slices.DeleteFunc(sortedNames(q.Status.Hard), func(name corev1.ResourceName) bool { return !c.named(name) })
}

// costs returns the additional usage of the new object for all names of a quota. These include the names of other
// resources, because a ResourceClaim counts toward limits for Pods. If the quota counted the old object, costs
// subtracts its usage.
func (c *change) costs(q *corev1.ResourceQuota) corev1.ResourceList {
	return c.growth(only(c.usage(c.obj), sortedNames(q.Status.Hard)), c.countedBy(q))
}

// countedBy returns a function that reports whether a quota counts an object.
func (c *change) countedBy(q *corev1.ResourceQuota) func(obj any) bool {
	return func(obj any) bool {
		in, err := c.counts(q, obj)
		return in && err == nil
	}
}

// growth subtracts the usage of the old object, if it was counted, from delta, the usage of the new one. It keeps only
// what has grown.
func (c *change) growth(delta corev1.ResourceList, counted func(old any) bool) corev1.ResourceList {
	was := corev1.ResourceList{}
	if c.old != nil && counted(c.old) {
		was = c.usage(c.old)
	}
	for name, n := range delta {
		n = n.DeepCopy()
		if had, ok := was[name]; ok {
			n.Sub(had)
		}
		if delta[name] = n; n.Sign() <= 0 {
			delete(delta, name)
		}
	}
	return delta
}

func negative(list corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range list {
		n := resource.Quantity{Format: q.Format}
		n.Sub(q)
		out[name] = n
	}
	return out
}
