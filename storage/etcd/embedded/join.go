package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

const (
	// tryEvery is the time between attempts at an operation that the cluster refuses for the moment.
	tryEvery = 200 * time.Millisecond
	// requestTimeout bounds one request of an operation.
	requestTimeout = 5 * time.Second
)

// dial returns a client for members. It connects at the first request.
func (id *identity) dial(endpoints []string) (*clientv3.Client, error) {
	config, err := id.clientTLS()
	if err != nil {
		return nil, err
	}
	return clientv3.New(clientv3.Config{Endpoints: endpoints, TLS: config, DialTimeout: requestTimeout,
		DialKeepAliveTime: requestTimeout, DialKeepAliveTimeout: requestTimeout, Logger: zap.NewNop()})
}

// insist repeats an operation until it succeeds or ctx ends. A cluster refuses changes to its members for some seconds
// after each change, and while a member is unreachable.
func insist(ctx context.Context, operation func(ctx context.Context) error) error {
	tick := time.NewTicker(tryEvery)
	defer tick.Stop()
	for {
		bounded, cancel := context.WithTimeout(ctx, requestTimeout)
		err := operation(bounded)
		cancel()
		if err == nil || permanent(err) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// permanent reports whether an operation would fail again.
func permanent(err error) bool {
	for _, target := range []error{rpctypes.ErrMemberNotFound, rpctypes.ErrPermissionDenied, rpctypes.ErrInvalidAuthToken,
		rpctypes.ErrClusterIDMismatch, errOwnMember, ErrOldCopy} {
		if errors.Is(err, target) || errors.Is(rpctypes.Error(err), target) {
			return true
		}
	}
	return false
}

// errSameSecond means that a member with this address was added and removed in this second. etcd derives the id of a
// member from its address and the second, and accepts no id again. So a later attempt succeeds.
var errSameSecond = errors.New("embedded: the last member with this address was removed in the same second")

var errOwnMember = errors.New("embedded: another process already serves this address")

// join adds this process to a cluster as a learner. It first removes any member with the same address. It returns the
// members in the form of etcd's configuration.
func (id *identity) join(ctx context.Context, endpoints []string) (initialCluster string, err error) {
	if err := id.alone(ctx); err != nil {
		return "", err
	}
	client, err := id.dial(endpoints)
	if err != nil {
		return "", err
	}
	defer client.Close()
	url := id.url(id.Self)
	err = insist(ctx, func(ctx context.Context) error {
		list, err := client.MemberList(ctx)
		if err != nil {
			return err
		}
		for _, m := range list.Members {
			if slices.Contains(m.PeerURLs, url) {
				// An attempt whose answer was lost may have removed the member.
				if _, err := client.MemberRemove(ctx, m.ID); err != nil && !errors.Is(err, rpctypes.ErrMemberNotFound) {
					return fmt.Errorf("remove the lost member: %w", err)
				}
			}
		}
		added, err := client.MemberAddAsLearner(ctx, []string{url})
		switch {
		case errors.Is(err, rpctypes.ErrMemberNotFound):
			return errSameSecond
		case err != nil:
			return err
		}
		initialCluster = initial(added.Members, id.Self, url)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("embedded: join the cluster: %w", err)
	}
	return initialCluster, nil
}

// alone returns an error if a member already answers at the address of this process. join would remove that member.
func (id *identity) alone(ctx context.Context) error {
	client, err := id.peerClient()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if members, _, err := askPeer(ctx, client, id.url(id.Self)); err == nil && members != nil {
		return fmt.Errorf("%w: %s", errOwnMember, id.Self)
	}
	return nil
}

// initial returns the members in the form of etcd's configuration. etcd compares the URLs, and ignores the names of
// other members.
func initial(members []*etcdserverpb.Member, name, url string) string {
	var all []string
	for _, m := range members {
		for _, u := range m.PeerURLs {
			if u == url {
				all = append(all, name+"="+u)
			} else {
				all = append(all, fmt.Sprintf("%x=%s", m.ID, u))
			}
		}
	}
	return strings.Join(all, ",")
}

// promote gives this member a vote once it has the data of the cluster.
func (m *member) promote(ctx context.Context) error {
	for m.server().IsLearner() {
		var endpoints []string
		for _, other := range m.server().Cluster().Members() {
			if other.ID != m.server().MemberID() && !other.IsLearner {
				endpoints = append(endpoints, other.ClientURLs...)
			}
		}
		if len(endpoints) == 0 {
			return errors.New("embedded: no voting member has an address for clients")
		}
		client, err := m.id.dial(endpoints)
		if err != nil {
			return err
		}
		err = insist(ctx, func(ctx context.Context) error {
			_, err := client.MemberPromote(ctx, uint64(m.server().MemberID()))
			if !m.server().IsLearner() || errors.Is(err, rpctypes.ErrMemberNotLearner) {
				return nil
			}
			return err
		})
		err = errors.Join(err, client.Close())
		if err != nil {
			return fmt.Errorf("embedded: promote this member: %w", err)
		}
		// The other members may learn of the promotion before this one.
		if err := m.until(ctx, func() bool { return !m.server().IsLearner() }); err != nil {
			return err
		}
	}
	return nil
}
