package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Masters is the group whose members may do everything.
const Masters = "system:masters"

// Config describes a server. Accounts is required.
type Config struct {
	// Store keeps the objects. Default: memory.
	Store storage.Store
	// Logger receives errors. Default: slog's default logger.
	Logger *slog.Logger
	// Accounts are the issuer and the keys of the tokens of service accounts. MaxLifetime defaults to noMaxLifetime.
	Accounts serviceaccount.Options
	// Users recognize who sends a request, besides the tokens of service accounts.
	Users []access.Authenticator
	// RefuseAnonymous refuses requests without credentials, except for those about the health of the server.
	RefuseAnonymous bool
	// AllowAll allows all users everything, instead of asking the roles.
	AllowAll bool
	// Objects says what the objects contain that exist from the start. ServiceRange defaults to 10.0.0.0/24, and Store is
	// that of the server.
	Objects bootstrap.Config
	// ServingCA is the certificate of the authority that signed the certificate of the server, in PEM.
	ServingCA []byte
	// Controllers are names that [Controllers] returns. Default: none, as in a cluster without kube-controller-manager.
	Controllers []string
	// Host is the name of the machine, for which the server keeps a Lease, as kube-apiserver does. Default: the server
	// keeps none.
	Host string
	// NoFlowControl lets requests run without waiting for a seat. FlowSchemas and PriorityLevelConfigurations then have no
	// effect.
	NoFlowControl bool
	// MaxReads and MaxWrites are how many reads and writes the server works on at once without flow control; 0 means no
	// limit. With flow control, they are together the number of seats. Default: 600 seats.
	MaxReads, MaxWrites int
	// Plugins are the admission plugins. Their names are those that [Plugins] returns.
	Plugins kinds.PluginOptions
	// WebhookServer returns the address of the server of webhooks whose Service does not exist or has no endpoints, or an
	// empty string. Default: calls of these webhooks fail.
	WebhookServer func() string
	// Report receives a line about each request for a part of the Kubernetes API that the server does not have. Clients
	// see the line as a warning. Default: only they see it.
	Report func(text string)
	// Types remembers the schemas of Go types. Several servers may share it, see [rest.Options].
	Types *rest.TypeCache
}

// Server is a Kubernetes API.
type Server struct {
	api     *rest.API
	handler http.Handler
	review  review
	closing []func() error
	running sync.WaitGroup
}

// noMaxLifetime is the longest life for which a client can ask.
const noMaxLifetime = 1 << 32 * time.Second

// New returns a server whose objects exist and which serves the kinds of all stored definitions.
func New(ctx context.Context, c Config) (s *Server, err error) {
	if !c.Objects.ServiceRange.IsValid() {
		c.Objects.ServiceRange = netip.MustParsePrefix("10.0.0.0/24")
	}
	c.Accounts.MaxLifetime = cmp.Or(c.Accounts.MaxLifetime, noMaxLifetime)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	s = new(Server)
	if c.Store == nil {
		c.Store = memory.New(storage.Options{})
		s.closing = append(s.closing, c.Store.Close)
	}
	c.Objects.Store = c.Store
	roles, err := rbac.New(rbac.Options{Administrators: []string{Masters}})
	if err != nil {
		return nil, err
	}
	accounts, err := serviceaccount.New(c.Accounts)
	if err != nil {
		return nil, err
	}
	var users access.Authenticator = access.Authenticators(append(slices.Clone(c.Users), accounts))
	if !c.RefuseAnonymous {
		users = auth.OrAnonymous(users)
	}
	if s.review, err = newReview(c.Logger, s.resolver(c.WebhookServer), c.Plugins); err != nil {
		return nil, err
	}
	admission, err := kinds.Admission(c.Plugins)
	if err != nil {
		return nil, err
	}
	last, err := lastHooks(c.Plugins)
	if err != nil {
		return nil, err
	}
	flows, err := newFlows(c)
	if err != nil {
		return nil, err
	}
	rights := &rights{Roles: roles, allowAll: c.AllowAll}
	options := rest.Options{
		Store: c.Store, Admission: admission, Logger: c.Logger, Authenticator: users, Health: rest.Health{Open: true},
		Version: version(), Types: c.Types, HostUser: hostUser, KeepManagedFields: true,
		CEL: cel.Evaluator(), Plugins: slices.Concat([]rest.Plugin{rights, known{accounts}, auth.Reviews()}, s.review.plugins(),
			last, []rest.Plugin{
				rest.PluginParts{Name: "cluster",
					Start: func(ctx context.Context, api *rest.API) error { return bootstrap.Create(ctx, api, c.Objects) }},
			}, c.limits(flows), []rest.Plugin{
				crd.New(crd.Options{Calls: s.review.calls, OwnNamesConflict: true, Logger: c.Logger}), apiservice.New(apiservice.Options{Logger: c.Logger}),
				rest.PluginParts{Name: "common objects",
					Start: func(ctx context.Context, _ *rest.API) error { return c.Objects.Common.Remember(ctx, c.Store) }},
			}),
	}
	s.api, err = rest.New(options,
		kinds.All(kinds.Environment{Accounts: accounts, Users: access.Authenticators(c.Users),
			ServiceAddresses: c.Objects.ServiceRange})...)
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, s.review.close, s.api.Close)
	if err = s.api.Start(ctx); err == nil {
		err = s.control(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.handler = &front{api: s.api, keys: accounts.Discovery(), users: users, authorizer: rights.authorizer, flows: flows,
		gaps: &gaps{api: s.api, report: c.Report}, logger: c.Logger,
		provisions: slices.Contains(c.Plugins.On, provisionPlugin)}
	return s, nil
}

// rights is the plug-in that decides about accesses.
type rights struct {
	*rbac.Roles
	allowAll   bool
	authorizer access.Authorizer
}

// Plug implements [rest.Plugin].
func (r *rights) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := r.Roles.Plug(api)
	r.authorizer = parts.Authorizer
	if r.allowAll {
		r.authorizer = access.Authorizers{r.authorizer, access.AuthorizerFunc(allow)}
	}
	parts.Authorizer = r.authorizer
	return parts, err
}

// known is the plug-in of the service accounts. The server asks about their tokens itself, beside those of its other
// users.
type known struct{ *serviceaccount.Issuer }

// Plug implements [rest.Plugin].
func (k known) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := k.Issuer.Plug(api)
	parts.Authenticator = nil
	return parts, err
}

// API returns the API, for clients in this process.
func (s *Server) API() *rest.API { return s.api }

// Handler returns what serves the requests of clients.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends all watches, and returns when nothing of the server runs any more.
func (s *Server) Close() error {
	var errs []error
	for _, end := range slices.Backward(s.closing) {
		errs = append(errs, end())
	}
	s.running.Wait()
	return errors.Join(errs...)
}

func allow(context.Context, access.Access) (access.Decision, error) {
	return access.Allow("everything is allowed"), nil
}
