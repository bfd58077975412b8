package quota

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// settle is the least time between two writes to the status of a quota, so that many creates at once do not become
// twice as many writes.
const settle = 200 * time.Millisecond

// Run writes into the status of each quota what is used, until ctx ends, and then returns nil. The status follows the
// objects within a second. The limits hold without Run. If several replicas serve the API, the leader runs it (see
// package election). Run returns an error if the API closes, or if its store does not have the Ledger.
func (q *ResourceQuotas) Run(ctx context.Context, api *rest.API) error {
	if err := q.connected(); err != nil {
		return err
	}
	client, err := rest.ClientForType[ResourceQuota](api)
	if err != nil {
		return err
	}
	client = client.FieldManager("resourcequota-controller")
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		return controller.Result{}, q.update(ctx, client.Namespace(key.Namespace))
	}
	ending := api.Objects().Ending()
	return controller.New(reconcile, controller.Options{},
		func(ctx context.Context, enqueue func(controller.Key), synced func()) error {
			return q.follow(ctx, ending, enqueue, synced)
		}).Run(ctx)
}

// connected returns an error if no store has asked for the Ledger, so that no limit would hold.
func (q *ResourceQuotas) connected() error {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.ledger == nil {
		return errors.New("quota: Ledger is not in the options of the store")
	}
	return nil
}

// follow is the [controller.Source] of the namespaces whose quotas may have another status.
func (q *ResourceQuotas) follow(ctx context.Context, ending <-chan struct{}, enqueue func(controller.Key),
	synced func()) error {
	q.lookAtAll()
	synced()
	for {
		select {
		case <-q.changed:
		case <-ending:
			return fmt.Errorf("quota: the API has ended: %w", watch.ErrClosed)
		case <-ctx.Done():
			return nil
		}
		for _, namespace := range q.takeStale() {
			enqueue(controller.Key{Namespace: namespace, Name: resourceQuotas})
		}
		select {
		case <-time.After(settle):
		case <-ending: // the next round returns the error
		case <-ctx.Done():
			return nil
		}
	}
}

// update writes the status of the quotas of one namespace.
func (q *ResourceQuotas) update(ctx context.Context, client rest.Client[ResourceQuota]) error {
	for object, err := range client.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		_, err := client.ModifyStatus(ctx, object.Name, func(now *ResourceQuota) error {
			now.Status = q.statusOf(now)
			return nil
		})
		if err != nil && !status.IsNotFound(err) {
			return err
		}
	}
	return nil
}
