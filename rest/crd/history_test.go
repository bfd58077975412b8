package crd_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

var gearsV1 = apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "gears"}

// annotated returns the definition of gears with annotations.
func annotated(annotations string) string {
	return strings.Replace(gears, "metadata: {name: gears.example.org}",
		"metadata: {name: gears.example.org, annotations: {"+annotations+"}}", 1)
}

const keepsTwo = apiextensions.VersionsAnnotation + `: "2"`

// changeGears changes the definition of gears, and waits until the API serves it.
func changeGears(t *testing.T, api *rest.API, change func(d *apiextensions.CustomResourceDefinition)) {
	t.Helper()
	_, err := resttest.Client[apiextensions.CustomResourceDefinition](t, api).Modify(t.Context(), "gears.example.org",
		func(d *apiextensions.CustomResourceDefinition) error { change(d); return nil })
	require.NoError(t, err)
	awaitChanges(t, api)
}

func setTeeth(t *testing.T, gears rest.Client[apimeta.Document], n int64) {
	t.Helper()
	_, err := gears.Modify(t.Context(), "a", func(d *apimeta.Document) error {
		d.Content["spec"] = map[string]any{"teeth": n}
		return nil
	})
	require.NoError(t, err)
}

// createGear creates the gear "a" with 4 teeth.
func createGear(t *testing.T, gears rest.Client[apimeta.Document]) (made *apimeta.Document) {
	t.Helper()
	made, err := gears.Create(t.Context(), &apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: "a"},
		Content: map[string]any{"spec": map[string]any{"teeth": 4}}})
	require.NoError(t, err)
	return made
}

// A definition declares a history with annotations, if the host permits it.
func TestHistoryOfADefinition(t *testing.T) {
	for name, c := range map[string]struct {
		permitted   bool
		annotations string
		versions    int // the number after 5 writes; 0 without a history
	}{
		"versions":                      {true, keepsTwo, 3},
		"time":                          {true, apiextensions.ForAnnotation + `: 24h`, 5},
		"both":                          {true, keepsTwo + ", " + apiextensions.ForAnnotation + `: 24h`, 3},
		"no annotation":                 {true, "", 0},
		"not permitted":                 {false, keepsTwo, 0},
		"nonsense without a permission": {false, apiextensions.VersionsAnnotation + `: many`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			api := started(t, rest.Options{}, crd.Options{History: c.permitted})
			require.Equal(t, 201, send(t, api, "POST "+definitions, annotated(c.annotations), nil))
			await(t, api, "gears.example.org", established)
			gears := documents(t, api, gearsV1).Namespace("default")
			createGear(t, gears)
			for n := range int64(4) {
				setTeeth(t, gears, 5+n)
			}
			list, err := rest.HistoryOf(gears).List(t.Context(), "a")
			if c.versions == 0 {
				assert.True(t, status.IsNotFound(err), err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, list.Items, c.versions)
			undone, err := rest.HistoryOf(gears).Undo(t.Context(), "a", "", rest.UndoOptions{})
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"teeth": int64(7)}, undone.Content["spec"])
		})
	}
}

func TestBadAnnotationsOfAHistory(t *testing.T) {
	api := started(t, rest.Options{}, crd.Options{History: true})
	for annotation, want := range map[string]string{
		apiextensions.VersionsAnnotation + `: "0"`:   `Invalid value: "0": must be a whole number between 1 and 100`,
		apiextensions.VersionsAnnotation + `: "101"`: `Invalid value: "101": must be a whole number between 1 and 100`,
		apiextensions.VersionsAnnotation + `: many`:  `Invalid value: "many": must be a whole number between 1 and 100`,
		apiextensions.ForAnnotation + `: "-1h"`:      `Invalid value: "-1h": must be a positive duration such as 720h`,
		apiextensions.ForAnnotation + `: "30d"`:      `Invalid value: "30d": must be a positive duration such as 720h`,
	} {
		var refused struct{ Message string }
		require.Equal(t, 422, send(t, api, "POST "+definitions, annotated(annotation), &refused), annotation)
		key, _, _ := strings.Cut(annotation, ":")
		assert.Equal(t, `CustomResourceDefinition.apiextensions.k8s.io "gears.example.org" is invalid: metadata.annotations[`+
			key+"]: "+want, refused.Message)
	}
}

// A history begins and ends with its annotation, and lives on after a restart.
func TestAnnotationsOfAHistoryChange(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	api := started(t, rest.Options{Store: store}, crd.Options{History: true})
	require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
	await(t, api, "gears.example.org", established)
	gears := documents(t, api, gearsV1).Namespace("default")
	createGear(t, gears)
	setTeeth(t, gears, 5)
	annotate := func(annotations map[string]string) {
		changeGears(t, api, func(d *apiextensions.CustomResourceDefinition) { d.Annotations = annotations })
	}
	annotate(map[string]string{apiextensions.VersionsAnnotation: "2"})
	setTeeth(t, gears, 6)
	setTeeth(t, gears, 7)
	count := func() int {
		list, err := rest.HistoryOf(gears).List(t.Context(), "a")
		require.NoError(t, err)
		return len(list.Items)
	}
	assert.Equal(t, 3, count())
	require.NoError(t, api.Close())
	api = started(t, rest.Options{Store: store}, crd.Options{History: true})
	gears = documents(t, api, gearsV1).Namespace("default")
	assert.Equal(t, 3, count())
	annotate(nil)
	_, err := rest.HistoryOf(gears).List(t.Context(), "a")
	assert.True(t, status.IsNotFound(err), err)
}

