package k8s_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// A host serves Kubernetes kinds to kubectl and client-go, below a prefix of its own server, and uses them in process.
func Example() {
	api, err := rest.New(rest.Options{},
		k8s.Resource[corev1.Namespace](),
		k8s.Resource[corev1.ConfigMap](),
		k8s.Resource[coordinationv1.Lease](),
		k8s.Resource[appsv1.Deployment]())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	mux := http.NewServeMux()
	mux.Handle("/cluster/", http.StripPrefix("/cluster", api))

	maps, err := rest.ClientForType[corev1.ConfigMap](api)
	if err != nil {
		log.Fatal(err)
	}
	maps = maps.Namespace("default")
	made, err := maps.Create(context.Background(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "colours"},
		Data:       map[string]string{"sky": "blue"},
	})
	fmt.Println(made.Name, made.Data["sky"], err)
	// Output: colours blue <nil>
}

// The resource is a value. A host sets a hook to make a kind stricter than its schema.
func ExampleResource() {
	deployments := k8s.Resource[appsv1.Deployment]()
	deployments.Hooks.Validate = func(_ context.Context, d, _ *appsv1.Deployment) (status.FieldErrors, error) {
		if d.Spec.Selector == nil {
			return status.FieldErrors{status.RequiredField(status.NewPath("spec", "selector"), "")}, nil
		}
		return nil, nil
	}
	api, err := rest.New(rest.Options{}, deployments)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	client, err := rest.ClientForType[appsv1.Deployment](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	_, err = client.Create(context.Background(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
	fmt.Println(err)
	// Output: Deployment.apps "web" is invalid: spec.selector: Required value
}
