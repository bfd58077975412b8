package clients_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/decorum-go/decorum/internal/test/realapitest"
)

// BenchmarkInformerStart starts informers of 100,000 ConfigMaps on our server, and on kube-apiserver if DECORUM_REAL is
// set. It reports the time until an informer has synced, and what the server uses meanwhile: seconds of processor time,
// and by how many megabytes its memory grows in the first start.
func BenchmarkInformerStart(b *testing.B) {
	b.Run("Decorum", func(b *testing.B) {
		url, pid := startLarge(b)
		startInformers(b, &clientrest.Config{Host: url, QPS: -1}, pid)
	})
	b.Run("kube-apiserver", func(b *testing.B) {
		server := realapitest.Start(b)
		config := &clientrest.Config{Host: server.URL(), BearerToken: "admin", QPS: -1,
			TLSClientConfig: clientrest.TLSClientConfig{CAData: []byte(server.Authority.PEM)}}
		createMany(b, config)
		startInformers(b, config, server.PID())
	})
}

// createMany creates the ConfigMaps, sixteen at a time.
func createMany(b *testing.B, config *clientrest.Config) {
	client, err := kubernetes.NewForConfig(config)
	require.NoError(b, err)
	maps := client.CoreV1().ConfigMaps("default")
	var creators sync.WaitGroup
	numbers := make(chan int)
	for range 16 {
		creators.Go(func() {
			for n := range numbers {
				_, err := maps.Create(b.Context(), largeMap(n), metav1.CreateOptions{FieldManager: "shop"})
				assert.NoError(b, err)
			}
		})
	}
	for n := range largeCount {
		numbers <- n
	}
	close(numbers)
	creators.Wait()
}

// startInformers starts an informer of client-go, and a cache of controller-runtime.
func startInformers(b *testing.B, config *clientrest.Config, pid int) {
	for _, c := range []struct {
		name  string
		start func(ctx context.Context)
	}{
		{"client-go", func(ctx context.Context) {
			client, err := kubernetes.NewForConfig(config)
			require.NoError(b, err)
			i := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default")).Core().V1().ConfigMaps().Informer()
			go i.RunWithContext(ctx)
			require.True(b, clientcache.WaitForCacheSync(ctx.Done(), i.HasSynced))
			require.Len(b, i.GetStore().ListKeys(), largeCount)
		}},
		{"controller-runtime", func(ctx context.Context) {
			all, err := cache.New(config, cache.Options{DefaultNamespaces: map[string]cache.Config{"default": {}}})
			require.NoError(b, err)
			_, err = all.GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
			require.NoError(b, err)
			go func() { _ = all.Start(ctx) }()
			require.True(b, all.WaitForCacheSync(ctx))
			var found corev1.ConfigMapList
			require.NoError(b, all.List(ctx, &found))
			require.Len(b, found.Items, largeCount)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var used time.Duration
			var grown int64
			for b.Loop() {
				ctx, stop := context.WithCancel(b.Context())
				usedBefore, before := process(b, pid)
				c.start(ctx)
				usedAfter, after := process(b, pid)
				used += usedAfter - usedBefore
				if grown == 0 {
					grown = after - before
				}
				stop()
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/start")
			b.ReportMetric(used.Seconds()/float64(b.N), "server-s/start")
			b.ReportMetric(float64(grown)/1e6, "server-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// process returns how much processor time another process has used, and its resident memory in bytes.
func process(b *testing.B, pid int) (used time.Duration, memory int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	_, rest, found := strings.Cut(string(text), ") ") // the name of the program may have spaces
	require.True(b, found)
	fields := strings.Fields(rest)
	number := func(of int) int64 { // see proc_pid_stat(5), which counts from 1 and from the number of the process
		n, err := strconv.ParseInt(fields[of-3], 10, 64)
		require.NoError(b, err)
		return n
	}
	const tick = 10 * time.Millisecond
	return time.Duration(number(14)+number(15)) * tick, number(24) * int64(os.Getpagesize())
}
