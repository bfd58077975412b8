package kubeapitest_test

import (
	"net/http"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// A test of a controller starts an API with the definitions of the project.
func ExampleNew() {
	var t *testing.T // the argument of the test
	api := kubeapitest.New(t, kubeapitest.Options{CRDs: []string{"../config/crd/bases"}})
	client, err := kubernetes.NewForConfig(api.Config())
	if err != nil {
		t.Fatal(err)
	}
	// The controller under test uses client, or a client of controller-runtime for api.Config().
	_ = client
}

// The manager under test serves the webhooks that the project's manifests name by their Service:
//
//	webhook.NewServer(webhook.Options{Host: w.Host, Port: w.Port, CertDir: w.CertDir})
func ExampleServer_WebhookServer() {
	var t *testing.T // the argument of the test
	api := kubeapitest.New(t, kubeapitest.Options{CRDs: []string{"../config/crd/bases"},
		Webhooks: []string{"../config/webhook"}})
	w := api.WebhookServer()
	t.Log(w.Host, w.Port, w.CertDir)
}

// The test itself serves the webhooks, and needs neither a port nor certificates.
func ExampleServer_ServeWebhooks() {
	var t *testing.T         // the argument of the test
	var mux http.ServeMux    // with the webhooks under test
	var review http.Handler  // reviews writes
	var convert http.Handler // converts objects between the versions of a definition
	mux.Handle("/validate-batch-v1-cronjob", review)
	mux.Handle("/convert", convert)
	api := kubeapitest.New(t, kubeapitest.Options{
		CRDs:               []string{"../config/crd/bases"},
		Webhooks:           []string{"../config/webhook"},
		ConversionWebhooks: []string{"cronjobs.batch.example.com"},
	})
	api.ServeWebhooks(&mux)
}
