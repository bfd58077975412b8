package aggregated

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/storage"
)

// Options configure [New]. Cluster is required, and one of Publish and GetCertificate.
type Options struct {
	// Cluster is the API server of the cluster, over https, with the credentials of this program.
	// kubeconfig.InCluster returns it. Required.
	Cluster rest.Endpoint
	// Publish makes the plug-in manage the certificate of the server and its APIServices.
	Publish *Publication
	// GetCertificate returns the certificate of the server if another program manages it, such as cert-manager. That
	// program must then also write the caBundle of the APIServices. The server calls GetCertificate for each connection,
	// so it may read the certificate from a file that changes.
	GetCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	// Audiences are the audiences of which a bearer token must name at least one. Default: the cluster accepts the tokens
	// that it accepts for itself.
	Audiences []string
	// AllowedFor and RefusedFor are how long the plug-in caches a positive and a negative answer of the cluster, about a
	// token or an access. They also bound how long a withdrawn right still counts, and how long the API serves without
	// the cluster. Negative means that each request is reviewed. At most a minute. Default: 10 seconds, as for
	// other aggregated API servers.
	AllowedFor, RefusedFor time.Duration
	// AnyNamespace lets clients create objects in namespaces that do not exist, or that are being deleted. The cluster
	// does not check this for aggregated servers, so the plug-in does, for which it follows the namespaces of the cluster.
	// Default: clients get 404 and 403.
	AnyNamespace bool

	// Budget bounds the memory for the answers of the cluster, together with other uses of the host. Default: nothing else
	// uses it.
	Budget *storage.Budget
	// MaxCacheBytes is how much of it the answers take, in bytes. Negative means that none is kept. Default: 8 MiB, enough
	// for about 30,000 answers.
	MaxCacheBytes int64
	// Logger receives why the plug-in is not ready, why requests cannot be reviewed, and warnings of settings of the
	// cluster that are not safe. Default: errors only, to slog's default logger.
	Logger *slog.Logger
}

// Publication says what the plug-in keeps in the cluster: a Secret with its own certificate authority, and an
// APIService for each version, with the bundle of the authorities. Replicas share the Secret, and each signs a
// certificate of its own, in memory. The plug-in replaces the authority before it expires, and tells kube-apiserver of
// the new one before it uses it, so no request fails meanwhile.
//
// The program needs the rights to get and update the Secret, and to create Secrets in its namespace; and to get, create
// and patch the APIServices. If a manifest creates the APIServices without a caBundle, it need not create any.
type Publication struct {
	// Service is the Service of this program. Its Namespace and Name are required. Default of the Port: 443.
	Service apiservice.ServiceReference
	// Groups are the groups that kube-apiserver forwards to this program, in the order in which the API serves them. The
	// API must serve them. Required.
	Groups []string
	// GroupPriority orders the groups of the cluster: clients that name a resource without its group get the one of the
	// highest. Default: 1000, as for kinds of CustomResourceDefinitions.
	GroupPriority int32
	// Secret is the name of the Secret, in the namespace of the Service. Default: the name of the Service followed by
	// -serving-ca.
	Secret string
}

const (
	// defaultAnswerAge is the default of [Options].AllowedFor and RefusedFor.
	defaultAnswerAge = 10 * time.Second
	// maxAnswerAge is the most that a host may choose.
	maxAnswerAge = time.Minute
	// defaultCacheBytes is the default of [Options].MaxCacheBytes.
	defaultCacheBytes = 8 << 20
	// defaultGroupPriority is the default of [Publication].GroupPriority.
	defaultGroupPriority = 1000
)

// complete replaces the zero values, and returns an error if an option is wrong.
func (o Options) complete() (Options, error) {
	u, err := url.Parse(o.Cluster.URL)
	switch {
	case err != nil:
		return o, fmt.Errorf("Options.Cluster: %w", err)
	case u.Scheme != "https":
		return o, errors.New("Options.Cluster: the URL must begin with https: " +
			"anybody who can answer in place of the cluster could act as any user")
	case (o.Publish == nil) == (o.GetCertificate == nil):
		return o, errors.New("set either Options.Publish or Options.GetCertificate")
	case o.AllowedFor > maxAnswerAge || o.RefusedFor > maxAnswerAge:
		return o, fmt.Errorf("Options.AllowedFor and RefusedFor may be at most %s", maxAnswerAge)
	}
	if o.Publish != nil {
		p, err := o.Publish.complete()
		if err != nil {
			return o, fmt.Errorf("Options.Publish: %w", err)
		}
		o.Publish = &p
	}
	o.AllowedFor, o.RefusedFor = cmp.Or(o.AllowedFor, defaultAnswerAge), cmp.Or(o.RefusedFor, defaultAnswerAge)
	o.MaxCacheBytes = cmp.Or(o.MaxCacheBytes, defaultCacheBytes)
	if o.Budget == nil {
		o.Budget = storage.NewBudget(o.MaxCacheBytes)
	}
	o.Audiences = slices.Clone(o.Audiences)
	o.Logger = errorlog.Or(o.Logger)
	return o, nil
}

func (p Publication) complete() (Publication, error) {
	switch {
	case p.Service.Namespace == "" || p.Service.Name == "":
		return p, errors.New("Service has no Namespace or no Name")
	case len(p.Groups) == 0:
		return p, errors.New("Groups is empty")
	case p.GroupPriority < 0:
		return p, errors.New("GroupPriority is negative")
	}
	for _, group := range p.Groups {
		if len(apimeta.ValidateDNS1123Subdomain(group)) > 0 || !strings.Contains(group, ".") {
			return p, fmt.Errorf("Groups: %q is not the name of a group of your own: it must be a domain with a dot", group)
		}
	}
	p.Groups = slices.Clone(p.Groups)
	p.GroupPriority = cmp.Or(p.GroupPriority, defaultGroupPriority)
	p.Secret = cmp.Or(p.Secret, p.Service.Name+"-serving-ca")
	if p.Service.Port == nil {
		p.Service.Port = new(int32(443))
	}
	return p, nil
}
