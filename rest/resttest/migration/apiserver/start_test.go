package apiserver

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// BenchmarkStart starts etcd, the API server and a custom resource, and stores a first object, in each iteration:
//
//	go test -run xxx -bench . -benchtime 3x
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	var heap uint64
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		stop := start(b)
		runtime.GC()
		runtime.ReadMemStats(&after)
		heap += after.HeapAlloc - before.HeapAlloc
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(heap)/float64(b.N)/(1<<20), "MiB/server")
}

func start(b *testing.B) (stop func()) {
	dir := b.TempDir()
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.LogLevel = "error"
	anywhere := url.URL{Scheme: "unix", Path: filepath.Join(dir, "client")}
	peers := url.URL{Scheme: "unix", Path: filepath.Join(dir, "peer")}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{anywhere}, []url.URL{anywhere}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		b.Fatal(err)
	}
	<-etcd.Server.ReadyNotify()

	nobody := filepath.Join(dir, "kubeconfig") // the server requires the file but does not use it
	if err := os.WriteFile(nobody, []byte(unused), 0o600); err != nil {
		b.Fatal(err)
	}
	server, err := servertesting.StartTestServer(b, nil, []string{
		"--etcd-servers", anywhere.String(), "--etcd-prefix", "/registry",
		"--authentication-skip-lookup", "--authentication-kubeconfig", nobody, "--authorization-kubeconfig", nobody,
		"--kubeconfig", nobody,
		"--disable-admission-plugins",
		"NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	serve(b, &server)
	return func() {
		server.TearDownFn()
		etcd.Close()
	}
}

// serve creates the resource definition and waits until a first object is stored.
func serve(b *testing.B, server *servertesting.TestServer) {
	definitions, err := clientset.NewForConfig(server.ClientConfig)
	if err != nil {
		b.Fatal(err)
	}
	preserve := true
	_, err = definitions.ApiextensionsV1().CustomResourceDefinitions().Create(b.Context(),
		&apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: "ships.fleet.example.com"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: "fleet.example.com", Scope: apiextensionsv1.NamespaceScoped,
				Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "ships", Singular: "ship", Kind: "Ship",
					ListKind: "ShipList"},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
					Name: "v1", Served: true, Storage: true,
					Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
						Type: "object", XPreserveUnknownFields: &preserve,
					}},
				}},
			},
		}, metav1.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	objects, err := dynamic.NewForConfig(server.ClientConfig)
	if err != nil {
		b.Fatal(err)
	}
	ships := objects.Resource(schema.GroupVersionResource{Group: "fleet.example.com", Version: "v1",
		Resource: "ships"}).Namespace("default")
	ship := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "fleet.example.com/v1", "kind": "Ship", "metadata": map[string]any{"name": "victory"},
		"spec": map[string]any{"class": "Frigate"},
	}}
	// The condition Established precedes the first moment at which the server serves the resource, and nothing reports
	// that moment.
	if polled := wait.PollUntilContextTimeout(b.Context(), 5*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			_, err = ships.Create(ctx, ship, metav1.CreateOptions{})
			return err == nil, nil
		}); polled != nil {
		b.Fatal(fmt.Errorf("the resource is not served: %w", err))
	}
}

const unused = `apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
`
