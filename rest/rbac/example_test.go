package rbac_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/rbac"
)

func Example() {
	users := auth.Tokens(
		auth.Token{Secret: "secret of alice", User: access.User{Name: "alice", Groups: []string{"editors"}}},
		auth.Token{Secret: "secret of bob", User: access.User{Name: "bob"}},
	)
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	if err != nil {
		log.Fatal(err)
	}
	notes := rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"}
	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles}}, notes)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}
	clusterRoles, err := rest.ClientForType[rbac.ClusterRole](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = clusterRoles.Create(ctx, &rbac.ClusterRole{ObjectMeta: apimeta.ObjectMeta{Name: "note-editor"},
		Rules: []rbac.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"example.com"}, Resources: []string{"notes"}}}})
	if err != nil {
		log.Fatal(err)
	}
	roleBindings, err := rest.ClientForType[rbac.RoleBinding](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = roleBindings.Namespace("team-a").Create(ctx,
		&rbac.RoleBinding{ObjectMeta: apimeta.ObjectMeta{Name: "editors"},
			RoleRef:  rbac.RoleRef{Kind: "ClusterRole", Name: "note-editor"},
			Subjects: []rbac.Subject{{Kind: rbac.GroupKind, Name: "editors"}}})
	if err != nil {
		log.Fatal(err)
	}

	for _, try := range []struct{ token, namespace string }{{"secret of alice", "team-a"}, {"secret of alice", "team-b"},
		{"secret of bob", "team-a"}, {"guess", "team-a"}} {
		r, err := http.NewRequest("GET", "http://host/apis/example.com/v1/namespaces/"+try.namespace+"/notes", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+try.token)
		answer, err := rest.RoundTripper(api).RoundTrip(r)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Println(try.token, try.namespace, answer.StatusCode)
	}
	// Output:
	// secret of alice team-a 200
	// secret of alice team-b 403
	// secret of bob team-a 403
	// guess team-a 401
}
