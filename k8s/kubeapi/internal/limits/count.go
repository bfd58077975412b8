package limits

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	quotaResource = "resourcequotas"
	// recount is the time after which the controller counts again without a change. Meanwhile, a write that fails after
	// the plugin has charged for it leaves the count too high, and so does a Pod that should have ended.
	recount = 5 * time.Minute
	// settling is the time after which the controller counts again for a quota with new limits, because some objects may
	// have been created before the server began to enforce them.
	settling = time.Second
)

// Count is the controller of ResourceQuotas: it writes into the status of each quota what the quota limits, and how
// much of it the objects of the namespace use. It counts again when an object is deleted or its usage changes; the
// plugin itself charges for new objects. Count works until ctx ends.
func Count(ctx context.Context, api *rest.API, logger *slog.Logger) error {
	quotas, err := rest.ClientForType[corev1.ResourceQuota](api)
	if err != nil {
		return err
	}
	near, err := clientsOf(api)
	if err != nil {
		return err
	}
	c := &counter{objects: api.Objects(), quotas: quotas.FieldManager("kube-controller-manager"), near: near}
	return controller.New(c.reconcile, controller.Options{Logger: logger}, c.source).Run(ctx)
}

type counter struct {
	objects raw.Objects
	quotas  rest.Client[corev1.ResourceQuota]
	near    clients
}

// known are the names of the quotas in each namespace.
type known map[string]map[string]bool

// source enqueues the quotas whose usage has to be counted.
func (c *counter) source(ctx context.Context, enqueue func(controller.Key), synced func()) error {
	var once sync.Once
	for {
		err := c.follow(ctx, enqueue, func() { once.Do(synced) })
		switch {
		case ctx.Err() != nil:
			return nil
		case !status.IsExpired(err):
			return err
		}
	}
}

func (c *counter) follow(ctx context.Context, enqueue func(controller.Key), synced func()) error {
	quotas := known{}
	all := func(namespace string) {
		for name := range quotas[namespace] {
			enqueue(controller.Key{Namespace: namespace, Name: name})
		}
	}
	for changes, err := range c.objects.Follow(ctx) {
		if err != nil {
			return err
		}
		for _, change := range changes.List {
			changed, err := quotas.see(ctx, change)
			if err != nil {
				return err
			}
			if changed {
				all(change.Key.Namespace)
			}
		}
		if len(changes.Read)+len(changes.GivenUp) > 0 {
			for namespace := range quotas {
				all(namespace)
			}
		}
		if changes.Through > 0 {
			synced()
		}
	}
	return ctx.Err()
}

// see records the existing quotas, and reports whether the quotas of the namespace must be counted again.
func (k known) see(ctx context.Context, c *watch.Change[storage.Record]) (bool, error) {
	namespace := c.Key.Namespace
	if c.Key.Resource == quotaResource {
		if c.Current == nil {
			delete(k[namespace], c.Key.Name)
		} else {
			if k[namespace] == nil {
				k[namespace] = map[string]bool{}
			}
			k[namespace][c.Key.Name] = true
		}
		return changesLimits(ctx, c)
	}
	if c.Previous == nil || len(k[namespace]) == 0 {
		return false, nil
	}
	if c.Current == nil {
		return true, nil
	}
	return mayChangeUsage(ctx, c)
}

