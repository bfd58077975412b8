package write_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func admittedDisks(t testing.TB, hooks ...admission.Hook) *rest.API {
	return apitest.New(t, rest.Options{Admission: hooks}, diskResource())
}

// A hook that knows one version of a kind sees and changes objects in that version, whatever they are written in.
func TestHookSeesObjectsInItsVersion(t *testing.T) {
	atLeastTen := func(_ context.Context, r *admission.Request) error {
		var d Disk
		if err := r.Object(&d); err != nil {
			return err
		}
		if d.Spec.SizeGB == 0 {
			d.Spec.SizeGB = 10
		}
		if d.Spec.Tier == "" {
			d.Spec.Tier = "cold"
		}
		return r.SetObject(&d)
	}
	for _, c := range []struct {
		name         string
		hook         apitest.AdmissionFunc
		shown, known map[string]any // the spec as v1beta1 shows it and as v1 does
	}{
		{"the stored one, by its type", atLeastTen,
			map[string]any{"sizeMB": 2048.0, "media": "ssd", "replicas": 1.0},
			map[string]any{"sizeGB": 2.0, "class": "ssd", "replicas": 1.0, "tier": "cold"}},
		{"the stored one, as a map", func(_ context.Context, r *admission.Request) error {
			d := map[string]any{}
			if err := r.Object(&d); err != nil {
				return err
			}
			spec := d["spec"].(map[string]any)
			if fmt.Sprint(spec["sizeGB"]) != "2" {
				return fmt.Errorf("sees %v", spec)
			}
			spec["tier"], spec["sizeGB"] = "hot", 3
			return r.SetObject(d)
		}, map[string]any{"sizeMB": 3072.0, "media": "ssd", "replicas": 1.0},
			map[string]any{"sizeGB": 3.0, "class": "ssd", "replicas": 1.0, "tier": "hot"}},
		{"the stored one, by a patch", patching(`{"spec":{"sizeGB":4,"tier":"hot"}}`),
			map[string]any{"sizeMB": 4096.0, "media": "ssd", "replicas": 1.0},
			map[string]any{"sizeGB": 4.0, "class": "ssd", "replicas": 1.0, "tier": "hot"}},
		{"that of the request, by its type", func(_ context.Context, r *admission.Request) error {
			var d DiskV1beta1
			if err := r.Object(&d); err != nil {
				return err
			}
			d.Spec.SizeMB *= 2
			return r.SetObject(d)
		}, map[string]any{"sizeMB": 4096.0, "media": "ssd", "replicas": 1.0},
			map[string]any{"sizeGB": 4.0, "class": "ssd", "replicas": 1.0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := admittedDisks(t, apitest.Mutating("m", c.hook))
			made := apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":2048}`))
			require.Equal(t, 201, made.Code, made.Body)
			assert.Equal(t, c.shown, made.Value(t, "spec"))
			assert.Equal(t, c.known, apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec"))
		})
	}
	t.Run("a third one", func(t *testing.T) {
		hook := apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
			var c apitest.CogV1beta1
			if err := r.Object(&c); err != nil {
				return err
			}
			if c.APIVersion != "example.com/v1beta1" {
				return errors.New("sees " + c.APIVersion)
			}
			c.Spec.ToothCount++
			c.Spec.Oiled = true
			return r.SetObject(&c)
		})
		api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, apitest.CogResource())
		made := apitest.Do(t, api, "POST", apitest.AlphaCogs,
			`{"apiVersion":"example.com/v1alpha1","kind":"Cog","metadata":{"name":"a"},"spec":{"teeth":3}}`)
		require.Equal(t, 201, made.Code, made.Body)
		assert.Equal(t, map[string]any{"teeth": 4.0}, made.Value(t, "spec"))
		stored := apitest.Do(t, api, "GET", apitest.Cogs+"/a", "")
		assert.Equal(t, map[string]any{"teeth": 4.0, "material": "steel"}, stored.Value(t, "spec"))
		assert.Equal(t, "true", stored.Value(t, "metadata.annotations").(map[string]any)[apitest.CogOiled])
	})
}

