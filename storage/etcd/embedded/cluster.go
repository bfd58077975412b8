package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
)

// Cluster offers operators the operations of etcdctl, in an order that keeps the cluster available.
type Cluster struct {
	client *clientv3.Client
	only   *etcdserver.EtcdServer // the member in this process of a cluster without addresses
}

// Member is a member of a cluster, as [Cluster.Members] finds it.
type Member struct {
	// Address is the member's address in Options.Peers.
	Address string
	// Operations is the address for operations, or empty if the member has none.
	Operations string
	// Learner means that the member has no vote yet.
	Learner bool
	// Leader means that the member leads.
	Leader bool
	// Bytes is the size of the database, and UsedBytes is the part in use.
	Bytes, UsedBytes int64
	// Full means that the database has reached its quota.
	Full bool
	// Err is the reason why the member does not answer, or nil.
	Err error

	id       uint64
	endpoint string
}

// Connect connects to the cluster of Options.Peers, with the certificates that the options name. It ignores all other
// options. It returns an error if no peer answers.
func Connect(ctx context.Context, opts Options) (*Cluster, error) {
	id, err := opts.identify()
	if err != nil {
		return nil, err
	}
	if len(id.peers) == 0 {
		return nil, errors.New("embedded: Options.Peers is required")
	}
	return connect(ctx, id)
}

func connect(ctx context.Context, id *identity) (*Cluster, error) {
	client, err := id.peerClient()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	found, absent := id.ask(ctx, client, id.peers)
	endpoints := endpointsOf(found)
	if len(endpoints) == 0 {
		return nil, errors.Join(errors.New("embedded: no peer belongs to a cluster"), absent)
	}
	members, err := id.dial(endpoints)
	if err != nil {
		return nil, err
	}
	return &Cluster{client: members}, nil
}

// Close closes the connections to the members. The members keep running.
func (c *Cluster) Close() error {
	if err := c.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Members returns all members, sorted by address. A member that does not answer is in the result, with its error.
func (c *Cluster) Members(ctx context.Context) ([]Member, error) {
	list, err := c.client.MemberList(ctx)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	alarms, err := c.client.AlarmList(ctx)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	all := make([]Member, 0, len(list.Members))
	for _, listed := range list.Members {
		m := Member{Address: addressOf(listed.PeerURLs), Operations: addressOf(listed.ClientURLs), Learner: listed.IsLearner, id: listed.ID}
		if len(listed.ClientURLs) > 0 {
			m.endpoint = listed.ClientURLs[0]
		}
		for _, alarm := range alarms.Alarms {
			m.Full = m.Full || alarm.MemberID == listed.ID && alarm.Alarm == pb.AlarmType_NOSPACE
		}
		m.ask(ctx, c.client)
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Address, b.Address) })
	return all, nil
}

func addressOf(urls []string) string {
	if len(urls) == 0 {
		return ""
	}
	_, address, _ := strings.Cut(urls[0], "://")
	return address
}

// ask asks the member for its state.
func (m *Member) ask(ctx context.Context, client *clientv3.Client) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	state, err := client.Status(ctx, m.endpoint)
	if err != nil {
		m.Err = err
		return
	}
	m.Leader = state.Leader == m.id
	m.Bytes, m.UsedBytes = state.DbSize, state.DbSizeInUse
}

// Remove permanently removes the member with this address from the cluster. A process can no longer start with the
// member's directory. Stop the process first. If the remaining members would have no quorum, the cluster refuses the
// removal, and Remove tries again until ctx ends.
func (c *Cluster) Remove(ctx context.Context, address string) error {
	list, err := c.client.MemberList(ctx)
	if err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	at := slices.IndexFunc(list.Members, func(m *pb.Member) bool { return addressOf(m.PeerURLs) == address })
	if at < 0 {
		return fmt.Errorf("embedded: no member has the address %s", address)
	}
	return insist(ctx, func(ctx context.Context) error {
		_, err := c.client.MemberRemove(ctx, list.Members[at].ID)
		return err
	})
}

// Backup writes a backup for [Restore], while the cluster serves.
func (c *Cluster) Backup(ctx context.Context, w io.Writer) error {
	backup, err := c.client.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	_, err = io.Copy(w, backup)
	return errors.Join(err, backup.Close())
}

// Defragment returns free space in the databases to the file systems, one member at a time. Meanwhile the replica in
// the member's process delays writes and reads of the most recent state. The other replicas continue, even while the
// leader defragments, because each member applies commits on its own.
func (c *Cluster) Defragment(ctx context.Context) error {
	members, err := c.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Err != nil {
			return fmt.Errorf("embedded: %s: %w", m.Address, m.Err)
		}
	}
	for _, m := range members {
		if err := c.defragment(ctx, m.endpoint); err != nil {
			return fmt.Errorf("embedded: %s: %w", m.Address, err)
		}
	}
	return nil
}

// defragment defragments a member. A client that calls its server directly cannot request it, because such a client
// lacks the notifier that etcd calls.
func (c *Cluster) defragment(ctx context.Context, endpoint string) error {
	if c.only != nil {
		return c.only.Backend().Defrag()
	}
	_, err := c.client.Defragment(ctx, endpoint)
	return err
}

// Reclaim makes a full cluster accept writes again. It drops the history of etcd, defragments each member, and disarms
// the alarm. If the objects alone exceed the quota, raise the quota first.
func (c *Cluster) Reclaim(ctx context.Context) error {
	now, err := c.client.Get(ctx, countPrefix, clientv3.WithCountOnly())
	if err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	if _, err := c.client.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical()); err != nil && !isCompacted(err) {
		return fmt.Errorf("embedded: %w", err)
	}
	if err := c.Defragment(ctx); err != nil {
		return err
	}
	if _, err := c.client.AlarmDisarm(ctx, &clientv3.AlarmMember{}); err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	return nil
}

func isCompacted(err error) bool { return errors.Is(rpctypes.Error(err), rpctypes.ErrCompacted) }
