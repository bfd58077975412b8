package clients_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
)

// largeVariable makes the test program a server with many objects: the program serves until its standard input ends.
const largeVariable = "DECORUM_LARGE_HOST"

const largeCount = 100_000

func TestMain(m *testing.M) {
	if os.Getenv(largeVariable) == "" {
		os.Exit(m.Run())
	}
	if err := serveMany(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveMany serves ConfigMaps of 2 KB, and prints the URL.
func serveMany() error {
	api, err := rest.New(rest.Options{}, k8s.Resource[corev1.ConfigMap]())
	if err != nil {
		return err
	}
	defer api.Close()
	maps, err := rest.ClientForType[corev1.ConfigMap](api)
	if err != nil {
		return err
	}
	maps = maps.Namespace("default").FieldManager("shop")
	for n := range largeCount {
		if _, err := maps.Create(context.Background(), largeMap(n)); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, api) }()
	fmt.Println("http://" + listener.Addr().String())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// largeMap returns one of many ConfigMaps of 2 KB.
func largeMap(n int) *corev1.ConfigMap {
	data := map[string]string{}
	for key := range 40 {
		data[fmt.Sprintf("key-%02d", key)] = fmt.Sprintf("a value of object %07d, and some text", n)
	}
	return &corev1.ConfigMap{Data: data, ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("map-%07d", n), Labels: map[string]string{"app": fmt.Sprint("app-", n%50)}}}
}

// startLarge starts the server as a process of its own, so that its memory does not count.
func startLarge(b *testing.B) (url string, pid int) {
	program, err := os.Executable()
	require.NoError(b, err)
	server := exec.Command(program)
	server.Env, server.Stderr = append(os.Environ(), largeVariable+"=1"), os.Stderr
	stdin, err := server.StdinPipe()
	require.NoError(b, err)
	stdout, err := server.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, server.Start())
	b.Cleanup(func() {
		require.NoError(b, stdin.Close())
		assert.NoError(b, server.Wait())
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(b, err)
	return strings.TrimSpace(line), server.Process.Pid
}

// named is a ConfigMap for a program that reads its name, its labels and one value.
type named struct {
	apimeta.TypeMeta `json:",inline"`
	Metadata         struct {
		Name            string            `json:"name,omitempty"`
		Namespace       string            `json:"namespace,omitempty"`
		UID             string            `json:"uid,omitempty"`
		ResourceVersion string            `json:"resourceVersion,omitempty"`
		Labels          map[string]string `json:"labels,omitempty"`
	} `json:"metadata,omitzero"`
	Data struct {
		Key string `json:"key-01,omitempty"`
	} `json:"data,omitzero"`
}

// BenchmarkInformerMemory reports the memory that an informer of 100,000 ConfigMaps in another process keeps for each
// object, and the bytes that it allocates for each object until it has synced.
func BenchmarkInformerMemory(b *testing.B) {
	url, _ := startLarge(b)
	config := &clientrest.Config{Host: url, QPS: -1}
	endpoint := rest.Endpoint{URL: url}
	maps := rest.Names{Kind: "ConfigMap"}
	wait := func(ctx context.Context, i cache.SharedIndexInformer) any {
		go i.RunWithContext(ctx)
		require.True(b, cache.WaitForCacheSync(ctx.Done(), i.HasSynced))
		require.Len(b, i.GetStore().ListKeys(), largeCount)
		return i
	}
	for _, c := range []struct {
		name  string
		start func(ctx context.Context) (keep any)
	}{
		{"client-go, typed", func(ctx context.Context) any {
			client, err := kubernetes.NewForConfig(config)
			require.NoError(b, err)
			return wait(ctx, informers.NewSharedInformerFactory(client, 0).Core().V1().ConfigMaps().Informer())
		}},
		{"client-go, dynamic", func(ctx context.Context) any {
			client, err := dynamic.NewForConfig(config)
			require.NoError(b, err)
			resource := corev1.SchemeGroupVersion.WithResource("configmaps")
			return wait(ctx, dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(resource).Informer())
		}},
		{"client-go, metadata", func(ctx context.Context) any {
			client, err := metadata.NewForConfig(config)
			require.NoError(b, err)
			resource := corev1.SchemeGroupVersion.WithResource("configmaps")
			return wait(ctx, metadatainformer.NewSharedInformerFactory(client, 0).ForResource(resource).Informer())
		}},
		{"Decorum, the type of k8s.io/api", func(ctx context.Context) any {
			return started(ctx, b, endpoint, k8s.Resource[corev1.ConfigMap]())
		}},
		{"Decorum, a type with fewer fields", func(ctx context.Context) any {
			return started(ctx, b, endpoint, rest.Resource[named]{Version: "v1", Plural: "configmaps", Names: maps})
		}},
		{"Decorum, metadata", func(ctx context.Context) any {
			return started(ctx, b, endpoint,
				rest.Resource[apimeta.PartialObjectMetadata]{Version: "v1", Plural: "configmaps", Names: maps})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var kept int64
			for b.Loop() {
				ctx, stop := context.WithCancel(b.Context())
				before := heaptest.InUse()
				keep := c.start(ctx)
				kept += heaptest.InUse() - before
				stop()
				runtime.KeepAlive(keep)
			}
			b.ReportMetric(float64(kept)/float64(b.N)/largeCount, "B/object")
		})
	}
}

// started starts an informer and waits until it has synced.
func started[T any](ctx context.Context, b *testing.B, endpoint rest.Endpoint, r rest.Resource[T]) any {
	client, err := rest.ClientForEndpoint(endpoint, r)
	require.NoError(b, err)
	informer := controller.NewInformer(client, controller.InformerOptions[T]{})
	go func() { _ = informer.Run(ctx) }()
	require.NoError(b, informer.WaitForSync(ctx))
	require.Len(b, informer.List(), largeCount)
	return informer
}
