package kind_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

func served(group, version, name, plural string) *kind.Kind {
	gvk := apimeta.GroupVersionKind{Group: group, Version: version, Kind: name}
	return &kind.Kind{GroupVersionKind: gvk, Stored: gvk, Plural: plural, Singular: plural, ListKind: name + "List",
		Verbs: []string{"get"}}
}

func TestGroupsAreSortedAndVersionsRanked(t *testing.T) {
	groups := kind.Groups([]*kind.Kind{
		served("b.example.com", "v1beta1", "B", "bs"), served("b.example.com", "v2", "B", "bs"),
		served("b.example.com", "v10", "B", "bs"),
		served("b.example.com", "v1alpha1", "B", "bs"), served("b.example.com", "nightly", "B", "bs"),
		served("b.example.com", "v1beta2", "B", "bs"),
		served("a.example.com", "v1", "Z", "zs"), served("a.example.com", "v1", "Y", "ys"),
	})
	require.Len(t, groups, 3)
	assert.Equal(t, "", groups[0].Name, "every API serves the core group: clients take the kind List from it")
	assert.Equal(t, "/api/v1", groups[0].Versions[0].Path())
	assert.Empty(t, groups[0].Versions[0].Kinds)
	assert.Equal(t, "a.example.com", groups[1].Name)
	assert.Equal(t, []string{"ys", "zs"},
		[]string{groups[1].Versions[0].Kinds[0].Plural, groups[1].Versions[0].Kinds[1].Plural})
	var versions []string
	for _, v := range groups[2].Versions {
		versions = append(versions, v.Version)
	}
	assert.Equal(t, []string{"v10", "v2", "v1beta2", "v1beta1", "v1alpha1", "nightly"}, versions)
	assert.Equal(t, "v10", groups[2].Discovery().PreferredVersion.Version)
	assert.Equal(t, "/apis/b.example.com/v10", groups[2].Versions[0].Path())
}

// A kind that is served in two groups, like Event, has two descriptions and one stored kind.
func TestAKindCanBeServedInTwoGroups(t *testing.T) {
	core, events := served("", "v1", "Event", "events"), served("events.k8s.io", "v1", "Event", "events")
	events.Stored = core.Stored
	groups := kind.Groups([]*kind.Kind{events, core})
	require.Len(t, groups, 2)
	hash := func(g kind.Group) string { return g.Versions[0].Discovery().Resources[0].StorageVersionHash }
	assert.Equal(t, hash(groups[0]), hash(groups[1]))
	assert.NotEqual(t, hash(groups[0]),
		hash(kind.Groups([]*kind.Kind{served("events.k8s.io", "v1", "Event", "events")})[1]))
}

func TestDiscoveryNamesTheKindOfASubresource(t *testing.T) {
	k := served("example.com", "v1", "Widget", "widgets")
	k.Subresources = []kind.Subresource{
		{Name: "status", GroupVersionKind: k.GroupVersionKind, OfObject: true, Verbs: []string{"get", "update"}},
		{Name: "scale", GroupVersionKind: apimeta.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
			Verbs: []string{"get"}},
	}
	list := kind.Groups([]*kind.Kind{k})[1].Versions[0].Discovery()
	require.Len(t, list.Resources, 3)
	assert.Equal(t, apimeta.APIResource{Name: "widgets/status", Kind: "Widget", Verbs: []string{"get", "update"}},
		list.Resources[1])
	assert.Equal(t, apimeta.APIResource{Name: "widgets/scale", Group: "autoscaling", Version: "v1", Kind: "Scale",
		Verbs: []string{"get"}}, list.Resources[2])
}

func TestBriefDiscoveryLeavesOutTheEntrysOwnGroup(t *testing.T) {
	brief, full := served("", "v1", "ConfigMap", "configmaps"), served("example.com", "v1", "Widget", "widgets")
	brief.BriefDiscovery = true
	all := func(kind.Group) bool { return true }
	items := kind.Aggregated(kind.Groups([]*kind.Kind{brief, full}), all).Items
	assert.Equal(t, &apimeta.GroupVersionKind{Kind: "ConfigMap"}, items[0].Versions[0].Resources[0].ResponseKind)
	assert.Equal(t, &apimeta.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
		items[1].Versions[0].Resources[0].ResponseKind)
}

func TestAVirtualKindHasNoStorageVersion(t *testing.T) {
	k := served("example.com", "v1", "Check", "checks")
	k.Virtual = true
	assert.Empty(t, kind.Groups([]*kind.Kind{k})[1].Versions[0].Discovery().Resources[0].StorageVersionHash)
}