// decodeRecord decodes the object of a record.
func decodeRecord(ctx context.Context, r *storage.Record, into any) error {
	text, err := r.JSON(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// mayChangeUsage reports whether an update may change how much of a quota an object uses.
func mayChangeUsage(ctx context.Context, c *watch.Change[storage.Record]) (bool, error) {
	plural, group, _ := strings.Cut(c.Key.Resource, ".")
	was, is := typed(group, plural), typed(group, plural)
	if was == nil {
		return false, nil
	}
	if err := decodeRecord(ctx, c.Previous, was); err != nil {
		return false, err
	}
	if err := decodeRecord(ctx, c.Current, is); err != nil {
		return false, err
	}
	of := countedAs(group, plural, nearby{}) // the requests of a claim never change
	if !equality.Semantic.DeepEqual(of.usage(was), of.usage(is)) {
		return true, nil
	}
	switch was := was.(type) {
	case *corev1.Pod:
		return isTerminating(was) != isTerminating(is.(*corev1.Pod)), nil
	case *corev1.PersistentVolumeClaim:
		return !slices.Equal(attributesClassesOf(was), attributesClassesOf(is.(*corev1.PersistentVolumeClaim))), nil
	}
	return false, nil
}

// changesLimits reports whether a quota is new or gone, or has other limits than before.
func changesLimits(ctx context.Context, c *watch.Change[storage.Record]) (bool, error) {
	if c.Previous == nil || c.Current == nil {
		return true, nil
	}
	var was, is corev1.ResourceQuota
	if err := decodeRecord(ctx, c.Previous, &was); err != nil {
		return false, err
	}
	if err := decodeRecord(ctx, c.Current, &is); err != nil {
		return false, err
	}
	return !equality.Semantic.DeepEqual(was.Spec, is.Spec), nil
}

// reconcile counts what a quota limits, and writes the status if it has changed.
func (c *counter) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	quotas := c.quotas.Namespace(key.Namespace)
	q, err := quotas.Get(ctx, key.Name)
	if status.IsNotFound(err) {
		return controller.Result{}, nil
	}
	if err != nil {
		return controller.Result{}, err
	}
	is, err := c.count(ctx, q)
	if err != nil {
		return controller.Result{}, err
	}
	again := controller.Result{RequeueAfter: recount}
	if equality.Semantic.DeepEqual(q.Status, is) {
		return again, nil
	}
	if !equality.Semantic.DeepEqual(q.Status.Hard, is.Hard) {
		again.RequeueAfter = settling
	}
	q.Status = is
	_, err = quotas.UpdateStatus(ctx, q) // a Conflict if the plugin has charged meanwhile
	return again, err
}

// count returns the status of a quota.
func (c *counter) count(ctx context.Context, q *corev1.ResourceQuota) (is corev1.ResourceQuotaStatus, err error) {
	hard := sortedNames(q.Spec.Hard)
	is.Hard, is.Used = q.Spec.Hard, only(q.Status.Used, hard)
	limiting := q.DeepCopy()
	limiting.Status.Hard = q.Spec.Hard
	near, err := c.near.read(ctx)
	if err != nil {
		return is, err
	}
	used := corev1.ResourceList{}
	for _, r := range c.objects.Resources() {
		plural, group, _ := strings.Cut(r.Name, ".")
		of := countedAs(group, plural, near)
		names := of.limited(limiting)
		if len(names) == 0 || uncounted(group, plural) {
			continue
		}
		sum, err := c.sum(ctx, limiting, r.Name, of)
		if err != nil {
			return is, err
		}
		for _, name := range names {
			amounts.Add(used, corev1.ResourceList{name: {Format: resource.DecimalSI}}) // even without objects
		}
		amounts.Add(used, only(sum, hard))
	}
	maps.Copy(is.Used, used)
	return is, nil
}

// sum returns what the objects of a resource use that a quota counts.
func (c *counter) sum(ctx context.Context, q *corev1.ResourceQuota, name string,
	of counted) (corev1.ResourceList, error) {
	records, err := c.objects.List(ctx, name, q.Namespace)
	if err != nil {
		return nil, err
	}
	plural, group, _ := strings.Cut(name, ".")
	sum := corev1.ResourceList{}
	for _, r := range records {
		obj := typed(group, plural)
		if obj != nil {
			if err := decodeRecord(ctx, r, obj); err != nil {
				return nil, fmt.Errorf("stored object %v: %w", r.Key, err)
			}
		}
		counts, err := of.counts(q, obj)
		if err != nil {
			return nil, err
		}
		if counts {
			amounts.Add(sum, of.usage(obj))
		}
	}
	return sum, nil
}
