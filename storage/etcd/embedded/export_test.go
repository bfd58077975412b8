package embedded

import (
	"context"

	"github.com/decorum-go/decorum/storage/etcd"
)

// Count counts once, like a running member every minute. Afterwards the member no longer counts by itself.
func (s *Store) Count(ctx context.Context) error {
	s.member.stop()
	s.member.running.Wait()
	return s.member.count(ctx)
}

// Crash closes the store, but the member does not count its end, as if its process had been killed.
func (s *Store) Crash() error {
	s.member.stop()
	s.member.running.Wait()
	s.member.counted = tally{}
	return s.Close()
}

// Beside opens another store on the same member, with another prefix. It ignores Client, Config and WatchClient of the
// options. The caller must close the other store before this one.
func (s *Store) Beside(ctx context.Context, opts etcd.Options) (*etcd.Store, error) {
	opts.Client, opts.WatchClient = localClient(s.member.server())
	return etcd.Open(ctx, opts)
}
