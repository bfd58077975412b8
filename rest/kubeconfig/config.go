package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/decorum-go/decorum/rest"
)

// config follows a context to its cluster and its user.
func (m *merged) config(o Options) (Config, error) {
	name := cmp.Or(o.Context, m.current)
	if name == "" {
		return Config{}, errors.New("kubeconfig: no current-context is set, and Options.Context is empty")
	}
	at, found := m.contexts[name]
	if !found && o.Context == "" {
		return Config{}, fmt.Errorf("kubeconfig: %w", inFile(m.path, fmt.Errorf("current-context: no context %q", name)))
	}
	if !found {
		return Config{}, fmt.Errorf("kubeconfig: no context %q", name)
	}
	fail := func(path string, err error) (Config, error) {
		return Config{}, fmt.Errorf("kubeconfig: %w", inFile(path, fmt.Errorf("context %q: %w", name, err)))
	}
	to, found := m.clusters[at.value.Cluster]
	if !found {
		return fail(at.path, fmt.Errorf("cluster: no cluster %q", at.value.Cluster))
	}
	as, found := m.users[at.value.User]
	if !found && at.value.User != "" {
		return fail(at.path, fmt.Errorf("user: no user %q", at.value.User))
	}
	transport, err := transportTo(to)
	if err != nil {
		return fail(to.path, fmt.Errorf("cluster %q: %w", at.value.Cluster, err))
	}
	through, err := authenticated(transport, as, to, o.Run)
	if err != nil {
		return fail(as.path, fmt.Errorf("user %q: %w", at.value.User, err))
	}
	return Config{
		Server:    rest.Endpoint{URL: to.value.Server, HTTP: &http.Client{Transport: through}},
		Namespace: cmp.Or(at.value.Namespace, "default"),
		Context:   name,
	}, nil
}

// checkServer refuses the URLs that [rest.ClientForEndpoint] would refuse too, so that the error names the
// file.
func (c cluster) checkServer() error {
	u, err := url.Parse(c.Server)
	switch {
	case c.Server == "":
		return errors.New("server: required")
	case err != nil:
		return fmt.Errorf("server: %w", err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("server: %q must have the form https://HOST/PREFIX", u.Redacted())
	}
	return nil
}
