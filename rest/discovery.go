package rest

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// group is a served API group with its versions, the preferred one first.
type group struct {
	name     string
	versions []groupVersion
}

type groupVersion struct {
	apimeta.GroupVersion
	resources []*resource
}

// coreV1 is served by every API, if need be without a resource: clients look there for the kind List, in which they write
// several objects into one file.
var coreV1 = apimeta.GroupVersion{Version: "v1"}

// builtin reports whether the version is a server's own, or has kinds of the built-in dialect.
func (v groupVersion) builtin() bool {
	return v.GroupVersion == coreV1 || slices.ContainsFunc(v.resources, func(res *resource) bool { return res.byRoute })
}

func (v groupVersion) path() string { return gvPath(v.GroupVersion) }

// groupsOf sorts resources into groups: by name, versions as their names rank, resources by plural.
func groupsOf(resources []*resource) []group {
	var out []group
	version := func(gv apimeta.GroupVersion) *groupVersion {
		i := slices.IndexFunc(out, func(g group) bool { return g.name == gv.Group })
		if i < 0 {
			i = len(out)
			out = append(out, group{name: gv.Group})
		}
		g := &out[i]
		j := slices.IndexFunc(g.versions, func(v groupVersion) bool { return v.GroupVersion == gv })
		if j < 0 {
			j = len(g.versions)
			g.versions = append(g.versions, groupVersion{GroupVersion: gv})
		}
		return &g.versions[j]
	}
	version(coreV1)
	for _, res := range resources {
		v := version(res.gvk.GroupVersion())
		v.resources = append(v.resources, res)
	}
	slices.SortFunc(out, func(a, b group) int { return strings.Compare(a.name, b.name) })
	for _, g := range out {
		slices.SortFunc(g.versions, func(a, b groupVersion) int { return compareVersions(b.Version, a.Version) })
		for _, v := range g.versions {
			slices.SortFunc(v.resources, func(a, b *resource) int { return strings.Compare(a.gr.Resource, b.gr.Resource) })
		}
	}
	return out
}

func (g group) discovery() apimeta.APIGroup {
	out := apimeta.APIGroup{Name: g.name}
	for _, v := range g.versions {
		out.Versions = append(out.Versions, apimeta.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

// onlyGet refuses every method but GET, and a timeout that is none.
func (q *request) onlyGet() error {
	if q.r.Method != http.MethodGet {
		return status.MethodNotAllowed()
	}
	_, err := q.timeout()
	return err
}

// legacyGroups answers /api: the versions of the core group.
func (q *request) legacyGroups() error {
	return q.discover(func(g group) bool { return g.name == "" }, func() any {
		out := &apimeta.APIVersions{TypeMeta: apimeta.TypeMeta{Kind: "APIVersions"}, Versions: []string{}}
		for _, g := range q.api.groups {
			for _, v := range g.versions {
				if g.name == "" {
					out.Versions = append(out.Versions, v.Version)
				}
			}
		}
		out.ServerAddressByClientCIDRs = []apimeta.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: q.serverAddress()}}
		return out
	}, codec.APIVersionsMessage())
}

// serverAddress is where the client has reached the host.
func (q *request) serverAddress() string {
	if addr, ok := q.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return addr.String()
	}
	return q.r.Host
}

// groups answers /apis: all groups but the core one.
func (q *request) groups() error {
	q.unrouted = true
	return q.discover(func(g group) bool { return g.name != "" }, func() any {
		out := &apimeta.APIGroupList{TypeMeta: apimeta.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []apimeta.APIGroup{}}
		for _, g := range q.api.groups {
			if g.name != "" {
				out.Groups = append(out.Groups, g.discovery())
			}
		}
		return out
	}, codec.APIGroupListMessage())
}

// group answers /apis/GROUP.
func (q *request) group() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	q.unrouted = true
	path, _ := routePath(q.r.URL)
	for _, g := range q.api.groups {
		if "/apis/"+g.name == path {
			out := g.discovery()
			out.TypeMeta = apimeta.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			return q.writeDiscovery(&out, codec.APIGroupMessage())
		}
	}
	return q.unknownPath()
}

// groupVersion answers /api/VERSION and /apis/GROUP/VERSION: the resources.
func (q *request) groupVersion() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	path, _ := routePath(q.r.URL)
	v, ok := q.api.groupVersionAt(path)
	if !ok {
		return q.unknownPath()
	}
	q.unrouted = !v.builtin()
	out := &apimeta.APIResourceList{TypeMeta: apimeta.TypeMeta{Kind: "APIResourceList"}, GroupVersion: v.String(), Resources: []apimeta.APIResource{}}
	if v.Group != "" {
		out.APIVersion = "v1"
	}
	for _, res := range v.resources {
		out.Resources = append(out.Resources, apimeta.APIResource{Name: res.gr.Resource, SingularName: res.singular, Namespaced: res.namespaced,
			Kind: res.gvk.Kind, Verbs: verbNames(res.verbs), ShortNames: res.shortNames, Categories: res.categories,
			StorageVersionHash: res.storageVersionHash()})
		for _, s := range res.subresources {
			sub := apimeta.APIResource{Name: res.gr.Resource + "/" + s.name, Namespaced: res.namespaced, Kind: s.kind.Kind, Verbs: verbNames(s.verbs)}
			if s.kind.GroupVersion() != v.GroupVersion {
				sub.Group, sub.Version = s.kind.Group, s.kind.Version
			}
			out.Resources = append(out.Resources, sub)
		}
	}
	return q.writeDiscovery(out, codec.APIResourceListMessage())
}

