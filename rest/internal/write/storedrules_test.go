package write_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// No version is a way around the rules of the one that is stored.
func TestRulesOfTheStoredVersionHoldInEachVersion(t *testing.T) {
	const beta = betaDisks + "/a"
	tooLarge := apitest.Invalid("in v1: spec.sizeGB",
		"Invalid value: 200: spec.sizeGB in body should be less than or equal to 100")
	fixed := apitest.Invalid("in v1: spec.class", `Invalid value: "hdd": field is immutable`)
	for _, c := range []struct {
		name, method, target, contentType, body string
		want                                    apitest.Cause
	}{
		{"create", "POST", betaDisks + "?", "",
			strings.Replace(diskBody("v1beta1", "", `{"sizeMB":204800}`), `"a"`, `"b"`, 1), tooLarge},
		{"create, dry run", "POST", betaDisks + "?dryRun=All", "",
			strings.Replace(diskBody("v1beta1", "", `{"sizeMB":204800}`), `"a"`, `"b"`, 1), tooLarge},
		{"put", "PUT", beta, "", diskBody("v1beta1", `"resourceVersion":"2"`, `{"sizeMB":204800,"media":"ssd"}`), tooLarge},
		{"put that creates", "PUT", betaDisks + "/b", "",
			strings.Replace(diskBody("v1beta1", "", `{"sizeMB":204800}`), `"a"`, `"b"`, 1), tooLarge},
		{"merge patch", "PATCH", beta, apitest.TypeMergePatch, `{"spec":{"sizeMB":204800}}`, tooLarge},
		{"JSON patch", "PATCH", beta, apitest.TypeJSONPatch, `[{"op":"replace","path":"/spec/sizeMB","value":204800}]`,
			tooLarge},
		{"apply", "PATCH", beta + "?fieldManager=m&force=true", apitest.TypeApply,
			diskBody("v1beta1", "", `{"sizeMB":204800}`), tooLarge},
		{"apply that creates", "PATCH", betaDisks + "/b?fieldManager=m", apitest.TypeApply,
			strings.Replace(diskBody("v1beta1", "", `{"sizeMB":204800}`), `"a"`, `"b"`, 1), tooLarge},
		{"scale", "PATCH", beta + "/scale", apitest.TypeMergePatch, `{"spec":{"replicas":9}}`,
			apitest.Invalid("in v1: spec.replicas",
				"Invalid value: 9: spec.replicas in body should be less than or equal to 5")},
		{"apply to scale", "PATCH", beta + "/scale?fieldManager=m&force=true", apitest.TypeApply,
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":9}}`,
			apitest.Invalid("in v1: spec.replicas",
				"Invalid value: 9: spec.replicas in body should be less than or equal to 5")},
		{"status", "PATCH", beta + "/status", apitest.TypeMergePatch, `{"status":{"state":"Lost"}}`,
			apitest.NotSupported("in v1: status.phase", `Unsupported value: "Lost": supported values: "Pending", "Ready"`)},
		{"apply to status", "PATCH", beta + "/status?fieldManager=m", apitest.TypeApply,
			`{"apiVersion":"example.com/v1beta1","kind":"Disk","metadata":{"name":"a"},"status":{"state":"Lost"}}`,
			apitest.NotSupported("in v1: status.phase", `Unsupported value: "Lost": supported values: "Pending", "Ready"`)},
		{"what never changes", "PATCH", beta, apitest.TypeMergePatch, `{"spec":{"media":"hdd"}}`, fixed},
		{"how long a list is", "PATCH", beta, apitest.TypeMergePatch,
			`{"spec":{"mounts":[{"name":"a"},{"name":"b"},{"name":"c"}]}}`,
			apitest.TooMany("in v1: spec.mounts", "Too many: 3: must have at most 2 items")},
		{"the counts that /scale reads", "PATCH", beta, apitest.TypeMergePatch, `{"status":{},"spec":{"replicas":-1}}`,
			apitest.Invalid(".spec.replicas", "Invalid value: -1: should be a non-negative integer")}, // in v1beta1 already
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newDisks(t, func(r *rest.Resource[Disk]) { r.Wire.CreateOnUpdate = true })
			require.Equal(t, 201, apitest.Do(t, api, "POST", disks, diskBody("v1", "", `{"sizeGB":2}`)).Code)
			name := "a"
			if strings.Contains(c.body, `"b"`) && !strings.Contains(c.body, "mounts") {
				name = "b"
			}
			apitest.WantInvalid(t, apitest.Do(t, api, c.method, c.target, c.body, "Content-Type", c.contentType),
				"Disk.example.com", name, c.want)
			assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", disks, "").Names(t))
			assert.Equal(t, "2", apitest.Do(t, api, "GET", disks+"/a", "").ResourceVersion(t))
		})
	}
	t.Run("built-in dialect", func(t *testing.T) {
		api := newDisks(t, func(r *rest.Resource[Disk]) { r.Wire.Dialect = rest.DialectBuiltin })
		require.Equal(t, 201, apitest.Do(t, api, "POST", betaDisks,
			diskBody("v1beta1", "", `{"sizeMB":2048,"mounts":[{"name":"a"}]}`)).Code)
		apitest.WantInvalid(t, apitest.Do(t, api, "POST", betaDisks,
			strings.Replace(diskBody("v1beta1", "", `{"sizeMB":204800}`), `"a"`, `"b"`, 1)), "Disk.example.com", "b", tooLarge)
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", betaDisks+"/a",
			diskBody("v1beta1", "", `{"sizeMB":204800,"media":"ssd"}`)), "Disk.example.com", "a", tooLarge)
		apitest.WantInvalid(t, apitest.Do(t, api, "PATCH", beta, `{"spec":{"sizeMB":204800}}`, "Content-Type",
			"application/strategic-merge-patch+json"), "Disk.example.com", "a", tooLarge)
		apitest.WantInvalid(t, apitest.MergePatch(t, api, beta, `{"spec":{"media":"hdd"}}`), "Disk.example.com", "a", fixed)
		require.Equal(t, 200, apitest.Do(t, api, "PATCH", beta, `{"spec":{"sizeMB":4096}}`, "Content-Type",
			"application/strategic-merge-patch+json").Code)
	})
	t.Run("typed client", func(t *testing.T) {
		client := apitest.ClientFor[DiskV1beta1](t, newDisks(t)).Namespace("default")
		disk := &DiskV1beta1{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: DiskV1beta1Spec{SizeMB: 204800}}
		_, err := client.Create(t.Context(), disk)
		assert.EqualError(t, err, `Disk.example.com "a" is invalid: in v1: spec.sizeGB: Invalid value: 200: spec.sizeGB in body should be less than or equal to 100`)
		disk.Spec.SizeMB = 2048
		_, err = client.Create(t.Context(), disk)
		require.NoError(t, err)
		_, err = client.Modify(t.Context(), "a", func(d *DiskV1beta1) error { d.Spec.Media = "hdd"; return nil })
		assert.EqualError(t, err, `Disk.example.com "a" is invalid: in v1: spec.class: Invalid value: "hdd": field is immutable`)
		_, err = client.ModifyStatus(t.Context(), "a", func(d *DiskV1beta1) error { d.Status.State = "Lost"; return nil })
		assert.ErrorContains(t, err, "in v1: status.phase: Unsupported value")
	})
}

