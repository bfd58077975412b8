package crd

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

const (
	// leaseDuration is how long a replica counts as live after it has renewed its Lease, and renewPeriod the time between two renewals.
	leaseDuration = 15 * time.Second
	renewPeriod   = 5 * time.Second
	// establishedWithin is how long a definition waits at most until all live replicas serve its kind.
	establishedWithin = 5 * time.Second
	// leaseNamespace exists in every API with namespaces.
	leaseNamespace = "default"
	// replicaLabel marks the Leases of replicas.
	replicaLabel = "crd.decorum/replica"
	// followedAnnotation of a Lease is the resourceVersion through which the replica has applied the changes of definitions.
	followedAnnotation = "crd.decorum/followed"
)

// peers are the other replicas that share the store. Each holds a Lease that says which changes of definitions it has applied. An API
// without Leases has no peers. The methods of a nil *peers do nothing.
type peers struct {
	leases rest.Client[builtin.Lease]
	now    func() time.Time
	logger *slog.Logger
	name   string        // of the Lease of this replica
	due    chan struct{} // wakes hold

	mu       sync.Mutex
	changed  chan struct{}  // closed when others changes
	followed watch.Revision // through which this replica has applied the changes
	others   map[string]peer
}

type peer struct {
	uid      string
	revision watch.Revision // of the Lease
	followed watch.Revision
	until    time.Time // when the Lease expires
}

// newPeers takes a Lease for this replica. It returns nil if the API has no Leases of package builtin. The other replicas wait for this one
// from now on, so a host calls newPeers before it reads the definitions.
func newPeers(ctx context.Context, api *rest.API, logger *slog.Logger) (*peers, error) {
	p := &peers{
		leases: rest.ClientFor[builtin.Lease](api).As(manager).Namespace(leaseNamespace), now: rest.ObjectsOf(api).Now, logger: logger,
		name: "crd-" + strings.ToLower(rand.Text()), due: make(chan struct{}, 1), changed: make(chan struct{}), others: map[string]peer{},
	}
	switch err := p.refresh(ctx); {
	case status.IsBadRequest(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	p.tryToRenew(ctx)
	return p, nil
}

// refresh reads the Leases. Their watch may lag behind that of the definitions.
func (p *peers) refresh(ctx context.Context) error {
	if p == nil {
		return nil
	}
	page, err := p.leases.List(ctx, rest.ListOptions{LabelSelector: replicaLabel})
	if err != nil {
		return err
	}
	for _, l := range page.Items {
		p.note(l, false)
	}
	return nil
}

// hold renews the Lease of this replica until ctx ends, and then deletes it.
func (p *peers) hold(ctx context.Context) {
	for {
		select {
		case <-time.After(renewPeriod):
		case <-p.due:
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = p.leases.Delete(ending, p.name, rest.DeleteOptions{}) // it expires otherwise
			return
		}
		p.tryToRenew(ctx)
		p.removeExpired(ctx)
	}
}

func (p *peers) tryToRenew(ctx context.Context) {
	if err := p.renew(ctx); err != nil && ctx.Err() == nil {
		p.logger.Error("crd: the replica cannot renew its Lease", "lease", p.name, "error", err)
	}
}

// renew writes the Lease of this replica.
func (p *peers) renew(ctx context.Context) error {
	p.mu.Lock()
	followed := strconv.FormatUint(uint64(p.followed), 10)
	p.mu.Unlock()
	now, seconds := apimeta.NewMicroTime(p.now()), int32(leaseDuration/time.Second)
	write := func(l *builtin.Lease) error {
		l.Labels, l.Annotations = map[string]string{replicaLabel: "true"}, map[string]string{followedAnnotation: followed}
		l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds, l.Spec.RenewTime = &p.name, &seconds, &now
		return nil
	}
	_, err := p.leases.Modify(ctx, p.name, write)
	if status.IsNotFound(err) {
		l := &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: p.name}}
		_ = write(l)
		_, err = p.leases.Create(ctx, l)
	}
	return err
}

// removeExpired deletes the Leases of replicas that have ended without deleting them.
func (p *peers) removeExpired(ctx context.Context) {
	p.mu.Lock()
	expired := map[string]string{}
	for name, other := range p.others {
		if other.until.Add(leaseDuration).Before(p.now()) {
			expired[name] = other.uid
		}
	}
	p.mu.Unlock()
	for name, uid := range expired {
		_ = p.leases.Delete(ctx, name, rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &uid}}) // another replica may be first
	}
}

// follow keeps others up to date until ctx ends or the API closes.
func (p *peers) follow(ctx context.Context) {
	for ctx.Err() == nil {
		for event, err := range p.leases.Follow(ctx, rest.WatchOptions{LabelSelector: replicaLabel}) {
			if errors.Is(err, watch.ErrClosed) {
				return
			}
			if err != nil {
				break
			}
			p.note(event.Object, event.Type == watch.Deleted)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// note records the Lease of another replica.
func (p *peers) note(l *builtin.Lease, deleted bool) {
	if l.Name == p.name {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	revision := revisionOf(l.ResourceVersion)
	switch known, ok := p.others[l.Name]; {
	case ok && known.revision >= revision:
		return
	case !ok:
		p.wake() // the new replica needs to know how far this one is
	}
	delete(p.others, l.Name)
	if !deleted && l.Spec.RenewTime != nil {
		followed, _ := strconv.ParseUint(l.Annotations[followedAnnotation], 10, 64)
		p.others[l.Name] = peer{uid: l.UID, revision: revision, followed: watch.Revision(followed), until: l.Spec.RenewTime.Add(leaseDuration)}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// report tells the others through which revision this replica has applied the changes of definitions.
func (p *peers) report(followed watch.Revision) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if followed <= p.followed {
		return
	}
	p.followed = followed
	if len(p.others) > 0 {
		p.wake()
	}
}

// wake makes hold renew the Lease now.
func (p *peers) wake() {
	select {
	case p.due <- struct{}{}:
	default:
	}
}

// behind reports whether a live replica has not applied the changes through a revision. The channel is closed when that may have changed.
func (p *peers) behind(revision watch.Revision) (behind bool, changed <-chan struct{}) {
	if p == nil {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.others {
		behind = behind || other.followed < revision && p.now().Before(other.until)
	}
	return behind, p.changed
}

// await waits until all live replicas have applied the changes through a revision.
func (p *peers) await(ctx context.Context, revision watch.Revision) error {
	if err := p.refresh(ctx); err != nil {
		return err
	}
	for {
		behind, changed := p.behind(revision)
		if !behind {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(renewPeriod): // a Lease may have expired
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
