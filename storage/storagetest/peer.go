package storagetest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var peerRules = []rule{
	{"Peers", "What one replica has acknowledged, another one shows at the same revisions; lists and watches move between them.", func(s *subject) {
		peer := &subject{T: s.T, ctx: s.ctx, make: s.make, store: s.make.Peer(s.T, s.store)}
		peer.register()
		scope := watch.Key{Resource: widgets}
		replicas := []*subject{s, peer}
		position := s.store.Revision()
		for n := range 20 {
			here, there := replicas[n%2], replicas[(n+1)%2]
			r := here.put(widget("a", fmt.Sprint(n%3)), "red", n)
			got, err := there.store.Get(s.ctx, r.Key, storage.MostRecent)
			require.NoError(s, err)
			s.requireSame(r, got)
			page := there.list(storage.Query{Within: scope, Revision: r.Revision, Exact: true})
			require.Equal(s, r.Revision, page.Revision)
			cursor := there.watch(scope, position)
			changes, err := cursor.Next(s.ctx, nil)
			require.NoError(s, err)
			require.Len(s, changes, 1)
			position = cursor.Position()
		}
		require.NoError(s, peer.store.Close())
	}},
	{"UnknownToAPeer", "A replica names resources that only another one has registered, at once.", func(s *subject) {
		older := s.make.Peer(s.T, s.store)
		peer := &subject{T: s.T, ctx: s.ctx, make: s.make, store: older}
		require.NoError(s, older.Register(s.ctx, s.resources()[2]))
		for n := range 20 {
			namespace := fmt.Sprint("n", n)
			s.put(widget(namespace, "x"), "red", n)
			peer.requireResourcesIn(namespace, []string{widgets})
			s.remove(widget(namespace, "x"))
			peer.requireResourcesIn(namespace, nil)
		}
		require.NoError(s, older.Close())
	}},
	{"LinearizablePeers", "A linearizability checker accepts every concurrent history of clients that use several replicas in turn.", linearizablePeers},
}