// The answer lists all faults in the stored version after those in the version of the request.
func TestFaultsOfEachVersion(t *testing.T) {
	api := newDisks(t, func(r *rest.Resource[Disk]) {
		beta := betaDiskResource()
		beta.Hooks.Validate = func(_ context.Context, d, _ *DiskV1beta1) (status.FieldErrors, error) {
			if d.Spec.SizeMB%1024 != 0 {
				return status.FieldErrors{status.InvalidField(status.NewPath("spec", "sizeMB"), d.Spec.SizeMB,
					"must be whole gigabytes")}, nil
			}
			return nil, nil
		}
		r.Hooks.Validate = func(_ context.Context, d, _ *Disk) (status.FieldErrors, error) {
			return status.FieldErrors{status.RequiredField(status.NewPath("spec", "tier"), "must be given")}, nil
		}
		r.Versions = []rest.VersionOf[Disk]{rest.Converted(beta, diskToV1, diskFromV1)}
	})
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":204801}`)),
		"Disk.example.com", "a", apitest.Invalid("spec.sizeMB", "Invalid value: 204801: must be whole gigabytes"))
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":204800}`)),
		"Disk.example.com", "a", apitest.Invalid("in v1: spec.sizeGB",
			"Invalid value: 200: spec.sizeGB in body should be less than or equal to 100"),
		apitest.Required("in v1: spec.tier", "Required value: must be given"))
}

