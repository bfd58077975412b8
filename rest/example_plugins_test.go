package rest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/rbac"
)

// A host lists the plug-ins that it wants, makes the API, and starts them.
func ExampleOptions_plugins() {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{
		Authenticator: auth.Tokens(auth.Token{Secret: "secret", User: access.User{Name: "root", Groups: []string{"admins"}}}),
		Plugins:       []rest.Plugin{roles, auth.Reviews(), lifecycle.New(lifecycle.Options{})},
	}, builtin.Namespaces())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close() // stops the plug-ins
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	clusterRoles, err := rest.ClientForType[rbac.ClusterRole](api)
	if err != nil {
		log.Fatal(err)
	}
	list, err := clusterRoles.List(context.Background(), rest.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("roles from the start:", len(list.Items) > 0)
	// Output: roles from the start: true
}

// PluginParts is itself a plug-in. This one makes all names begin with the name of the team.
func ExamplePluginParts() {
	prefixes := rest.PluginParts{Name: "prefixes", Admission: []admission.Hook{{
		Name: "prefixes.example.com", Operations: []admission.Operation{admission.Create},
		Resources: []string{"memos.example.com"},
		Validate: func(_ context.Context, r *admission.Request) error {
			if !strings.HasPrefix(r.Name, r.Namespace+"-") {
				return errors.New("the name must begin with that of the namespace")
			}
			return nil
		},
	}}}
	memos := rest.Resource[apitest.Memo]{Group: "example.com", Version: "v1", Plural: "memos"}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{prefixes}}, memos)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	memoClient, err := rest.ClientForType[apitest.Memo](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = memoClient.Namespace("team").Create(context.Background(),
		&apitest.Memo{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	fmt.Println(err)
	// Output: memos.example.com "a" is forbidden: the name must begin with that of the namespace
}

// counter is a plug-in of a third party. It adds a kind, and counts its objects in the background.
type counter struct {
	counted chan string
	ended   chan struct{} // closed when the work in the background has ended
}

// Plug implements [rest.Plugin].
func (c *counter) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{
		Name:        "counter",
		Definitions: []rest.Definition{rest.Resource[apitest.Memo]{Group: "example.com", Version: "v1", Plural: "memos"}},
		Start: func(ctx context.Context, api *rest.API) error {
			memos, err := rest.ClientForType[apitest.Memo](api)
			if err != nil {
				return err
			}
			page, err := memos.List(ctx, rest.ListOptions{})
			if err != nil {
				return err
			}
			c.ended = make(chan struct{})
			go func() {
				defer close(c.ended)
				c.follow(ctx, memos, page.ResourceVersion)
			}()
			return nil
		},
		Stop: func(ctx context.Context) error {
			select {
			case <-c.ended:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	}, nil
}

// follow counts until ctx ends, which is when the API shuts down.
func (c *counter) follow(ctx context.Context, memos rest.Client[apitest.Memo], from string) {
	for event, err := range memos.Watch(ctx, rest.WatchOptions{ResourceVersion: from}) {
		if err != nil {
			return
		}
		select {
		case c.counted <- event.Object.Name:
		case <-ctx.Done(): // nobody reads any more
			return
		}
	}
}

// A plug-in brings kinds of its own, and work that the API starts and stops.
func ExamplePlugin() {
	ctx := context.Background()
	c := &counter{counted: make(chan string)}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{c}})
	if err != nil {
		log.Fatal(err)
	}
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}
	memos, err := rest.ClientForType[apitest.Memo](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = memos.Namespace("team").Create(ctx, &apitest.Memo{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("counted", <-c.counted)
	if err := api.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: counted a
}