// The objects of a later definition with the same name do not show the past of the earlier ones.
func TestDeletedDefinitionDeletesHistory(t *testing.T) {
	for name, keeps := range map[string]bool{"kept to the end": true, "given up before": false} {
		t.Run(name, func(t *testing.T) {
			api := started(t, rest.Options{}, crd.Options{History: true})
			require.Equal(t, 201, send(t, api, "POST "+definitions, annotated(keepsTwo), nil))
			await(t, api, "gears.example.org", established)
			gears := documents(t, api, gearsV1).Namespace("default")
			createGear(t, gears)
			setTeeth(t, gears, 5)
			if !keeps {
				changeGears(t, api, func(d *apiextensions.CustomResourceDefinition) { d.Annotations = nil })
			}
			require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/gears.example.org", "", nil))
			await(t, api, "gears.example.org", gone)
			require.Equal(t, 201, send(t, api, "POST "+definitions, annotated(keepsTwo), nil))
			await(t, api, "gears.example.org", established)
			gears = documents(t, api, gearsV1).Namespace("default")
			_, err := rest.HistoryOf(gears).List(t.Context(), "a")
			assert.True(t, status.IsNotFound(err), err)
			_, err = rest.HistoryOf(gears).Undo(t.Context(), "a", "", rest.UndoOptions{})
			assert.True(t, status.IsNotFound(err), err)
		})
	}
}

// A version from before a change of the schema or of the stored version is shown, compared and restored in the present
// form, unless the present schema refuses it.
func TestHistoryAcrossChangesOfADefinition(t *testing.T) {
	setup := func(t *testing.T) (*rest.API, rest.Client[apimeta.Document], *apimeta.Document) {
		api := started(t, rest.Options{}, crd.Options{History: true})
		require.Equal(t, 201, send(t, api, "POST "+definitions, annotated(keepsTwo), nil))
		await(t, api, "gears.example.org", established)
		gears := documents(t, api, gearsV1).Namespace("default")
		made := createGear(t, gears)
		setTeeth(t, gears, 9)
		return api, gears, made
	}
	t.Run("schema", func(t *testing.T) {
		api, gears, made := setup(t)
		changeGears(t, api, func(d *apiextensions.CustomResourceDefinition) {
			later := &apiextensions.CustomResourceValidation{}
			require.NoError(t, json.Unmarshal([]byte(`{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
				"properties":{"teeth":{"type":"integer","minimum":5},"shape":{"type":"string","default":"round"}}}}}}`), later))
			d.Spec.Versions[0].Schema = later
		})
		old, err := rest.HistoryOf(gears).At(t.Context(), "a", made.ResourceVersion)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"teeth": int64(4), "shape": "round"}, old.Content["spec"])
		for _, client := range []rest.Client[apimeta.Document]{gears.DryRun(), gears} {
			_, err = rest.HistoryOf(client).Undo(t.Context(), "a", made.ResourceVersion, rest.UndoOptions{})
			assert.True(t, status.IsInvalid(err), err)
			assert.ErrorContains(t, err, `Gear.example.org "a" is invalid: spec.teeth: Invalid value: 4: `+
				`spec.teeth in body should be greater than or equal to 5`)
		}
		list, err := rest.HistoryOf(gears).List(t.Context(), "a")
		require.NoError(t, err)
		require.Len(t, list.Items, 2, "a refused undo leaves no version")
		assert.Equal(t, []string{".spec.teeth"}, list.Items[0].Changed)
	})
	t.Run("stored version", func(t *testing.T) {
		api, _, made := setup(t)
		changeGears(t, api, func(d *apiextensions.CustomResourceDefinition) {
			later := d.Spec.Versions[0]
			later.Name, d.Spec.Versions[0].Storage = "v2", false
			d.Spec.Versions = append(d.Spec.Versions, later)
		})
		_, err := resttest.Client[apiextensions.CustomResourceDefinition](t, api).ModifyStatus(t.Context(),
			"gears.example.org", func(d *apiextensions.CustomResourceDefinition) error {
				d.Status.StoredVersions = []string{"v2"}
				return nil
			})
		require.NoError(t, err)
		changeGears(t, api, func(d *apiextensions.CustomResourceDefinition) { d.Spec.Versions = d.Spec.Versions[1:] })
		gearsV2 := gearsV1
		gearsV2.Version = "v2"
		later := documents(t, api, gearsV2).Namespace("default")
		old, err := rest.HistoryOf(later).At(t.Context(), "a", made.ResourceVersion)
		require.NoError(t, err)
		assert.Equal(t, "example.org/v2", old.APIVersion)
		difference, err := rest.HistoryOf(later).Difference(t.Context(), "a", made.ResourceVersion, "")
		require.NoError(t, err)
		assert.Equal(t, []history.FieldChange{{Path: ".spec.teeth", Old: []byte("4"), New: []byte("9")}}, difference.Changes)
		undone, err := rest.HistoryOf(later).Undo(t.Context(), "a", made.ResourceVersion, rest.UndoOptions{})
		require.NoError(t, err)
		assert.Equal(t, "example.org/v2 map[teeth:4]", fmt.Sprint(undone.APIVersion, " ", undone.Content["spec"]))
	})
}
