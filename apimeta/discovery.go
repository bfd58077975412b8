package apimeta

// APIVersions answers /api: the versions of the core group.
type APIVersions struct {
	TypeMeta `json:",inline"`
	// Versions are those the server serves, preferred first.
	Versions []string `json:"versions"`
	// ServerAddressByClientCIDRs tells a client where to reach the server.
	ServerAddressByClientCIDRs []ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs"`
}

// ServerAddressByClientCIDR is the address for clients from one network.
type ServerAddressByClientCIDR struct {
	// ClientCIDR is the network, "0.0.0.0/0" for every client.
	ClientCIDR string `json:"clientCIDR"`
	// ServerAddress is a host or host:port.
	ServerAddress string `json:"serverAddress"`
}

// APIGroupList answers /apis: every group but the core one.
type APIGroupList struct {
	TypeMeta `json:",inline"`
	Groups   []APIGroup `json:"groups"`
}

// APIGroup is a group with its versions. Alone it answers /apis/{group}.
type APIGroup struct {
	TypeMeta `json:",inline"`
	Name     string `json:"name"`
	// Versions are those the server serves, in the order of preference.
	Versions []GroupVersionForDiscovery `json:"versions"`
	// PreferredVersion is the version for a client that has no preference of its
	// own.
	PreferredVersion GroupVersionForDiscovery `json:"preferredVersion"`
	// ServerAddressByClientCIDRs tells a client where to reach the group.
	ServerAddressByClientCIDRs []ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs,omitempty"`
}

// GroupVersionForDiscovery names a version in two forms, so that a client need
// not split strings.
type GroupVersionForDiscovery struct {
	// GroupVersion is "group/version".
	GroupVersion string `json:"groupVersion"`
	// Version is the version alone.
	Version string `json:"version"`
}

// APIResourceList answers /api/{version} and /apis/{group}/{version}. A program reads it to learn which resources a
// server has in one version.
type APIResourceList struct {
	TypeMeta `json:",inline"`
	// GroupVersion is "group/version", or the version of the core group.
	GroupVersion string `json:"groupVersion"`
	// Resources names resources and, as "resource/name", their subresources.
	Resources []APIResource `json:"resources"`
}

// APIResource describes one resource or subresource in one version.
type APIResource struct {
	// Name is the lower-case plural, or "plural/subresource" for a subresource.
	Name string `json:"name"`
	// SingularName is the lower-case singular, empty for a subresource.
	SingularName string `json:"singularName"`
	// Namespaced reports whether objects of the resource belong to namespaces.
	Namespaced bool `json:"namespaced"`
	// Group and Version are those of Kind, if they differ from the list's.
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
	// Kind is the kind that is read and written here.
	Kind string `json:"kind"`
	// Verbs are the supported ones: create, delete, deletecollection, get, list,
	// patch, update, watch.
	Verbs []string `json:"verbs"`
	// ShortNames are the abbreviations that command lines accept.
	ShortNames []string `json:"shortNames,omitempty"`
	// Categories are the named sets of resources, such as "all", to which it belongs.
	Categories []string `json:"categories,omitempty"`
	// StorageVersionHash changes when the version in which objects are stored does.
	StorageVersionHash string `json:"storageVersionHash,omitempty"`
}

// The two scopes of an [APIResourceDiscovery].
const (
	ScopeNamespaced = "Namespaced"
	ScopeCluster    = "Cluster"
)

// The two values of [APIVersionDiscovery.Freshness].
const (
	FreshnessCurrent = "Current" // the entry is up to date
	FreshnessStale   = "Stale"   // the server could not update the entry
)

// APIGroupDiscoveryList is the aggregated discovery document: every group with
// every version and resource in one answer. Its apiVersion is
// "apidiscovery.k8s.io/v2".
type APIGroupDiscoveryList struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata"`
	Items    []APIGroupDiscovery `json:"items"`
}

// APIGroupDiscovery is one group of an [APIGroupDiscoveryList], with all resources of all its versions.
type APIGroupDiscovery struct {
	TypeMeta `json:",inline"`
	// Metadata holds the name of the group. It is empty for the core group.
	Metadata APIGroupDiscoveryMeta `json:"metadata"`
	// Versions are in the order of preference.
	Versions []APIVersionDiscovery `json:"versions,omitempty"`
}

// APIGroupDiscoveryMeta is the only part of an [ObjectMeta] that discovery uses.
type APIGroupDiscoveryMeta struct {
	Name string `json:"name,omitempty"`
}

// APIVersionDiscovery is one version of an [APIGroupDiscovery], with the resources that the server has in it.
type APIVersionDiscovery struct {
	Version string `json:"version"`
	// Resources are sorted by name.
	Resources []APIResourceDiscovery `json:"resources,omitempty"`
	// Freshness is one of the Freshness constants.
	Freshness string `json:"freshness,omitempty"`
}

// APIResourceDiscovery describes one resource in an [APIVersionDiscovery]: its names, its kind and its verbs.
type APIResourceDiscovery struct {
	// Resource is the lower-case plural.
	Resource string `json:"resource"`
	// ResponseKind is the kind that is read and written. If its group or version is
	// empty, that of the enclosing entry counts. Clients ignore a resource without
	// ResponseKind.
	ResponseKind *GroupVersionKind `json:"responseKind,omitempty"`
	// Scope is one of the Scope constants.
	Scope string `json:"scope"`
	// SingularResource is the lower-case singular.
	SingularResource string `json:"singularResource"`
	// Verbs are the supported ones.
	Verbs []string `json:"verbs"`
	// ShortNames are the abbreviations that command lines accept.
	ShortNames []string `json:"shortNames,omitempty"`
	// Categories are the named sets of resources, such as "all", to which it belongs.
	Categories []string `json:"categories,omitempty"`
	// Subresources are those of this resource.
	Subresources []APISubresourceDiscovery `json:"subresources,omitempty"`
}

// APISubresourceDiscovery describes one subresource of an [APIResourceDiscovery]: its name, its kind and its verbs.
type APISubresourceDiscovery struct {
	// Subresource is its name, without the resource.
	Subresource string `json:"subresource"`
	// ResponseKind is the kind that is read and written, or nil for a subresource
	// without a kind.
	ResponseKind *GroupVersionKind `json:"responseKind,omitempty"`
	// AcceptedTypes are the kinds that the subresource accepts as input beside
	// ResponseKind.
	AcceptedTypes []GroupVersionKind `json:"acceptedTypes,omitempty"`
	// Verbs are the supported ones.
	Verbs []string `json:"verbs"`
}
