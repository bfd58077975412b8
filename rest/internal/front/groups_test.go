package front_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// oldCogs is the path of CogV1beta1 in the group old.example.com.
const oldCogs = "/apis/old.example.com/v1/namespaces/default/cogs"

// inTwoGroups serves Cog as v1 of example.com and, as CogV1beta1, as v1 of old.example.com.
func inTwoGroups(r *rest.Resource[apitest.Cog]) {
	old := apitest.BetaCogResource()
	old.Group, old.Version, old.Stage = "old.example.com", "v1", rest.Stage{}
	r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(old, apitest.CogToV1, apitest.CogFromV1)}
}

func oldCogBody(spec string) string {
	return `{"apiVersion":"old.example.com/v1","kind":"Cog","metadata":{"name":"a"},"spec":` + spec + `}`
}

func TestAKindInTwoGroupsIsOneKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewCogs(t, inTwoGroups)
		here, there := apitest.OpenWatch(t, api, apitest.Cogs+"?watch=1&resourceVersion=1"),
			apitest.OpenWatch(t, api, oldCogs+"?watch=1&resourceVersion=1&fieldSelector=spec.metal%3Dtin")

		written := apitest.Must(t, api, "POST", oldCogs, oldCogBody(`{"toothCount":12,"metal":"tin"}`))
		assert.Equal(t, "old.example.com/v1", written.Text(t, "apiVersion"))
		read := apitest.Must(t, api, "GET", apitest.Cogs+"/a", "")
		assert.Equal(t, "example.com/v1 tin", read.Text(t, "apiVersion")+" "+read.Text(t, "spec.material"))
		assert.Equal(t, written.Text(t, "metadata.uid")+written.ResourceVersion(t),
			read.Text(t, "metadata.uid")+read.ResourceVersion(t))
		here.Want(apitest.Event("ADDED", apitest.StoredCog{Spec: `{"teeth":12,"material":"tin"}`}.String()))
		added := there.Events()
		require.Len(t, added, 1)
		assert.Contains(t, added[0], `"apiVersion":"old.example.com/v1"`)

		exists := apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":5}`))
		assert.Equal(t, `cogs.example.com "a" already exists`, exists.Text(t, "message"))
		exists = apitest.Do(t, api, "POST", oldCogs, oldCogBody(`{"toothCount":5}`))
		assert.Equal(t, `cogs.example.com "a" already exists`, exists.Text(t, "message"))

		applied := apitest.Must(t, api, "PATCH", apitest.Cogs+"/a?fieldManager=m",
			`{"apiVersion":"example.com/v1","kind":"Cog","spec":{"note":"oil me"},"metadata":{"name":"a"}}`, "Content-Type",
			apitest.TypeApply)
		assert.Equal(t, "example.com/v1", applied.Text(t, "metadata.managedFields.0.apiVersion"))
		assert.Equal(t, "old.example.com/v1", applied.Text(t, "metadata.managedFields.1.apiVersion"))
		conflict := apitest.Do(t, api, "PATCH", apitest.Cogs+"/a?fieldManager=m",
			`{"apiVersion":"example.com/v1","kind":"Cog","spec":{"material":"wax"},"metadata":{"name":"a"}}`, "Content-Type",
			apitest.TypeApply)
		assert.Equal(t, `Apply failed with 1 conflict: conflict with "unknown" using old.example.com/v1: .spec.metal`,
			conflict.Text(t, "message"))

		apitest.Must(t, api, "POST", apitest.Cogs,
			`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"b"},"spec":{"teeth":3}}`)
		page := apitest.Must(t, api, "GET", apitest.Cogs+"?limit=1", "")
		next := apitest.Must(t, api, "GET", oldCogs+"?limit=1&continue="+page.Text(t, "metadata.continue"), "")
		assert.Equal(t, []string{"b"}, next.Names(t), "a continue token is valid in both groups")

		apitest.Must(t, api, "DELETE", oldCogs+"/a", "")
		gone := apitest.Do(t, api, "GET", oldCogs+"/a", "")
		assert.Equal(t, `cogs.example.com "a" not found`, gone.Text(t, "message"))
		gone = apitest.Do(t, api, "GET", apitest.Cogs+"/a", "")
		assert.Equal(t, `cogs.example.com "a" not found`, gone.Text(t, "message"))

		resources := api.Objects().Resources()
		require.Len(t, resources, 1)
		assert.Equal(t, "cogs.example.com", resources[0].Name)
		assert.Equal(t, []apimeta.GroupVersionKind{{Group: "example.com", Version: "v1", Kind: "Cog"},
			{Group: "old.example.com", Version: "v1", Kind: "Cog"}}, resources[0].Kinds)
	})
}

