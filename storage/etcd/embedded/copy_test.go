package embedded

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// start starts a member without peers.
func start(t *testing.T) *member {
	t.Helper()
	id, err := Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
		Configure: func(config *embed.Config) { config.UnsafeNoFsync = true }}.identify()
	require.NoError(t, err)
	m, err := startMember(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(m.close)
	return m
}

// counts returns the counts of a member in its directory and in the cluster.
func counts(t *testing.T, m *member) (directory, cluster int) {
	t.Helper()
	own, err := m.id.readTally()
	require.NoError(t, err)
	cluster, err = countIn(t.Context(), m.client, own.Member)
	require.NoError(t, err)
	return own.Count, cluster
}

// A member counts its start again if the answer of the cluster is lost. It does not take its own count for a later one.
func TestLostAnswerToTheCountOfAStart(t *testing.T) {
	t.Parallel()
	m := start(t)
	m.client.KV = &lossy{KV: m.client.KV}
	require.NoError(t, m.countStart(t.Context()))
	directory, cluster := counts(t, m)
	assert.Equal(t, directory, cluster)
}

// A running member counts at intervals.
func TestRunningMemberCounts(t *testing.T) {
	t.Parallel()
	m := start(t)
	first, _ := counts(t, m)
	m.id.countEvery = time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	m.running.Go(func() { m.keepCounting(ctx) })
	for _, cluster := counts(t, m); cluster < first+3; _, cluster = counts(t, m) {
		require.NoError(t, t.Context().Err())
	}
	stop()
	m.running.Wait()
	directory, cluster := counts(t, m)
	assert.GreaterOrEqual(t, directory, cluster, "a member that ends may have counted in its directory only")
}

// lossy loses the answer to the first Put.
type lossy struct {
	clientv3.KV
	lost bool
}

func (l *lossy) Put(ctx context.Context, key, value string, opts ...clientv3.OpOption) (*clientv3.PutResponse, error) {
	answer, err := l.KV.Put(ctx, key, value, opts...)
	if !l.lost {
		l.lost = true
		return nil, context.DeadlineExceeded
	}
	return answer, err
}
