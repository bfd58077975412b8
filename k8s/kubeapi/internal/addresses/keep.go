package addresses

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// The resources that Keep follows.
const (
	serviceResource = "services"
	addressResource = "ipaddresses.networking.k8s.io"
	rangeResource   = "servicecidrs.networking.k8s.io"
)

// defaultName is the name of the ServiceCIDR with the range of the server's configuration.
const defaultName = "kubernetes"

// CreateDefault creates the ServiceCIDR with the range of the server's configuration, unless it exists, and says that
// it is ready.
func CreateDefault(ctx context.Context, api *rest.API, r netip.Prefix) error {
	objects, err := rest.ClientForType[networkingv1.ServiceCIDR](api)
	if err != nil {
		return err
	}
	c, err := objects.Get(ctx, defaultName)
	if status.IsNotFound(err) {
		c, err = objects.Create(ctx, &networkingv1.ServiceCIDR{ObjectMeta: metav1.ObjectMeta{Name: defaultName},
			Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{r.Masked().String()}}})
	}
	if err != nil || c.DeletionTimestamp != nil || !slices.Equal(rangesOf(c), []netip.Prefix{r.Masked()}) ||
		meta.FindStatusCondition(c.Status.Conditions, networkingv1.ServiceCIDRConditionReady) != nil {
		return err
	}
	return report(ctx, objects.FieldManager("kubernetes-service-cidr-controller"), defaultName,
		metav1.Condition{Status: metav1.ConditionTrue, Message: "Kubernetes default Service CIDR is ready"})
}

// report writes the condition Ready of a ServiceCIDR, unless it is so already.
func report(ctx context.Context, objects rest.Client[networkingv1.ServiceCIDR], name string,
	c metav1.Condition) error {
	c.Type = networkingv1.ServiceCIDRConditionReady
	_, err := objects.ModifyStatus(ctx, name, func(s *networkingv1.ServiceCIDR) error {
		meta.SetStatusCondition(&s.Status.Conditions, c)
		return nil
	})
	return err
}

// Keep removes the IPAddresses of Services that are gone or have lost an address, and creates those that clients have
// deleted, until ctx ends. It also keeps the ServiceCIDR of the server's configuration, whose range is r. It returns an
// error if the API closes first.
func Keep(ctx context.Context, api *rest.API, r netip.Prefix, logger *slog.Logger) error {
	k, err := keeperFor(api)
	if err != nil {
		return err
	}
	w := &keeping{keeper: k, again: func(ctx context.Context) error { return CreateDefault(ctx, api, r) }}
	for {
		err := w.follow(ctx, api.Objects(), logger)
		if ctx.Err() != nil {
			return nil
		}
		if !status.IsExpired(err) {
			return err
		}
	}
}

// keeping is the state of Keep while it follows changes.
type keeping struct {
	*keeper
	again func(ctx context.Context) error // creates the ServiceCIDR of the configuration again
}

func (w *keeping) follow(ctx context.Context, objects raw.Objects, logger *slog.Logger) error {
	note := func(name string, err error) {
		if err != nil && ctx.Err() == nil {
			logger.LogAttrs(ctx, slog.LevelWarn, "an address of a Service was not recorded", slog.String("object", name),
				slog.Any("error", err))
		}
	}
	// Follow reads one resource after the other. If an IPAddress is deleted in between, its Service was read, and no
	// change reports the deletion. So nothing is settled before all resources have been read.
	var start []*watch.Change[storage.Record]
	known := false
	for changes, err := range objects.Follow(ctx, serviceResource, addressResource, rangeResource) {
		if err != nil {
			return err
		}
		if known {
			for _, c := range changes.List {
				note(c.Key.Name, w.see(ctx, c, false))
			}
			continue
		}
		if start = append(start, changes.List...); changes.Through == 0 {
			continue
		}
		for _, c := range start {
			note(c.Key.Name, w.see(ctx, c, true))
		}
		note(defaultName, w.again(ctx))
		known, start = true, nil
	}
	return ctx.Err()
}

// see acts on one change. An IPAddress that was there from the start may be left over from a write that has failed. A
// new one is that of a write under way.
func (w *keeping) see(ctx context.Context, c *watch.Change[storage.Record], atStart bool) error {
	switch c.Key.Resource {
	case serviceResource:
		was, err := decoded[corev1.Service](ctx, c.Previous)
		if err != nil {
			return err
		}
		is, err := decoded[corev1.Service](ctx, c.Current)
		if err != nil {
			return err
		}
		had, has := Of(was), Of(is)
		for _, ip := range append(had, has...) {
			if slices.Contains(had, ip) == slices.Contains(has, ip) {
				continue
			}
			by := types.NamespacedName{Namespace: c.Key.Namespace, Name: c.Key.Name}
			if err := w.settle(ctx, ip, by); err != nil {
				return err
			}
		}
	case addressResource:
		last := c.Previous
		if atStart && c.Current != nil {
			last = c.Current
		} else if c.Current != nil {
			return nil
		}
		a, err := decoded[networkingv1.IPAddress](ctx, last)
		if err != nil {
			return err
		}
		if ip, err := netip.ParseAddr(c.Key.Name); err == nil && ofService(a) {
			return w.settle(ctx, ip, parentOf(a))
		}
	case rangeResource:
		if c.Key.Name == defaultName && !atStart {
			return w.again(ctx)
		}
	}
	return nil
}

// decoded returns the object of a record, or an empty one without a record.
func decoded[T any](ctx context.Context, r *storage.Record) (*T, error) {
	obj := new(T)
	if r == nil {
		return obj, nil
	}
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	return obj, json.Unmarshal(text, obj)
}
