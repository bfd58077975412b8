package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.uber.org/zap"
)

// compactAfter is how long etcd keeps its history. The replicas keep theirs for a shorter time.
const compactAfter = "10m"

// aloneName and aloneURL configure a member without peers, which listens on any port of the loopback interface.
const (
	aloneName = "alone"
	aloneURL  = "http://127.0.0.1:0"
)

// lookAgain is how often a process checks whether its member has reached a state.
const lookAgain = 20 * time.Millisecond

// member is the member of etcd in this process.
type member struct {
	id      *identity
	etcd    *embed.Etcd
	client  *clientv3.Client // calls the member directly
	counted tally            // only keepCounting uses it while it runs
	stop    context.CancelFunc
	running sync.WaitGroup
}

func (m *member) server() *etcdserver.EtcdServer { return m.etcd.Server }

// startMember starts the member of this process. It returns when the member has a vote.
func startMember(ctx context.Context, id *identity) (m *member, err error) {
	m = &member{id: id}
	if err := os.MkdirAll(id.Dir, 0o700); err != nil {
		return nil, err
	}
	if id.makes() {
		if err := id.makeCertificates(); err != nil {
			return nil, err
		}
	}
	initialCluster, founds := id.Self+"="+id.url(id.Self), false
	state := embed.ClusterStateFlagNew
	if hasMember(id.Dir) {
		if err := id.checkDirectory(ctx); err != nil {
			return nil, err
		}
	} else {
		endpoints, err := id.gather(ctx)
		if err != nil {
			return nil, err
		}
		founds = len(endpoints) == 0
		if !founds {
			state = embed.ClusterStateFlagExisting
			if initialCluster, err = id.join(ctx, endpoints); err != nil {
				return nil, err
			}
		}
	}
	config, err := id.configuration(state, initialCluster)
	if err != nil {
		return nil, err
	}
	if m.etcd, err = embed.StartEtcd(config); err != nil {
		return nil, fmt.Errorf("embedded: start the member: %w", err)
	}
	m.client, _ = localClient(m.server())
	background, stop := context.WithCancel(context.Background())
	m.stop = stop
	if id.makes() {
		m.running.Go(func() { id.keepCertificates(background) })
	}
	if err := m.settle(ctx, founds); err != nil {
		m.close()
		return nil, err
	}
	if len(id.others()) > 0 {
		m.running.Go(func() { m.keepCounting(background) })
	}
	return m, nil
}

// settle waits until the member has a vote and has recorded its start and its address. A founder also waits until more
// than half of the peers have a vote.
func (m *member) settle(ctx context.Context, founds bool) error {
	select {
	case <-m.server().ReadyNotify():
	case <-m.server().StopNotify():
		return m.ended()
	case err := <-m.etcd.Err():
		return fmt.Errorf("embedded: the member: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("embedded: the member finds no quorum: %w", ctx.Err())
	}
	if err := m.promote(ctx); err != nil {
		return err
	}
	if err := m.countStart(ctx); err != nil {
		return err
	}
	if err := m.advertise(ctx); err != nil {
		return err
	}
	if !founds {
		return nil
	}
	// A write that the founder acknowledges alone would be lost with its disk.
	return m.until(ctx, func() bool { return m.voters() > len(m.id.peers)/2 })
}

// voters counts the members with a vote.
func (m *member) voters() (count int) {
	for _, other := range m.server().Cluster().Members() {
		if !other.IsLearner {
			count++
		}
	}
	return count
}

// advertise announces a new address of this member to the others, for example when a cluster of one begins to grow.
func (m *member) advertise(ctx context.Context) error {
	own := m.server().Cluster().Member(m.server().MemberID())
	if m.id.Self == "" || own == nil || len(own.PeerURLs) == 1 && own.PeerURLs[0] == m.id.url(m.id.Self) {
		return nil
	}
	return insist(ctx, func(ctx context.Context) error {
		_, err := m.client.MemberUpdate(ctx, uint64(own.ID), []string{m.id.url(m.id.Self)})
		return err
	})
}

// until waits until a condition holds.
func (m *member) until(ctx context.Context, holds func() bool) error {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-m.server().StopNotify():
			return m.ended()
		case <-ctx.Done():
			return fmt.Errorf("embedded: %w", ctx.Err())
		}
	}
	return nil
}

// ErrRemoved means that this member was removed from the cluster.
var ErrRemoved = errors.New("embedded: this member was removed from its cluster: empty its directory, and the process joins again")

// ended returns why the member has stopped.
func (m *member) ended() error {
	if m.server().Cluster().Member(m.server().MemberID()) == nil {
		return ErrRemoved
	}
	return errors.New("embedded: the member has stopped")
}

func (m *member) close() {
	m.stop()
	m.running.Wait()
	m.countEnd()
	_ = m.client.Close() // the client has no connection, so Close cannot fail in a way that matters
	m.etcd.Close()
}

// hasMember reports whether a directory has the log of a member.
func hasMember(dir string) bool {
	logs, err := filepath.Glob(filepath.Join(dir, "member", "wal", "*.wal"))
	return err == nil && len(logs) > 0
}

// configuration returns the configuration of etcd.
func (id *identity) configuration(state, initialCluster string) (*embed.Config, error) {
	config := embed.NewConfig()
	config.Dir, config.ClusterState = id.Dir, state
	config.InitialClusterToken = newToken()
	config.AutoCompactionMode, config.AutoCompactionRetention = "periodic", compactAfter
	config.QuotaBackendBytes = id.Quota
	config.EnableGRPCGateway = false
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.New(core{id.Logger}))
	config.PeerTLSInfo, config.ClientTLSInfo = id.tls, id.tls
	config.ListenClientUrls, config.AdvertiseClientUrls = nil, nil
	var err error
	if len(id.peers) == 0 {
		config.Name, config.InitialCluster = aloneName, aloneName+"="+aloneURL
		config.ListenPeerUrls, err = urls(aloneURL, err)
		config.AdvertisePeerUrls = config.ListenPeerUrls
	} else {
		config.Name, config.InitialCluster = id.Self, initialCluster
		config.ListenPeerUrls, err = urls(id.url(id.Listen), err)
		config.AdvertisePeerUrls, err = urls(id.url(id.Self), err)
		config.ListenClientUrls, err = urls(id.url(id.Operations), err)
		config.AdvertiseClientUrls = config.ListenClientUrls
	}
	if err != nil {
		return nil, err
	}
	if id.Configure != nil {
		id.Configure(config)
	}
	return config, nil
}

func urls(text string, failed error) ([]url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return []url.URL{*u}, failed
}