func TestDiscoveryOfAKindInTwoGroups(t *testing.T) {
	api := apitest.NewCogs(t, inTwoGroups)
	for _, group := range []string{"example.com", "old.example.com"} {
		list := apitest.Must(t, api, "GET", "/apis/"+group+"/v1", "")
		assert.Equal(t, "cogs Cog", list.Text(t, "resources.0.name")+" "+list.Text(t, "resources.0.kind"))
		assert.Equal(t, hashOf("example.com/v1/Cog"), list.Text(t, "resources.0.storageVersionHash"))
		assert.Contains(t, apitest.Must(t, api, "GET", "/openapi/v3/apis/"+group+"/v1", "").Body,
			"/apis/"+group+"/v1/namespaces/{namespace}/cogs/{name}")
	}
}

// An error about an object names the group in which the API stores it. An error about a conversion names both.
func TestErrorsNameTheGroupOfTheStoredVersion(t *testing.T) {
	api := apitest.NewCogs(t, inTwoGroups)
	failed := apitest.Do(t, api, "POST", oldCogs, oldCogBody(`{"toothCount":3,"metal":"unobtainium"}`))
	assert.Equal(t,
		`Internal error occurred: conversion of Cog.old.example.com "a" from old.example.com/v1 to example.com/v1 failed: nobody has unobtainium`,
		failed.Text(t, "message"))

	prime := apitest.NewCogs(t, inTwoGroups, func(r *rest.Resource[apitest.Cog]) {
		r.Hooks.Validate = func(_ context.Context, c, _ *apitest.Cog) status.FieldErrors {
			return status.FieldErrors{status.InvalidField(status.Field("spec", "teeth"), c.Spec.Teeth, "must be prime")}
		}
	})
	invalid := apitest.Do(t, prime, "POST", oldCogs, oldCogBody(`{"toothCount":4}`))
	assert.Equal(t, `Cog.example.com "a" is invalid: in example.com/v1: spec.teeth: Invalid value: 4: must be prime`,
		invalid.Text(t, "message"))
}

// An admission hook that names a kind in one group also sees writes in its other groups, like matchPolicy: Equivalent
// in Kubernetes.
func TestAHookSeesAKindInBothGroups(t *testing.T) {
	for _, name := range []string{"cogs.example.com", "cogs.old.example.com"} {
		hook := admission.Hook{Name: "m", Resources: []string{name},
			Validate: func(_ context.Context, r *admission.Request) error {
				return errors.New("a hook of " + name + " refuses " + r.Resource.Group)
			}}
		api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, apitest.CogResource(inTwoGroups))
		assert.Contains(t, apitest.Do(t, api, "POST", apitest.Cogs, apitest.CogBody(`{"teeth":5}`)).Text(t, "message"),
			"a hook of "+name+" refuses example.com")
		assert.Contains(t, apitest.Do(t, api, "POST", oldCogs, oldCogBody(`{"toothCount":5}`)).Text(t, "message"),
			"a hook of "+name+" refuses old.example.com")
	}
}

func TestInvalidGroupDeclarations(t *testing.T) {
	other := rest.Resource[apitest.Widget]{Group: "old.example.com", Version: "v2", Plural: "cogs"}
	_, err := rest.New(rest.Options{}, apitest.CogResource(inTwoGroups), other)
	assert.EqualError(t, err, `rest.New: kind "Widget": kind "Cog" of the same group already has the name "cogs"`)

	_, err = rest.New(rest.Options{},
		apitest.CogResource(inTwoGroups,
			func(r *rest.Resource[apitest.Cog]) { r.Versions = append(r.Versions, r.Versions[0]) }))
	assert.EqualError(t, err, `rest.New: kind "Cog": Versions: "old.example.com/v1" is declared twice`)
}
