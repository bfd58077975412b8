package kubeconfig_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// A program can use the same configuration as kubectl: Default reads the kubeconfig files of kubectl, and Parse reads a
// configuration from another source, such as a secret.
func Example() {
	notes := rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"}
	api, err := rest.New(rest.Options{}, notes) // this part runs in another process
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	host := httptest.NewServer(http.StripPrefix("/platform", api))
	defer host.Close()

	config, err := kubeconfig.Parse(kubeconfig.Options{}, []byte(`
current-context: platform
clusters: [{name: platform, cluster: {server: `+host.URL+`/platform}}]
users: [{name: me, user: {token: abc}}]
contexts: [{name: platform, context: {cluster: platform, user: me, namespace: default}}]
`))
	if err != nil {
		log.Fatal(err)
	}
	defer config.Server.HTTP.CloseIdleConnections()
	client, err := rest.ClientForEndpoint(config.Server, notes)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace(config.Namespace)
	note, err := client.Create(context.Background(), &Note{ObjectMeta: apimeta.ObjectMeta{Name: "first"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(note.ObjectMeta.Namespace, note.Name)
	// Output: default first
}