// storageVersionHash tells clients that migrate objects from one stored version to the next which one it is, in the form
// that they compare: it is the same in all versions of a kind, and a virtual kind has none.
func (res *resource) storageVersionHash() string {
	if res.virtual {
		return ""
	}
	kind := res.stored.gvk
	sum := sha256.Sum256([]byte(kind.Group + "/" + kind.Version + "/" + kind.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// sortDiscovery puts what discovery lists into the order of names.
func (res *resource) sortDiscovery() {
	slices.Sort(res.verbs)
	slices.SortFunc(res.subresources, func(a, b *subresource) int { return strings.Compare(a.name, b.name) })
	for _, s := range res.subresources {
		s.verbs = slices.Sorted(slices.Values(s.verbs))
	}
}

// responseKind is a kind as the entry of the resource in the aggregated document names it.
func (res *resource) responseKind(kind apimeta.GroupVersionKind) *apimeta.GroupVersionKind {
	if res.sortedDiscovery && kind.GroupVersion() == res.gvk.GroupVersion() {
		kind.Group, kind.Version = "", ""
	}
	return &kind
}

func (a *API) groupVersionAt(path string) (groupVersion, bool) {
	for _, g := range a.groups {
		for _, v := range g.versions {
			if v.path() == path {
				return v, true
			}
		}
	}
	return groupVersion{}, false
}

func verbNames(verbs []Verb) []string {
	out := make([]string, len(verbs))
	for i, v := range verbs {
		out[i] = string(v)
	}
	return out
}

func (q *request) writeDiscovery(v any, message *codec.Message) error {
	q.wire = messageCodec{message}
	rep, err := q.negotiate(oneObject)
	if err != nil {
		return err
	}
	return q.writeOwn(http.StatusOK, rep, v)
}

// aggregatedType is the media type of the document that holds the discovery of all groups at once.
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discover answers /api and /apis, aggregated for clients that know that form (API concepts, API discovery).
func (q *request) discover(belongs func(group) bool, legacy func() any, message *codec.Message) error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	if !q.acceptsAggregated() {
		return q.writeDiscovery(legacy(), message)
	}
	body, err := codec.EncodeOwn(q.api.aggregated(belongs))
	if err != nil {
		return err
	}
	return q.writeCached(aggregatedType, body, "public")
}

func (q *request) acceptsAggregated() bool {
	for _, part := range strings.Split(strings.Join(q.r.Header["Accept"], ","), ",") {
		media, p, err := mime.ParseMediaType(part)
		if err == nil && media == mediaJSON && p["g"] == "apidiscovery.k8s.io" && p["v"] == "v2" && p["as"] == "APIGroupDiscoveryList" {
			return true
		}
	}
	return false
}

// writeCached sends a document that changes seldom, or 304 to a client that has it.
func (q *request) writeCached(media string, body []byte, cacheControl string) error {
	sum := sha512.Sum512(body)
	tag := `"` + strings.ToUpper(hex.EncodeToString(sum[:])) + `"`
	h := q.w.Header()
	h.Set("ETag", tag)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", cacheControl)
	if q.r.Header.Get("If-None-Match") == tag {
		q.wrote = true
		q.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return q.writeRaw(http.StatusOK, media, body)
}

func (a *API) aggregated(belongs func(group) bool) *apimeta.APIGroupDiscoveryList {
	out := &apimeta.APIGroupDiscoveryList{TypeMeta: apimeta.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}, Items: []apimeta.APIGroupDiscovery{}}
	for _, g := range a.groups {
		if !belongs(g) {
			continue
		}
		item := apimeta.APIGroupDiscovery{Metadata: apimeta.APIGroupDiscoveryMeta{Name: g.name}}
		for _, v := range g.versions {
			version := apimeta.APIVersionDiscovery{Version: v.Version, Freshness: apimeta.FreshnessCurrent}
			for _, res := range v.resources {
				version.Resources = append(version.Resources, res.aggregated())
			}
			item.Versions = append(item.Versions, version)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func (res *resource) aggregated() apimeta.APIResourceDiscovery {
	out := apimeta.APIResourceDiscovery{Resource: res.gr.Resource, ResponseKind: res.responseKind(res.gvk), Scope: apimeta.ScopeCluster, SingularResource: res.singular,
		Verbs: verbNames(res.verbs), ShortNames: res.shortNames, Categories: res.categories}
	if res.namespaced {
		out.Scope = apimeta.ScopeNamespaced
	}
	for _, s := range res.subresources {
		out.Subresources = append(out.Subresources, apimeta.APISubresourceDiscovery{Subresource: s.name, ResponseKind: res.responseKind(s.kind), Verbs: verbNames(s.verbs)})
	}
	return out
}

// index answers the root: the paths that are served.
func (q *request) index() error {
	if err := q.onlyGet(); err != nil {
		return err
	}
	paths := []string{"/api", "/apis", "/apis/", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}
	for _, g := range q.api.groups {
		if g.name != "" {
			paths = append(paths, "/apis/"+g.name)
		}
		for _, v := range g.versions {
			paths = append(paths, v.path())
		}
	}
	slices.Sort(paths)
	return q.writeOwn(http.StatusOK, representation{pretty: q.wantsPretty()}, map[string][]string{"paths": paths})
}
