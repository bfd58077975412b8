package e2e_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	decorum "github.com/decorum-go/decorum/rest"
)

// shelf is the stored version of a kind, betaShelf an older one.
type shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Millimeters int32  `json:"millimeters" api:"min=1,doc='How wide it is.'"`
		Material    string `json:"material,omitempty" api:"default=oak,doc='What it is made of.'"`
	} `json:"spec" api:"doc='What is wanted.'"`
	Status struct {
		Books int32 `json:"books,omitempty" api:"doc='How many books stand there.'"`
	} `json:"status,omitzero" api:"doc='What there is.'"`
}

type betaShelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Centimeters int32  `json:"centimeters" api:"min=1,doc='How wide it is, roughly.'"`
		Wood        string `json:"wood,omitempty" api:"default=pine,doc='Which wood it is made of.'"`
	} `json:"spec" api:"doc='What is wanted.'"`
	Status struct {
		Volumes int32 `json:"volumes,omitempty" api:"doc='How many volumes stand there.'"`
	} `json:"status,omitzero" api:"doc='What there is.'"`
}

// shelfServer returns a server of both versions, with a kubectl.
func shelfServer(t *testing.T, k *kubectl) *server {
	t.Helper()
	api, err := decorum.New(decorum.Options{}, decorum.Resource[shelf]{
		Group: "example.com", Version: "v1", Plural: "shelves", Names: decorum.Names{Kind: "Shelf"},
		Description:      "Shelf holds books.",
		Columns:          []decorum.Column{{Name: "Width", Type: "integer", Path: ".spec.millimeters"}},
		SelectableFields: []string{"spec.material"},
		Scale:            &decorum.Scale{SpecReplicas: ".spec.millimeters", StatusReplicas: ".status.books"},
		Versions: []decorum.VersionOf[shelf]{decorum.Converted(decorum.Resource[betaShelf]{
			Version: "v1beta1", Stage: decorum.Stage{Deprecated: true}, Description: "Shelf holds volumes.",
			Columns:          []decorum.Column{{Name: "Centimeters", Type: "integer", Path: ".spec.centimeters"}},
			SelectableFields: []string{"spec.wood"},
		}, func(in *betaShelf, out *shelf) error {
			out.Spec.Millimeters, out.Spec.Material = 10*in.Spec.Centimeters, in.Spec.Wood
			out.Status.Books = in.Status.Volumes
			return nil
		}, func(in *shelf, out *betaShelf) error {
			if in.Spec.Material == "glass" {
				return errors.New("no wood")
			}
			out.Spec.Centimeters, out.Spec.Wood = in.Spec.Millimeters/10, in.Spec.Material
			out.Status.Volumes = in.Status.Books
			return nil
		})},
	})
	require.NoError(t, err)
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close())
		web.Close()
	})
	return &server{url: web.URL, kubectl: k, home: t.TempDir()}
}

const betaShelfManifest = `---
apiVersion: example.com/v1beta1
kind: Shelf
metadata: {name: one}
spec: {centimeters: 80}
`

func TestVersions(t *testing.T) {
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			t.Parallel()
			s := shelfServer(t, k)
			assertLine(t, s.run(t, "api-resources"), "shelves", "example.com/v1", "true", "Shelf")
			assert.Contains(t, s.run(t, "api-versions"), "example.com/v1\nexample.com/v1beta1\n")

			for version, fields := range map[string][]string{"v1": {"millimeters", "material", "books"},
				"v1beta1": {"centimeters", "wood", "volumes"}} {
				all := s.run(t, "explain", "shelves", "--recursive", "--api-version=example.com/"+version)
				assertLine(t, all, "VERSION:", version)
				for _, field := range fields {
					assertLine(t, all, field)
				}
			}
			assert.Contains(t, s.run(t, "explain", "shelves.spec.wood", "--api-version=example.com/v1beta1"), "Which wood")
			assert.Contains(t, s.run(t, "explain", "shelves"), "Shelf holds books",
				"without a version, kubectl uses the preferred one")

			table, _ := s.background(t, "get", "shelves.v1beta1.example.com", "-w", "--output-watch-events")
			stored, _ := s.background(t, "get", "shelves", "-w", "-o", `jsonpath={.spec.millimeters} {.spec.material}{"\n"}`)
			out, warning, err := s.try(t, betaShelfManifest, "apply", "-f", "-")
			require.NoError(t, err, warning)
			assert.Equal(t, "shelf.example.com/one created\n", out)
			assert.Contains(t, warning, "Warning: example.com/v1beta1 Shelf is deprecated")
			await(t, table, "ADDED", "one", "80")
			await(t, stored, "800", "pine")
			assert.Equal(t, "shelf.example.com/one unchanged\n", s.feed(t, betaShelfManifest, "apply", "-f", "-"))

			s.run(t, "patch", "shelves", "one", "--type=merge", "-p", `{"spec":{"millimeters":905}}`)
			await(t, table, "MODIFIED", "one", "90")
			assertLine(t, s.run(t, "get", "shelves"), "one", "905")
			assertLine(t, s.run(t, "get", "shelves.v1beta1.example.com"), "one", "90")
			assert.Equal(t, "one", s.run(t, "get", "shelves.v1beta1.example.com", "--field-selector=spec.wood=pine", "-o",
				"jsonpath={.items[*].metadata.name}"))
			assert.Equal(t, "example.com/v1beta1 90",
				s.run(t, "get", "shelves.v1beta1.example.com", "one", "-o", "jsonpath={.apiVersion} {.spec.centimeters}"))
			assert.Contains(t, s.run(t, "describe", "shelves.v1beta1.example.com", "one"), "Centimeters:")

			s.run(t, "scale", "--replicas=1000", "shelves/one")
			await(t, table, "MODIFIED", "one", "100")
			s.edits(t, "s/wood: pine/wood: ash/")
			s.run(t, "edit", "shelves.v1beta1.example.com", "one")
			await(t, stored, "1000", "ash")
			s.run(t, "delete", "shelves.v1beta1.example.com", "one")
			await(t, table, "DELETED", "one")

			s.feed(t, "apiVersion: example.com/v1\nkind: Shelf\nmetadata: {name: pane}\nspec: {millimeters: 5, material: glass}",
				"create", "-f", "-")
			assert.Contains(t, s.refused(t, "", "get", "shelves.v1beta1.example.com"),
				`conversion of Shelf.example.com "pane" from v1 to v1beta1 failed`)
		})
	}
}
