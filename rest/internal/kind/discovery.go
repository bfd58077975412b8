package kind

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
)

// CoreVersions returns the document of /api: the versions of the core group, and the address at which clients reach the
// server.
func CoreVersions(groups []Group, serverAddress string) *apimeta.APIVersions {
	out := &apimeta.APIVersions{TypeMeta: apimeta.TypeMeta{Kind: "APIVersions"}, Versions: []string{},
		ServerAddressByClientCIDRs: []apimeta.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0",
			ServerAddress: serverAddress}}}
	for _, g := range groups {
		for _, v := range g.Versions {
			if g.Name == "" {
				out.Versions = append(out.Versions, v.Version)
			}
		}
	}
	return out
}

// GroupList returns the document of /apis: all groups except the core group.
func GroupList(groups []Group) *apimeta.APIGroupList {
	out := &apimeta.APIGroupList{TypeMeta: apimeta.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []apimeta.APIGroup{}}
	for _, g := range groups {
		if g.Name != "" {
			out.Groups = append(out.Groups, g.discovery())
		}
	}
	return out
}

// Discovery returns the document of /apis/GROUP.
func (g Group) Discovery() *apimeta.APIGroup {
	out := g.discovery()
	out.TypeMeta = apimeta.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
	return &out
}

// discovery returns the entry of a group, without the kind of the document.
func (g Group) discovery() apimeta.APIGroup {
	out := apimeta.APIGroup{Name: g.Name}
	for _, v := range g.Versions {
		out.Versions = append(out.Versions, apimeta.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

// Discovery returns the document of /api/VERSION or /apis/GROUP/VERSION, which lists the resources.
func (v Version) Discovery() *apimeta.APIResourceList {
	out := &apimeta.APIResourceList{TypeMeta: apimeta.TypeMeta{Kind: "APIResourceList"}, GroupVersion: v.String(),
		Resources: []apimeta.APIResource{}}
	if v.Group != "" {
		out.APIVersion = "v1"
	}
	for _, k := range v.Kinds {
		out.Resources = append(out.Resources,
			apimeta.APIResource{Name: k.Plural, SingularName: k.Singular, Namespaced: k.Namespaced, Kind: k.Kind, Verbs: k.Verbs,
				ShortNames: k.ShortNames, Categories: k.Categories, StorageVersionHash: k.storageVersionHash()})
		for _, s := range k.Subresources {
			sub := apimeta.APIResource{Name: k.Plural + "/" + s.Name, Namespaced: k.Namespaced, Kind: s.Kind, Verbs: s.Verbs}
			if s.GroupVersion() != v.GroupVersion {
				sub.Group, sub.Version = s.Group, s.Version
			}
			out.Resources = append(out.Resources, sub)
		}
	}
	return out
}

// storageVersionHash identifies the stored version for clients that migrate stored objects. All versions of a kind have
// the same hash. A virtual kind has no hash, and neither has a kind whose objects the server does not store.
func (k *Kind) storageVersionHash() string {
	if k.Virtual || k.Elsewhere {
		return ""
	}
	sum := sha256.Sum256([]byte(k.Stored.Group + "/" + k.Stored.Version + "/" + k.Stored.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// Aggregated returns the document of /api or /apis for clients that ask for all groups in one document (API concepts,
// API discovery). belongs selects the groups.
func Aggregated(groups []Group, belongs func(Group) bool) *apimeta.APIGroupDiscoveryList {
	out := &apimeta.APIGroupDiscoveryList{TypeMeta: apimeta.TypeMeta{Kind: "APIGroupDiscoveryList",
		APIVersion: "apidiscovery.k8s.io/v2"}, Items: []apimeta.APIGroupDiscovery{}}
	for _, g := range groups {
		if !belongs(g) {
			continue
		}
		item := apimeta.APIGroupDiscovery{Metadata: apimeta.APIGroupDiscoveryMeta{Name: g.Name}}
		for _, v := range g.Versions {
			version := apimeta.APIVersionDiscovery{Version: v.Version, Freshness: apimeta.FreshnessCurrent}
			for _, k := range v.Kinds {
				version.Resources = append(version.Resources, k.aggregated())
			}
			item.Versions = append(item.Versions, version)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// aggregated returns the entry of a kind in the aggregated document.
func (k *Kind) aggregated() apimeta.APIResourceDiscovery {
	out := apimeta.APIResourceDiscovery{Resource: k.Plural, ResponseKind: k.responseKind(k.GroupVersionKind),
		Scope: apimeta.ScopeCluster, SingularResource: k.Singular, Verbs: slices.Clone(k.Verbs), ShortNames: k.ShortNames,
		Categories: k.Categories}
	if k.Namespaced {
		out.Scope = apimeta.ScopeNamespaced
	}
	for _, s := range k.Subresources {
		out.Subresources = append(out.Subresources,
			apimeta.APISubresourceDiscovery{Subresource: s.Name, ResponseKind: k.responseKind(s.GroupVersionKind),
				Verbs: s.Verbs})
	}
	return out
}

// responseKind returns the name of a kind for the aggregated document.
func (k *Kind) responseKind(of apimeta.GroupVersionKind) *apimeta.GroupVersionKind {
	if k.BriefDiscovery && of.GroupVersion() == k.GroupVersion() {
		of.Group, of.Version = "", ""
	}
	return &of
}
