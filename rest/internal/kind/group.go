package kind

import (
	"slices"
	"sort"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// Group is an API group with its versions, the preferred one first.
type Group struct {
	Name     string
	Versions []Version
}

// Version is a version of a group with the kinds that it serves, sorted by plural.
type Version struct {
	apimeta.GroupVersion
	Kinds []*Kind
}

// coreV1 is a version that every API serves, even without a kind: clients use its kind List for what they print and
// read back.
var coreV1 = apimeta.GroupVersion{Version: "v1"}

// Path returns the path below which the version is served.
func (v Version) Path() string { return Path(v.GroupVersion) }

// RouteChecks reports whether the route of the version's own document refuses unsupported media types. It does so in
// the core group, and if one of the kinds has RouteChecks.
func (v Version) RouteChecks() bool {
	return v.Group == "" || slices.ContainsFunc(v.Kinds, func(k *Kind) bool { return k.RouteChecks })
}

// Groups returns the groups of the kinds, sorted by name. It sorts the versions of a group by preference (API
// conventions, API versioning).
func Groups(kinds []*Kind) []Group {
	var out []Group
	version := func(gv apimeta.GroupVersion) *Version {
		i := slices.IndexFunc(out, func(g Group) bool { return g.Name == gv.Group })
		if i < 0 {
			i = len(out)
			out = append(out, Group{Name: gv.Group})
		}
		g := &out[i]
		j := slices.IndexFunc(g.Versions, func(v Version) bool { return v.GroupVersion == gv })
		if j < 0 {
			j = len(g.Versions)
			g.Versions = append(g.Versions, Version{GroupVersion: gv})
		}
		return &g.Versions[j]
	}
	version(coreV1)
	for _, k := range kinds {
		v := version(k.GroupVersion())
		v.Kinds = append(v.Kinds, k)
	}
	// For each type of elements, slices.SortFunc would add twelve kilobytes to every host.
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	for _, g := range out {
		sort.Slice(g.Versions, func(i, j int) bool {
			return apimeta.CompareVersions(g.Versions[j].Version, g.Versions[i].Version) < 0
		})
		for _, v := range g.Versions {
			slices.SortFunc(v.Kinds, func(a, b *Kind) int { return strings.Compare(a.Plural, b.Plural) })
		}
	}
	return out
}

// VersionAt returns the version of a group whose path this is.
func VersionAt(groups []Group, path string) (Version, bool) {
	for _, g := range groups {
		for _, v := range g.Versions {
			if v.Path() == path {
				return v, true
			}
		}
	}
	return Version{}, false
}

// Paths returns the paths of the groups and of their versions.
func Paths(groups []Group) (paths []string) {
	for _, g := range groups {
		if g.Name != "" {
			paths = append(paths, "/apis/"+g.Name)
		}
		for _, v := range g.Versions {
			paths = append(paths, v.Path())
		}
	}
	return paths
}

// InGroup reports whether a path is below that of a group.
func InGroup(groups []Group, path string) bool {
	return slices.ContainsFunc(groups, func(g Group) bool {
		if g.Name == "" {
			return strings.HasPrefix(path, "/api/")
		}
		return strings.HasPrefix(path, "/apis/"+g.Name+"/")
	})
}
