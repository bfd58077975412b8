package lifecycle_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/status"
)

// A Site owns a Part. After the Site is deleted, the plug-in deletes the Part.
func ExampleNew() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{lifecycle.New(lifecycle.Options{})}}, parts(), sites())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}

	siteClient, err := rest.ClientForType[Site](api)
	if err != nil {
		log.Fatal(err)
	}
	site, err := siteClient.Create(ctx, &Site{ObjectMeta: apimeta.ObjectMeta{Name: "berlin"}})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := rest.ClientForType[Part](api)
	if err != nil {
		log.Fatal(err)
	}
	parts = parts.Namespace("default")
	roof, err := parts.Create(ctx,
		&Part{ObjectMeta: apimeta.ObjectMeta{Name: "roof", OwnerReferences: []apimeta.OwnerReference{
			{APIVersion: "example.com/v1", Kind: "Site", Name: site.Name, UID: site.UID}}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := siteClient.Delete(ctx, "berlin", rest.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	for event, err := range parts.Watch(ctx, rest.WatchOptions{ResourceVersion: roof.ResourceVersion}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == apimeta.EventDeleted {
			fmt.Println(event.Object.Name, "was deleted with its site")
			break
		}
	}
	// Output: roof was deleted with its site
}

// The API deletes a Notice some time after its last write.
func ExampleExpire() {
	notices := rest.Resource[Part]{Group: "example.com", Version: "v1", Plural: "notices",
		Names: rest.Names{Kind: "Notice"}, TimeToLive: time.Millisecond}
	api, err := rest.New(rest.Options{}, notices)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.Run(ctx, api, lifecycle.Options{}) }()

	client, err := rest.ClientForType[Part](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	notice, err := client.Create(ctx, &Part{ObjectMeta: apimeta.ObjectMeta{Name: "closed-today"}})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.Watch(ctx, rest.WatchOptions{ResourceVersion: notice.ResourceVersion}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Object.Name)
		break
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// DELETED closed-today
	// <nil>
}

// A deletion with the policy Foreground ends when the dependents that block it are gone.
func ExampleCollectGarbage() {
	api, err := rest.New(rest.Options{}, parts(), sites())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{}) }()

	siteClient, err := rest.ClientForType[Site](api)
	if err != nil {
		log.Fatal(err)
	}
	site, err := siteClient.Create(ctx, &Site{ObjectMeta: apimeta.ObjectMeta{Name: "berlin"}})
	if err != nil {
		log.Fatal(err)
	}
	partClient, err := rest.ClientForType[Part](api)
	if err != nil {
		log.Fatal(err)
	}
	partClient = partClient.Namespace("default")
	blocks := true
	roof := &Part{ObjectMeta: apimeta.ObjectMeta{Name: "roof", OwnerReferences: []apimeta.OwnerReference{{
		APIVersion: "example.com/v1", Kind: "Site", Name: site.Name, UID: site.UID, BlockOwnerDeletion: &blocks}}}}
	if _, err := partClient.Create(ctx, roof); err != nil {
		log.Fatal(err)
	}

	err = siteClient.Delete(ctx, "berlin", rest.DeleteOptions{PropagationPolicy: apimeta.DeletePropagationForeground})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range siteClient.Watch(ctx, rest.WatchOptions{ResourceVersion: site.ResourceVersion}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == apimeta.EventDeleted {
			break
		}
	}
	_, err = partClient.Get(ctx, "roof")
	fmt.Println("the part is gone before its site:", status.IsNotFound(err))
	stop()
	fmt.Println(<-ended)
	// Output:
	// the part is gone before its site: true
	// <nil>
}

// Deleting a namespace deletes everything in it.
func ExampleEmptyNamespaces() {
	api, err := rest.New(rest.Options{}, rest.NamespacesOf[Namespace](), parts())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.EmptyNamespaces(ctx, api, lifecycle.Options{}) }()

	namespaces, err := rest.ClientForType[Namespace](api)
	if err != nil {
		log.Fatal(err)
	}
	workshop, err := namespaces.Create(ctx, &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "workshop"}})
	if err != nil {
		log.Fatal(err)
	}
	partClient, err := rest.ClientForType[Part](api)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := partClient.Namespace("workshop").Create(ctx,
		&Part{ObjectMeta: apimeta.ObjectMeta{Name: "roof"}}); err != nil {
		log.Fatal(err)
	}
	if err := namespaces.Delete(ctx, "workshop", rest.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	for event, err := range namespaces.Watch(ctx,
		rest.WatchOptions{FieldSelector: "metadata.name=workshop", ResourceVersion: workshop.ResourceVersion}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == apimeta.EventDeleted {
			break
		}
	}
	page, err := partClient.List(ctx, rest.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("parts left:", len(page.Items))
	stop()
	fmt.Println(<-ended)
	// Output:
	// parts left: 0
	// <nil>
}

// runWhileLeading runs the controllers whenever this replica leads, until ctx ends.
func runWhileLeading(ctx context.Context, api *rest.API) error {
	leases, err := rest.ClientForType[builtin.Lease](api)
	if err != nil {
		return err
	}
	return election.Run(ctx, election.Options{Client: leases.Namespace("default"), Name: "platform"},
		func(ctx context.Context) error {
			return lifecycle.Run(ctx, api, lifecycle.Options{})
		})
}

// Several replicas serve the API. The controllers run on the leader, which holds a Lease of the API.
func ExampleRun_replicas() {
	api, err := rest.New(rest.Options{}, parts(), sites(), builtin.Leases())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runWhileLeading(ctx, api) }()

	clients, err := rest.ClientForType[Part](api)
	if err != nil {
		log.Fatal(err)
	}
	clients = clients.Namespace("default")
	orphan, err := clients.Create(ctx,
		&Part{ObjectMeta: apimeta.ObjectMeta{Name: "roof", OwnerReferences: []apimeta.OwnerReference{
			{APIVersion: "example.com/v1", Kind: "Site", Name: "berlin", UID: "4711"}}}})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range clients.Watch(ctx, rest.WatchOptions{ResourceVersion: orphan.ResourceVersion}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Object.Name)
		break
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// DELETED roof
	// <nil>
}
