package seed_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/seed"
	"github.com/decorum-go/decorum/storage"
)

type Site struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SiteSpec `json:"spec"`
}

type SiteSpec struct {
	Title string `json:"title" api:"minLength=1"`
	Theme string `json:"theme,omitempty"`
}

type SiteV2 Site

func newAPI(t *testing.T, plugins ...rest.Plugin) *rest.API {
	t.Helper()
	same := func(in *SiteV2, out *Site) error { *out = Site(*in); return nil }
	back := func(in *Site, out *SiteV2) error { *out = SiteV2(*in); return nil }
	sites := rest.Resource[Site]{Group: "example.com", Version: "v1", Plural: "sites",
		Versions: []rest.VersionOf[Site]{rest.Converted(rest.Resource[SiteV2]{Version: "v2"}, same, back)}}
	api, err := rest.New(rest.Options{Plugins: plugins}, sites, builtin.Namespaces())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	return api
}

func files(texts map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range texts {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func site(t *testing.T, api *rest.API, namespace, name string) *Site {
	t.Helper()
	s, err := resttest.Client[Site](t, api).Namespace(namespace).Get(t.Context(), name)
	require.NoError(t, err)
	return s
}

var definition = apitest.ShipDefinition("{type: integer}")

func TestApply(t *testing.T) {
	api := newAPI(t, crd.New(crd.Options{}))
	objects := files(map[string]string{
		"a/ship.yaml": "apiVersion: example.com/v1\nkind: Ship\nmetadata: {name: mary, namespace: team-a}\nspec: {sails: 3}",
		"a/site.json": `{"apiVersion": "example.com/v2", "kind": "Site", "metadata": {"name": "second"}, "spec": {"title": "Second"}}`,
		"a/sites.yml": `---
# one
apiVersion: example.com/v1
kind: Site
metadata: {name: first, namespace: team-a}
spec:
  title: |
    A
    ---
    B
---
---
apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: Site, metadata: {name: third}, spec: {title: Third}}
`,
		"z/all.yaml":    definition + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n",
		"z/ignored.txt": "This is not a manifest.",
	})
	for range 2 { // the second time, nothing is left to do
		require.NoError(t, seed.Apply(t.Context(), api, objects, seed.Options{}))
	}
	first := site(t, api, "team-a", "first")
	assert.Equal(t, "A\n---\nB\n", first.Spec.Title)
	assert.Equal(t, "seed", first.ManagedFields[0].Manager)
	assert.Equal(t, "Second", site(t, api, "default", "second").Spec.Title)
	assert.Equal(t, "Third", site(t, api, "default", "third").Spec.Title)
	_, err := api.Objects().Get(t.Context(), storage.Key{Resource: "ships.example.com", Namespace: "team-a", Name: "mary"})
	require.NoError(t, err)
}

// The plug-in creates the objects while the API starts. If it cannot, the API does not start.
func TestPlugin(t *testing.T) {
	newAPI(t, crd.New(crd.Options{}), seed.New(files(map[string]string{
		"ship.yaml": definition + "---\napiVersion: example.com/v1\nkind: Ship\nmetadata: {name: mary}\nspec: {sails: 3}",
	}), seed.Options{}), rest.PluginParts{Name: "reader", Start: func(ctx context.Context, api *rest.API) error {
		_, err := api.Objects().Get(ctx, storage.Key{Resource: "ships.example.com", Namespace: "default", Name: "mary"})
		return err
	}})

	wrong := seed.New(files(map[string]string{"wrong.yaml": "apiVersion: example.com/v1\nkind: Ship\nmetadata: {name: mary}"}), seed.Options{})
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{wrong}})
	require.NoError(t, err)
	defer api.Close()
	require.ErrorContains(t, api.Start(t.Context()), "wrong.yaml")
}

func TestApplyToObjectsThatExist(t *testing.T) {
	const text = "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: first}\nspec: {title: First, theme: Dark}"
	for _, c := range []struct {
		name    string
		options seed.Options
		next    string
		title   string
		theme   string
	}{
		{"what a person has changed stays", seed.Options{}, text, "Mine", "Dark"},
		{"the files win", seed.Options{Update: true}, text, "First", "Dark"},
		{"a field that left the files is removed", seed.Options{Update: true},
			"apiVersion: example.com/v1\nkind: Site\nmetadata: {name: first}\nspec: {title: First}", "First", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newAPI(t)
			require.NoError(t, seed.Apply(t.Context(), api, files(map[string]string{"first.yaml": text}), c.options))
			_, err := resttest.Client[Site](t, api).Namespace("default").Modify(t.Context(), "first", func(s *Site) error {
				s.Spec.Title = "Mine"
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, seed.Apply(t.Context(), api, files(map[string]string{"first.yaml": c.next}), c.options))
			got := site(t, api, "default", "first")
			assert.Equal(t, SiteSpec{Title: c.title, Theme: c.theme}, got.Spec)
		})
	}
}

func TestErrorsNameTheDocument(t *testing.T) {
	const good = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n---\n"
	for _, c := range []struct{ name, text, err string }{
		{"not YAML", good + "a: [", "seed: sites.yaml: document 2: "},
		{"not an object", good + "- 1", "sites.yaml: document 2: the document is not an object"},
		{"no kind", good + "apiVersion: v1", "sites.yaml: document 2: apiVersion or kind is missing"},
		{"no name", good + "apiVersion: v1\nkind: Namespace", "sites.yaml: document 2: metadata.name is missing"},
		{"strange apiVersion", good + "apiVersion: a/b/c\nkind: D", "sites.yaml: document 2: "},
		{"kind that is not served", good + "apiVersion: v1\nkind: Pod\nmetadata: {name: a}",
			"sites.yaml: document 2: the API stores no objects of kind Pod in v1"},
		{"version that is not served", good + "apiVersion: example.com/v3\nkind: Site\nmetadata: {name: a}",
			"no objects of kind Site in example.com/v3"},
		{"invalid object", good + "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: a}\nspec: {title: ''}",
			`sites.yaml: document 2: Site.example.com "a" is invalid: spec.title`},
		{"unknown field", good + "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: a}\nspec: {title: A, colour: red}",
			"colour"},
		{"duplicate field", good + "apiVersion: v1\nkind: Namespace\nkind: Namespace", "sites.yaml: document 2: "},
		{"namespace of a cluster-scoped object", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, namespace: b}",
			"sites.yaml: document 1: metadata.namespace is set"},
		{"item of a list", "apiVersion: v1\nkind: List\nitems: [{kind: Site}]",
			"sites.yaml: document 1: items[0]: apiVersion or kind is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := seed.Apply(t.Context(), newAPI(t), files(map[string]string{"sites.yaml": c.text}), seed.Options{})
			require.ErrorContains(t, err, c.err)
		})
	}
}

// A kind may be missing for ever, such as when its definition cannot be served.
func TestWaitingForAKindEnds(t *testing.T) {
	api := newAPI(t, crd.New(crd.Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := seed.Apply(ctx, api, files(map[string]string{"a.yaml": definition}), seed.Options{})
	require.Error(t, err, "the context has ended")
	err = seed.Apply(t.Context(), api, files(map[string]string{
		"a.yaml": definition, "b.yaml": "apiVersion: example.com/v2\nkind: Ship\nmetadata: {name: mary}",
	}), seed.Options{KindTimeout: 1})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "b.yaml: document 1: the API stores no objects of kind Ship in example.com/v2")
}