// The hooks of the stored version see each object, whatever it was written in.
func TestHooksOfTheStoredVersionSeeEachWrite(t *testing.T) {
	var olds []*Disk
	api := newDisks(t, func(r *rest.Resource[Disk]) {
		r.Hooks.Default = func(_ context.Context, d *Disk) error {
			if d.Spec.Tier == "" {
				d.Spec.Tier = "hot"
			}
			return nil
		}
		r.Hooks.Prepare = func(_ context.Context, d, old *Disk) error {
			olds = append(olds, old)
			if old == nil {
				d.Status.Phase = "Pending"
			}
			if d.Spec.Note == "trim " {
				d.Spec.Note = "trim"
			}
			if d.Status.Used == 7 {
				d.Status.Used, d.Spec.Note = 8, "not a hook of the status"
			}
			return nil
		}
	})
	made := apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":2048,"note":"trim "}`))
	require.Equal(t, 201, made.Code, made.Body)
	assert.Equal(t, map[string]any{"sizeMB": 2048.0, "media": "ssd", "replicas": 1.0, "note": "trim"},
		made.Value(t, "spec"))
	assert.Equal(t, map[string]any{"state": "Pending"}, made.Value(t, "status"))
	assert.Equal(t, map[string]any{"sizeGB": 2.0, "class": "ssd", "replicas": 1.0, "note": "trim", "tier": "hot"},
		apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec"))

	patched := apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":4096}}`)
	require.Equal(t, 200, patched.Code, patched.Body)
	require.Len(t, olds, 2)
	assert.Equal(t, "hot", olds[1].Spec.Tier, "old is the stored object")

	dry := apitest.MergePatch(t, api, betaDisks+"/a?dryRun=All",
		`{"spec":{"note":"trim "},"metadata":{"labels":{"x":"y"}}}`)
	require.Equal(t, 200, dry.Code, dry.Body)
	assert.Equal(t, "trim", dry.Value(t, "spec.note"), "a dry run shows what would be stored")

	used := apitest.MergePatch(t, api, betaDisks+"/a/status", `{"status":{"used":7}}`)
	require.Equal(t, 200, used.Code, used.Body)
	assert.Equal(t, map[string]any{"state": "Pending", "used": 8.0}, used.Value(t, "status"))
	assert.Equal(t, "trim", used.Value(t, "spec.note"), "a write of the status changes nothing else")

	t.Run("and may fail", func(t *testing.T) {
		broken := errors.New("no quota server")
		api := newDisks(t, func(r *rest.Resource[Disk]) {
			r.Hooks.Prepare = func(context.Context, *Disk, *Disk) error { return broken }
		})
		assert.Equal(t, 500, apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{}`)).Code)
		assert.Empty(t, apitest.Do(t, api, "GET", disks, "").Names(t))
	})
}

// The writer owns what the hooks of the stored version change, under the names of the version of the request.
func TestOwnersOfChangesByTheStoredVersion(t *testing.T) {
	api := newDisks(t, func(r *rest.Resource[Disk]) {
		r.Hooks.Prepare = func(_ context.Context, d, old *Disk) error {
			if d.Spec.Note == "gone" {
				d.Spec.Note = ""
			}
			if old != nil && old.Spec.SizeGB != d.Spec.SizeGB {
				d.Spec.Note = "grown"
			}
			return nil
		}
	})
	made := apitest.Do(t, api, "POST", betaDisks+"?fieldManager=maker",
		diskBody("v1beta1", "", `{"sizeMB":2048,"note":"gone"}`))
	require.Equal(t, 201, made.Code, made.Body)
	assert.Equal(t,
		map[string]string{"maker Update example.com/v1beta1": `{"f:spec":{".":{},"f:media":{},"f:note":{},"f:replicas":{},"f:sizeMB":{}}}`}, owned(t, made))
	assert.Equal(t, "", made.Value(t, "spec.note"), "what a hook empties is empty")

	grown := apitest.Do(t, api, "PATCH", betaDisks+"/a?fieldManager=grower", `{"spec":{"sizeMB":4096}}`, "Content-Type",
		apitest.TypeMergePatch)
	require.Equal(t, 200, grown.Code, grown.Body)
	assert.Equal(t, `{"f:spec":{"f:note":{},"f:sizeMB":{}}}`, owned(t, grown)["grower Update example.com/v1beta1"])

	applied := apitest.Do(t, api, "PATCH", betaDisks+"/a?fieldManager=applier", diskBody("v1beta1", "", `{"replicas":2}`),
		"Content-Type", apitest.TypeApply)
	require.Equal(t, 409, applied.Code, applied.Body)
	applied = apitest.Do(t, api, "PATCH", betaDisks+"/a?fieldManager=applier&force=true",
		diskBody("v1beta1", "", `{"replicas":2}`), "Content-Type", apitest.TypeApply)
	require.Equal(t, 200, applied.Code, applied.Body)
	stored := apitest.Do(t, api, "PATCH", disks+"/a?fieldManager=newer&force=true",
		diskBody("v1", "", `{"sizeGB":5,"tier":"cold"}`), "Content-Type", apitest.TypeApply)
	require.Equal(t, 200, stored.Code, stored.Body)
	for _, target := range []string{disks, betaDisks} {
		assert.Equal(t, map[string]string{
			"maker Update example.com/v1beta1":  `{"f:spec":{".":{},"f:media":{}}}`,
			"grower Update example.com/v1beta1": `{"f:spec":{"f:note":{}}}`,
			"applier Apply example.com/v1beta1": `{"f:spec":{"f:replicas":{}}}`,
			"newer Apply example.com/v1":        `{"f:spec":{"f:sizeGB":{},"f:tier":{}}}`,
		}, owned(t, apitest.Do(t, api, "GET", target+"/a", "")), target)
	}
	rv := stored.ResourceVersion(t)
	again := apitest.Do(t, api, "PATCH", betaDisks+"/a?fieldManager=applier&force=true",
		diskBody("v1beta1", "", `{"replicas":2}`), "Content-Type", apitest.TypeApply)
	assert.Equal(t, rv, again.ResourceVersion(t), "an apply that asks for what there is comes to rest")
}

// A rule that came later, in the stored version, does not stand in the way of who changes something else through
// another one.
func TestRatchetingOfTheStoredVersion(t *testing.T) {
	store := apitest.NewStore(t)
	first := apitest.Start(t, rest.Options{Store: store, Now: apitest.Now},
		rest.Resource[DiskV1beta1]{Group: "example.com", Version: "v1beta1", Plural: "disks",
			Names: rest.Names{Kind: "Disk"}})
	require.Equal(t, 201, apitest.Do(t, first, "POST", betaDisks,
		diskBody("v1beta1", "", `{"sizeMB":204800,"note":"too long","mounts":[{"name":"a"},{"name":"b"},{"name":"c"}]}`)).Code)
	require.NoError(t, first.Close())
	api := apitest.New(t, rest.Options{Store: store}, diskResource())

	for _, patch := range []string{`{"metadata":{"labels":{"x":"y"}}}`, `{"spec":{"replicas":3}}`} {
		a := apitest.MergePatch(t, api, betaDisks+"/a", patch)
		require.Equal(t, 200, a.Code, a.Body)
	}
	require.Equal(t, 200, apitest.MergePatch(t, api, betaDisks+"/a/status", `{"status":{"state":"Ready"}}`).Code)
	require.Equal(t, 200, apitest.MergePatch(t, api, betaDisks+"/a/scale", `{"spec":{"replicas":4}}`).Code)
	assert.EqualValues(t, 200, apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec.sizeGB"))
	apitest.WantInvalid(t, apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"note":"longer still"}}`),
		"Disk.example.com", "a", apitest.TooLong("in v1: spec.note", "Too long: may not be more than 5 bytes"))
	apitest.WantInvalid(t, apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":307200}}`), "Disk.example.com",
		"a", apitest.Invalid("in v1: spec.sizeGB",
			"Invalid value: 300: spec.sizeGB in body should be less than or equal to 100"))
	require.Equal(t, 200, apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":102400,"note":null}}`).Code)
}

// A change that the version of the request does not show counts as one all the same.
func TestGenerationCountsChangesOfTheStoredVersion(t *testing.T) {
	api := newDisks(t, func(r *rest.Resource[Disk]) {
		r.Hooks.Prepare = func(_ context.Context, d, old *Disk) error {
			if d.Labels["cool"] == "yes" {
				d.Spec.Tier = "cold"
			}
			return nil
		}
	})
	require.Equal(t, 201, apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{}`)).Code)
	a := apitest.MergePatch(t, api, betaDisks+"/a", `{"metadata":{"labels":{"a":"b"}}}`)
	assert.EqualValues(t, 1, a.Value(t, "metadata.generation"))
	a = apitest.MergePatch(t, api, betaDisks+"/a", `{"metadata":{"labels":{"cool":"yes"}}}`)
	assert.EqualValues(t, 2, a.Value(t, "metadata.generation"))
	assert.Equal(t, "cold", apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec.tier"))
	a = apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":2048}}`)
	assert.EqualValues(t, 3, a.Value(t, "metadata.generation"))
}

// Versions that have but names in common may differ in the types of what they name.
func TestAConversionByNameToAnotherType(t *testing.T) {
	type Mass struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Weight int32 `json:"weight"`
		} `json:"spec"`
	}
	type MassText struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Weight string `json:"weight"`
		} `json:"spec"`
	}
	api := apitest.New(t, rest.Options{},
		rest.Resource[Mass]{Group: "example.com", Version: "v1", Plural: "masses", Versions: []rest.VersionOf[Mass]{
			rest.Converted[Mass](rest.Resource[MassText]{Version: "v1beta1"}, nil, nil)}})
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", "/apis/example.com/v1beta1/namespaces/default/masses",
		`{"apiVersion":"example.com/v1beta1","kind":"Mass","metadata":{"name":"a"},"spec":{"weight":"a lot"}}`),
		"Mass.example.com", "a",
		apitest.TypeInvalid("in v1: spec.weight",
			`Invalid value: "string": spec.weight in body must be of type integer: "string"`))
}

