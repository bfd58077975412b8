package clients_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Two informers of client-go share the objects. Each receives the changes of its own objects, resumes a watch that is
// cut, and lists its shard again after a compaction.
func TestShardedInformers(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, _ bool) {
		overBoth(t, func(t *testing.T, h *host) {
			o := objects{t, h, corev1.SchemeGroupVersion.WithResource("configmaps")}
			var names []string
			for n := range 16 {
				names = append(names, fmt.Sprintf("map-%02d", n))
			}
			o.create(names[:8]...)
			var shards [2]cache.SharedIndexInformer
			var seen [2]<-chan string
			for i, bounds := range [2]string{
				"'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'",
			} {
				shards[i] = informers.NewSharedInformerFactoryWithOptions(h.typed(t), 0,
					informers.WithTweakListOptions(func(l *metav1.ListOptions) {
						l.ShardSelector = "shardRange(object.metadata.uid, " + bounds + ")"
					})).Core().V1().ConfigMaps().Informer()
				seen[i] = run(t, shards[i])
			}
			// owner returns the number of the informer that has an object. It fails if both have it.
			owner := func(name string) int {
				var has [2]bool
				for i := range shards {
					has[i] = slices.Contains(shards[i].GetStore().ListKeys(), "default/"+name)
				}
				require.NotEqual(t, has[0], has[1], "%s is in one shard", name)
				if has[1] {
					return 1
				}
				return 0
			}
			all := func(count int) bool {
				return len(shards[0].GetStore().ListKeys())+len(shards[1].GetStore().ListKeys()) == count
			}
			require.Eventually(t, func() bool { return all(8) }, patience, time.Millisecond)
			o.create(names[8:]...)
			require.Eventually(t, func() bool { return all(16) }, patience, time.Millisecond)

			mend := h.wire.cut() // the informers resume their watches
			o.touch(names[0])
			mend()
			await(t, seen[owner(names[0])], "a change", func(s string) bool { return s == "updated "+names[0] })

			mend = h.wire.cut()
			o.delete(names[1])
			o.touch(names[2])
			h.forget(t)
			mend() // the informers list again
			require.Eventually(t, func() bool { return all(15) }, patience, time.Millisecond)
			await(t, seen[owner(names[2])], "a change", func(s string) bool { return s == "updated "+names[2] })
			for _, name := range slices.Delete(slices.Clone(names), 1, 2) {
				object, _, err := shards[owner(name)].GetStore().GetByKey("default/" + name)
				require.NoError(t, err)
				hash := fnv.New64a()
				_, _ = hash.Write([]byte(object.(*corev1.ConfigMap).UID))
				assert.EqualValues(t, hash.Sum64()>>63, owner(name), name)
			}
		})
	})
}
