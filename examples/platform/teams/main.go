// Command teams is the program of docs/teams.md: the platform of docs/guide.md for
// several teams. It serves over TLS, and only people and programs that it knows. It
// writes a kubeconfig file for each person into a directory, and keeps the key there
// that signs the tokens of programs:
//
//	go run ./examples/platform/teams --dir /tmp/teams
//	kubectl --kubeconfig /tmp/teams/root get namespaces
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/console"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/credentials"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func main() { program.Main("teams", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("teams", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8443", "address to serve on; port 0 selects a free port")
	dir := flags.String("dir", "", "directory for the kubeconfig files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("--dir is missing")
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	defer listener.Close()

	people := newPeople()
	certificate, err := newCertificate()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		return err
	}
	keys, err := credentials.Keys(filepath.Join(*dir, "accounts.pem"))
	if err != nil {
		return err
	}
	quotas := quota.NewResourceQuotas(nil)
	store := memory.New(storage.Options{Ledger: quotas.Ledger})
	defer store.Close()
	api, err := newAPI(store, people, keys, quotas)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("https://%s/platform", listener.Addr())
	if err := people.writeFiles(*dir, url, certificate); err != nil {
		return errors.Join(err, api.Close())
	}
	mux := http.NewServeMux()
	protection := http.NewCrossOriginProtection() // refuses changes that pages of other origins send
	mux.Handle("/platform/", protection.Handler(http.StripPrefix("/platform", api)))
	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))
	return host.Run(ctx, api, host.Options{
		Server:   &http.Server{Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}},
		Listener: listener,
		Controllers: controller.Group{
			func(ctx context.Context) error { return quotas.Run(ctx, api) }, // shows what is used of each quota
		},
		Ready: func(net.Addr) { fmt.Fprintln(stdout, "ready", url) },
	})
}

// newAPI returns the API of the platform.
func newAPI(store storage.Store, people people, keys []serviceaccount.Key,
	quotas *quota.ResourceQuotas) (*rest.API, error) {
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com", Keys: keys})
	if err != nil {
		return nil, err
	}
	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	if err != nil {
		return nil, err
	}
	return rest.New(rest.Options{
		Store:         store,
		Authenticator: auth.Tokens(people...),
		Authorizer:    access.AuthorizerFunc(ownNamespaces),
		Plugins:       []rest.Plugin{accounts, roles, auth.Reviews(), quotas},
		Health:        rest.Health{Open: true},
		Browsers:      rest.Browsers{AllowedHosts: []string{"localhost"}},
	}, builtin.Namespaces(), builtin.Events(), site.Resource())
}

// ownNamespaces shows the members of a team the namespace with the name of the team, and no other.
func ownNamespaces(_ context.Context, a access.Access) (access.Decision, error) {
	reads := a.Verb == "get" || a.Verb == "list" || a.Verb == "watch"
	if !reads || a.Group != "" || a.Resource != "namespaces" || a.Subresource != "" {
		return access.NoOpinion(""), nil
	}
	var own []access.Filter
	for _, group := range a.User.Groups {
		if strings.HasPrefix(group, "team-") {
			own = append(own, access.Filter{Namespace: group})
		}
	}
	if len(own) == 0 {
		return access.NoOpinion("in no team"), nil
	}
	return access.AllowOnly("a member of the team", own...), nil
}