// What a hook has changed in the stored version comes through an update in a version that has no words for it, and so
// does what was there before.
func TestHookKeepsFieldsThatTheRequestVersionLacks(t *testing.T) {
	seen := 0
	hooks := []admission.Hook{apitest.Mutating("first", func(_ context.Context, r *admission.Request) error {
		var d, old Disk
		if err := r.Object(&d); err != nil {
			return err
		}
		if r.Operation == admission.Update {
			if err := r.OldObject(&old); err != nil {
				return err
			}
			if old.Spec.Tier != d.Spec.Tier || old.Spec.Tier == "" {
				return fmt.Errorf("the tier was %q and is %q", old.Spec.Tier, d.Spec.Tier)
			}
		}
		return nil
	}), apitest.Mutating("second", func(_ context.Context, r *admission.Request) error {
		var d Disk
		if err := r.Object(&d); err != nil {
			return err
		}
		if d.Labels["freeze"] != "" {
			return r.Patch(apimeta.MergePatch,
				[]byte(`{"metadata":{"annotations":{"example.com/was":"`+d.Spec.Tier+`"}},"spec":{"note":"ice"}}`))
		}
		return nil
	}), apitest.Mutating("last", func(_ context.Context, r *admission.Request) error {
		var d Disk
		if err := r.Object(&d); err != nil {
			return err
		}
		if d.Spec.Note == "ice" {
			seen++
		}
		return nil
	}), apitest.Validating("v", func(_ context.Context, r *admission.Request) error {
		var d Disk
		var beta DiskV1beta1
		if err := errors.Join(r.Object(&d), r.Object(&beta)); err != nil {
			return err
		}
		if d.Spec.Tier == "" || beta.Spec.SizeMB != 1024*d.Spec.SizeGB || d.Spec.Note != beta.Spec.Note {
			return fmt.Errorf("sees %v and %v", d.Spec, beta.Spec)
		}
		return nil
	})}
	for i := range hooks {
		hooks[i].Resources = []string{"disks.example.com", "disks.example.com/status"}
	}
	api := admittedDisks(t, hooks...)
	require.Equal(t, 201, apitest.Do(t, api, "POST", disks,
		diskBody("v1", "", `{"sizeGB":5,"tier":"frozen","mounts":[{"name":"m","path":"/m"}]}`)).Code)
	a := apitest.MergePatch(t, api, betaDisks+"/a", `{"metadata":{"labels":{"freeze":"yes"}},"spec":{"replicas":2}}`)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, 1, seen)
	stored := apitest.Do(t, api, "GET", disks+"/a", "")
	assert.Equal(t, map[string]any{"sizeGB": 5.0, "class": "ssd", "replicas": 2.0, "tier": "frozen", "note": "ice",
		"mounts": []any{map[string]any{"name": "m", "path": "/m"}}}, stored.Value(t, "spec"))
	assert.Equal(t, map[string]any{"example.com/was": "frozen"}, stored.Value(t, "metadata.annotations"))
	for _, write := range []func() apitest.Answer{
		func() apitest.Answer {
			return apitest.MergePatch(t, api, betaDisks+"/a/status", `{"status":{"state":"Ready"}}`)
		},
		func() apitest.Answer {
			return apitest.MergePatch(t, api, betaDisks+"/a/scale", `{"spec":{"replicas":3}}`)
		},
		func() apitest.Answer {
			return apitest.Do(t, api, "PATCH", betaDisks+"/a?fieldManager=m&force=true",
				diskBody("v1beta1", "", `{"sizeMB":6144}`), "Content-Type", apitest.TypeApply)
		},
	} {
		a := write()
		require.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, "frozen", apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec.tier"))
	}
}