// An element of a keyed list that a version does not show stays, whatever a client makes of those it sees.
func TestElementsKeepPartsThatAVersionLacks(t *testing.T) {
	api := newDisks(t, func(r *rest.Resource[Disk]) {
		r.Versions = []rest.VersionOf[Disk]{rest.Converted(betaDiskResource(), diskToV1,
			func(in *Disk, out *DiskV1beta1) error {
				shown := *in
				shown.Spec.Mounts = slices.DeleteFunc(slices.Clone(in.Spec.Mounts),
					func(m DiskMount) bool { return m.Path == "/secret" })
				return diskFromV1(&shown, out)
			})}
	})
	apitest.Must(t, api, "POST", disks,
		diskBody("v1", "", `{"mounts":[{"name":"s","path":"/secret"},{"name":"a","path":"/a"}]}`))
	for _, c := range []struct{ mounts, want string }{
		{`[{"name":"b"}]`, `[{"name":"b"},{"name":"s","path":"/secret"}]`},
		{`[]`, `[{"name":"s","path":"/secret"}]`},
	} {
		a := apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"mounts":`+c.mounts+`}}`)
		require.Equal(t, 200, a.Code, a.Body)
		got, err := json.Marshal(apitest.Do(t, api, "GET", disks+"/a", "").Value(t, "spec.mounts"))
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(got))
	}
}
