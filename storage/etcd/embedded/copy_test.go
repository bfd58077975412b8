package embedded

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// A member counts its start again if the answer of the cluster is lost. It does not take its own count for a newer start.
func TestLostAnswerToTheCountOfStarts(t *testing.T) {
	t.Parallel()
	id, err := Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
		Configure: func(config *embed.Config) { config.UnsafeNoFsync = true }}.identify()
	require.NoError(t, err)
	m, err := startMember(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(m.close)
	client, _ := localClient(m.server())
	defer client.Close()
	client.KV = &lossy{KV: client.KV}

	require.NoError(t, m.countStart(t.Context(), client))
	own, err := id.readStarts()
	require.NoError(t, err)
	cluster, err := startsIn(t.Context(), client, own.Member)
	require.NoError(t, err)
	assert.Equal(t, own.Starts, cluster)
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
