package aggregated

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/internal/review"
)

// configMap is what the plug-in reads of a ConfigMap.
type configMap struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Data map[string]string `json:"data,omitempty"`
}

// namespace is what the plug-in reads of a Namespace.
type namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// secret is the kind Secret.
type secret struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Data map[string][]byte `json:"data,omitempty"`
	Type string            `json:"type,omitempty"`
}

// clients are the resources of the cluster that the plug-in uses.
type clients struct {
	configMaps rest.Client[configMap]
	namespaces rest.Client[namespace]
	secrets    rest.Client[secret]
	tokens     rest.Client[review.Token]
	accesses   rest.Client[review.Access]
	services   rest.Client[apiservice.APIService]
}

// fieldManager owns what the plug-in writes.
const fieldManager = "aggregated-api-server"

func newClients(o Options) (c clients, err error) {
	builtin := rest.Wire{Dialect: rest.DialectBuiltin}
	if c.configMaps, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[configMap]{Version: "v1", Plural: "configmaps",
		Names: rest.Names{Kind: "ConfigMap"}, Wire: builtin}); err != nil {
		return c, err
	}
	if c.namespaces, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[namespace]{Version: "v1", Plural: "namespaces",
		Names: rest.Names{Kind: "Namespace"}, Scope: rest.ScopeCluster, Wire: builtin}); err != nil {
		return c, err
	}
	if c.secrets, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[secret]{Version: "v1", Plural: "secrets",
		Names: rest.Names{Kind: "Secret"}, Wire: builtin}); err != nil {
		return c, err
	}
	if c.tokens, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[review.Token]{Group: "authentication.k8s.io",
		Version: "v1", Plural: "tokenreviews", Names: rest.Names{Kind: "TokenReview"}, Scope: rest.ScopeCluster,
		Wire: builtin}); err != nil {
		return c, err
	}
	if c.accesses, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[review.Access]{Group: "authorization.k8s.io",
		Version: "v1", Plural: "subjectaccessreviews", Names: rest.Names{Kind: "SubjectAccessReview"},
		Scope: rest.ScopeCluster, Wire: builtin}); err != nil {
		return c, err
	}
	c.services, err = rest.ClientForEndpoint(o.Cluster, rest.Resource[apiservice.APIService]{Group: apiservice.Group,
		Version: "v1", Plural: "apiservices", Scope: rest.ScopeCluster, Names: rest.Names{Rule: rest.NamePathSegment},
		Wire: builtin})
	if err != nil {
		return c, err
	}
	c.configMaps = c.configMaps.Namespace(trustNamespace)
	c.services = c.services.FieldManager(fieldManager)
	if o.Publish != nil {
		c.secrets = c.secrets.Namespace(o.Publish.Service.Namespace).FieldManager(fieldManager)
	}
	return c, nil
}
