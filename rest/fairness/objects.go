package fairness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
	"github.com/decorum-go/decorum/rest/internal/backoff"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

type (
	flowSchema    = flowcontrol.FlowSchema
	priorityLevel = flowcontrol.PriorityLevelConfiguration
)

// objects are the FlowSchemas and PriorityLevelConfigurations of an API, which configure a Limiter. One goroutine uses
// them.
type objects struct {
	limiter *Limiter
	stored  raw.Objects
	schemas map[string]*flowSchema
	levels  map[string]*priorityLevel
	invalid map[storage.Key]bool // objects that the API would refuse now
	failed  error                // why the last attempt to follow them ended
}

// start creates the mandatory objects, and returns when the stored ones configure the Limiter. It follows them until
// ctx ends.
func (l *Limiter) start(ctx context.Context, api *rest.API) error {
	o := &objects{limiter: l, stored: api.Objects().FieldManager("fairness")}
	ready := make(chan struct{})
	l.running.Go(func() { o.run(ctx, ready) })
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		l.running.Wait()
		if o.failed != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), o.failed)
		}
		return context.Cause(ctx)
	}
}

// run follows the objects until ctx or the API ends, and closes ready when they first configure the Limiter.
func (o *objects) run(ctx context.Context, ready chan<- struct{}) {
	var retry backoff.Backoff
	for ctx.Err() == nil {
		err := o.follow(ctx, func() {
			if ready != nil {
				close(ready)
				ready = nil
			}
		})
		switch {
		case err == nil || errors.Is(err, watch.ErrClosed):
			return
		case status.IsExpired(err) || ctx.Err() != nil:
			continue
		}
		o.failed = err
		o.limiter.options.Logger.LogAttrs(ctx, slog.LevelError, "flow control does not follow its objects, and tries again",
			slog.Any("error", err))
		select {
		case <-time.After(retry.Next(time.Now())):
		case <-ctx.Done():
		}
	}
}

// follow reads the objects and follows their changes. Each state configures the Limiter. If the state has nothing left
// to write, follow calls settled.
func (o *objects) follow(ctx context.Context, settled func()) error {
	o.schemas, o.levels, o.invalid = map[string]*flowSchema{}, map[string]*priorityLevel{}, map[storage.Key]bool{}
	for changes, err := range o.stored.Follow(ctx, flowcontrol.FlowSchemasResource,
		flowcontrol.PriorityLevelConfigurationsResource) {
		if err != nil {
			return err
		}
		for _, c := range changes.List {
			if err := o.put(ctx, c.Key, c.Current); err != nil {
				return err
			}
		}
		if changes.Through == 0 {
			continue
		}
		written, err := o.apply(ctx)
		if err != nil {
			return err
		}
		if !written {
			settled()
		}
	}
	return nil
}

// put notes an object, or that it is gone if record is nil.
func (o *objects) put(ctx context.Context, key storage.Key, record *storage.Record) error {
	if key.Resource == flowcontrol.FlowSchemasResource {
		return put(ctx, o, o.schemas, "FlowSchema", key, record)
	}
	return put(ctx, o, o.levels, "PriorityLevelConfiguration", key, record)
}

func put[T any, P interface {
	*T
	Validate() status.FieldErrors
}](ctx context.Context, o *objects, all map[string]*T, kind string, key storage.Key, record *storage.Record) error {
	delete(o.invalid, key)
	if delete(all, key.Name); record == nil {
		return nil
	}
	gvk := apimeta.GroupVersionKind{Group: flowcontrol.Group, Version: flowcontrol.Version, Kind: kind}
	record, err := o.stored.In(ctx, gvk, record)
	if err != nil {
		return err
	}
	text, err := record.JSON(ctx)
	if err != nil {
		return err
	}
	obj := new(T)
	if err := json.Unmarshal(text, obj); err != nil {
		return fmt.Errorf("%s %s: %w", kind, key.Name, err)
	}
	all[key.Name] = obj
	if len(P(obj).Validate()) > 0 {
		o.invalid[key] = true
	}
	return nil
}

// apply configures the Limiter, writes what has come of the objects into their statuses, and creates the mandatory
// objects that are missing. It reports whether it has written anything.
func (o *objects) apply(ctx context.Context) (written bool, err error) {
	levels, flows := o.configuration()
	o.limiter.configure(levels, flows)
	var errs []error
	wrote := func(err error) { written, errs = true, append(errs, err) }
	for _, name := range slices.Sorted(maps.Keys(o.schemas)) {
		s := o.schemas[name]
		known := slices.ContainsFunc(levels, func(l Level) bool { return l.Name == s.Spec.PriorityLevelConfiguration.Name })
		if conditions, changed := o.conditions(s, !known); changed {
			wrote(o.report(ctx, s, conditions))
		}
	}
	for _, l := range flowcontrol.MandatoryPriorityLevelConfigurations() {
		if o.levels[l.Name] == nil {
			wrote(o.create(ctx, flowcontrol.PriorityLevelConfigurationsResource, l.Name, l))
		}
	}
	for _, s := range flowcontrol.MandatoryFlowSchemas() {
		if o.schemas[s.Name] == nil {
			wrote(o.create(ctx, flowcontrol.FlowSchemasResource, s.Name, s))
		}
	}
	return written, errors.Join(errs...)
}