// The policy holds in each version.
func TestPolicyHoldsInEachVersion(t *testing.T) {
	limit := func(_ context.Context, r *admission.Request) error {
		var part struct {
			Spec struct {
				SizeGB int `json:"sizeGB"`
			} `json:"spec"`
		}
		read := r.Object
		if r.Operation == admission.Delete {
			read = r.OldObject
		}
		if err := read(&part); err != nil {
			return err
		}
		if part.Spec.SizeGB > 50 && r.Operation != admission.Delete ||
			part.Spec.SizeGB == 7 && r.Operation == admission.Delete {
			return fmt.Errorf("%s.%s in %s of %d GB", r.Kind.Kind, r.Kind.Version, r.Resource.Version, part.Spec.SizeGB)
		}
		return nil
	}
	api := admittedDisks(t, apitest.Validating("v", limit))
	require.Equal(t, 201, apitest.Do(t, api, "POST", disks, diskBody("v1", "", `{"sizeGB":7}`)).Code)
	const refused = `disks.example.com "a" is forbidden: Disk.v1 in v1beta1 of `
	for _, c := range []struct {
		a    apitest.Answer
		want string
	}{
		{apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":61440}}`), refused + "60 GB"},
		{apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":61440}`)), refused + "60 GB"},
		{apitest.Do(t, api, "DELETE", betaDisks+"/a", ""), refused + "7 GB"},
		{apitest.Do(t, api, "DELETE", betaDisks, ""), refused + "7 GB"},
	} {
		assert.Equal(t, 403, c.a.Code, c.a.Body)
		assert.Equal(t, c.want, c.a.Text(t, "message"))
	}
}

// A hook that decodes nothing costs no conversion, and one that decodes what cannot be converted is told so.
func TestHookAfterAFailedConversion(t *testing.T) {
	look := false
	hook := apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
		if !look {
			return nil
		}
		return r.Object(new(apitest.Cog))
	})
	converted := 0
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}},
		apitest.CogResource(func(r *rest.Resource[apitest.Cog]) {
			r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(apitest.BetaCogResource(),
				func(in *apitest.CogV1beta1, out *apitest.Cog) error {
					converted++
					return apitest.CogToV1(in, out)
				}, apitest.CogFromV1)}
		}))
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":5}`)).Code)
	assert.Equal(t, 1, converted)
	look = true
	a := apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":5,"metal":"unobtainium"}`))
	assert.Equal(t, 500, a.Code)
	assert.Equal(t, `Internal error occurred: conversion of Cog.example.com "a" from v1beta1 to v1 failed: nobody has unobtainium`, a.Text(t, "message"))
	converted = 0
	require.Equal(t, 409, apitest.Do(t, api, "POST", apitest.BetaCogs, apitest.BetaCogBody(`{"toothCount":5}`)).Code)
	assert.Equal(t, 2, converted, "what a hook has seen is not converted again for the next")
}

// A hook cannot reach the metadata of the server, nor the status, by way of another version.
func TestHookInAnotherVersionReachesNoFurther(t *testing.T) {
	api := admittedDisks(t, apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
		var d Disk
		if err := r.Object(&d); err != nil {
			return err
		}
		d.Name, d.UID, d.Generation, d.Status.Phase = "b", "mine", 99, "Ready"
		if r.Subresource == "status" {
			d.Status.Phase, d.Spec.Tier = "Pending", "hot"
		}
		return r.SetObject(&d)
	}))
	made := apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":2048}`))
	require.Equal(t, 201, made.Code, made.Body)
	assert.Equal(t, "a", made.Value(t, "metadata.name"))
	assert.Equal(t, "uid-1", made.Value(t, "metadata.uid"))
	assert.EqualValues(t, 1, made.Value(t, "metadata.generation"))
	assert.Nil(t, made.Value(t, "status.state"))
	used := apitest.MergePatch(t, api, betaDisks+"/a/status", `{"status":{"used":3}}`)
	require.Equal(t, 200, used.Code, used.Body)
	stored := apitest.Do(t, api, "GET", disks+"/a", "")
	assert.Equal(t, map[string]any{"phase": "Pending", "used": 3.0}, stored.Value(t, "status"))
	assert.Nil(t, stored.Value(t, "spec.tier"))
}