// configuration returns what the valid objects ask for. The mandatory ones count even if they are missing.
func (o *objects) configuration() (levels []Level, flows []Flow) {
	valid := map[string]*priorityLevel{}
	for _, l := range flowcontrol.MandatoryPriorityLevelConfigurations() {
		valid[l.Name] = &l
	}
	for name, l := range o.levels {
		if !o.invalid[storage.Key{Resource: flowcontrol.PriorityLevelConfigurationsResource, Name: name}] {
			valid[name] = l
		}
	}
	for _, name := range slices.Sorted(maps.Keys(valid)) {
		levels = append(levels, levelOf(valid[name]))
	}
	schemas := map[string]*flowSchema{}
	for _, s := range flowcontrol.MandatoryFlowSchemas() {
		schemas[s.Name] = &s
	}
	for name, s := range o.schemas {
		if valid[s.Spec.PriorityLevelConfiguration.Name] != nil &&
			!o.invalid[storage.Key{Resource: flowcontrol.FlowSchemasResource, Name: name}] {
			schemas[name] = s
		}
	}
	for _, s := range slices.SortedFunc(maps.Values(schemas), byPrecedence) {
		flows = append(flows, flowOf(s))
	}
	return levels, flows
}

func byPrecedence(a, b *flowSchema) int {
	return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
}

// levelOf returns the level that an object describes.
func levelOf(c *priorityLevel) Level {
	l := Level{Name: c.Name, UID: c.UID, Exempt: c.Spec.Type == flowcontrol.TypeExempt}
	number := func(n *int32) int { return int(*cmp.Or(n, new(int32))) }
	if e := c.Spec.Exempt; e != nil {
		l.Shares, l.LendablePercent = number(e.NominalConcurrencyShares), number(e.LendablePercent)
	}
	if c := c.Spec.Limited; c != nil {
		l.Shares, l.LendablePercent = number(c.NominalConcurrencyShares), number(c.LendablePercent)
		l.BorrowingPercent, l.borrowsAll = number(c.BorrowingLimitPercent), c.BorrowingLimitPercent == nil
		if q := c.LimitResponse.Queuing; q != nil {
			l.Queues, l.HandSize, l.QueueLength = int(q.Queues), int(q.HandSize), int(q.QueueLengthLimit)
		}
	}
	return l
}

// flowOf returns the flow that an object describes.
func flowOf(s *flowSchema) Flow {
	f := Flow{Name: s.Name, UID: s.UID, Level: s.Spec.PriorityLevelConfiguration.Name, schema: s}
	if m := s.Spec.DistinguisherMethod; m != nil {
		f.By = map[string]Distinguisher{flowcontrol.ByUser: ByUser, flowcontrol.ByNamespace: ByNamespace}[m.Type]
	}
	return f
}

// create creates a mandatory object.
func (o *objects) create(ctx context.Context, resource, name string, obj any) error {
	manifest, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	return o.stored.Apply(ctx, storage.Key{Resource: resource, Name: name}, flowcontrol.Version, manifest,
		apimeta.ApplyOptions{Force: true})
}

// conditions returns the conditions of a FlowSchema with the one that says whether its level is missing, and whether
// that is a change.
func (o *objects) conditions(s *flowSchema, dangling bool) (conditions []flowcontrol.Condition, changed bool) {
	level := s.Spec.PriorityLevelConfiguration.Name
	want := flowcontrol.Condition{
		Type: flowcontrol.Dangling, Status: apimeta.ConditionFalse, Reason: "Found",
		Message:            fmt.Sprintf("the priority level %q exists", level),
		LastTransitionTime: apimeta.NewTime(o.stored.Now()),
	}
	if dangling {
		want.Status, want.Reason = apimeta.ConditionTrue, "NotFound"
		want.Message = fmt.Sprintf("the priority level %q does not exist, so the FlowSchema matches nothing", level)
	}
	for _, c := range s.Status.Conditions {
		if c.Type != want.Type {
			conditions = append(conditions, c)
			continue
		}
		if c.Status == want.Status {
			want.LastTransitionTime = c.LastTransitionTime
		}
		if c == want {
			return nil, false
		}
	}
	return append(conditions, want), true
}

// report writes conditions into the status of a FlowSchema.
func (o *objects) report(ctx context.Context, s *flowSchema, conditions []flowcontrol.Condition) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]string{"uid": s.UID, "resourceVersion": s.ResourceVersion},
		"status":   map[string]any{"conditions": conditions},
	})
	if err != nil {
		return err
	}
	err = o.stored.Patch(ctx, storage.Key{Resource: flowcontrol.FlowSchemasResource, Name: s.Name}, "status", patch)
	if status.IsConflict(err) || status.IsNotFound(err) { // the object has changed, and the next state is on its way
		return nil
	}
	return err
}
