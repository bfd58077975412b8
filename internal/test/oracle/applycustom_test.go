package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Gear is a custom kind with a field for each way in which fields are owned. gearSchema states the same for
// upstream.
type Gear struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               GearSpec   `json:"spec,omitzero"`
	Status             GearStatus `json:"status,omitzero"`
}

type GearSpec struct {
	Size     *int64                     `json:"size,omitempty"`
	Weight   *float64                   `json:"weight,omitempty"`
	Teeth    []GearTooth                `json:"teeth,omitzero" api:"list=map,key=name,key=row"`
	Tags     []string                   `json:"tags,omitzero" api:"list=set"`
	Steps    []string                   `json:"steps,omitzero"`
	Settings map[string]string          `json:"settings,omitzero"`
	Limits   map[string]string          `json:"limits,omitzero" api:"map=atomic"`
	Inner    *GearInner                 `json:"inner,omitempty" api:"map=atomic"`
	Port     json.RawMessage            `json:"port,omitempty" api:"intOrString"`
	Extra    map[string]json.RawMessage `json:"extra,omitzero" api:"preserveUnknown"`
}

type GearTooth struct {
	Name   string   `json:"name"`
	Row    *int64   `json:"row,omitempty" api:"default=1"`
	Length *int64   `json:"length,omitempty"`
	Marks  []string `json:"marks,omitzero" api:"list=set"`
}

type GearInner struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
}

type GearStatus struct {
	Phase *string `json:"phase,omitempty"`
	Count *int64  `json:"count,omitempty"`
}

const gearSchema = `{"type":"object","x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Gear"}],"properties":{
	"apiVersion":{"type":"string"},"kind":{"type":"string"},
	"metadata":{"type":"object","properties":{"name":{"type":"string"},"namespace":{"type":"string"},"uid":{"type":"string"},"generateName":{"type":"string"},
		"managedFields":{"type":"array","items":{"type":"object"}},
		"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},
		"finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}},
	"spec":{"type":"object","properties":{
		"size":{"type":"integer"},"weight":{"type":"number"},
		"teeth":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name","row"],"items":{"type":"object","properties":{
			"name":{"type":"string"},"row":{"type":"integer","default":1},"length":{"type":"integer"},"marks":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}},
		"tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
		"steps":{"type":"array","items":{"type":"string"}},
		"settings":{"type":"object","additionalProperties":{"type":"string"}},
		"limits":{"type":"object","additionalProperties":{"type":"string"},"x-kubernetes-map-type":"atomic"},
		"inner":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"x-kubernetes-map-type":"atomic"},
		"port":{"x-kubernetes-int-or-string":true,"type":"string","format":"int-or-string"},
		"extra":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
	"status":{"type":"object","properties":{"phase":{"type":"string"},"count":{"type":"integer"}}}}}`

// asItIs converts nothing, because custom resources have no Go type.
type asItIs struct{}

func (asItIs) Convert(any, any, any) error { return errors.New("not asked for") }

func (asItIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (asItIs) ConvertFieldLabel(gvk.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not asked for")
}

type loose struct{}

func (loose) New(kind gvk.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// gears returns the keepers of Gear, for the object and for its status.
func gears(t testing.TB) (object, status keeper) {
	typ := reflect.TypeFor[Gear]()
	k := keeper{kind: kind{gvk.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gear"}, typ},
		part: managed.Main}
	var err error
	k.schema, err = schema.Derive(typ, schema.Options{})
	require.NoError(t, err)
	k.empty = func() runtime.Object { obj, _ := loose{}.New(k.GroupVersionKind); return obj }
	k.document = func(obj runtime.Object) (doc.Value, error) {
		data, err := json.Marshal(obj)
		if err != nil {
			return doc.Value{}, err
		}
		return decoded(t, data), nil
	}
	k.object = func(v doc.Value) (runtime.Object, error) {
		u := &unstructured.Unstructured{}
		return u, u.UnmarshalJSON([]byte(show(v)))
	}
	empty, err := k.document(k.empty())
	require.NoError(t, err)
	k.ours = managed.NewKind(k.schema, apimeta.GroupVersionKind(k.GroupVersionKind), empty, nil)
	model := &spec.Schema{}
	require.NoError(t, json.Unmarshal([]byte(gearSchema), model))
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"gear": model}, false)
	require.NoError(t, err)
	at := fieldpath.MakePathOrDie("status")
	manager := func(subresource string, filter fieldpath.Filter) *managedfields.FieldManager {
		m, err := managedfields.NewDefaultCRDFieldManager(converter, asItIs{}, noDefaults{}, loose{}, k.GroupVersionKind,
			k.GroupVersion(), subresource,
			map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(k.GroupVersion().String()): filter})
		require.NoError(t, err)
		return m
	}
	k.theirs = manager("", fieldpath.NewExcludeSetFilter(fieldpath.NewSet(at)))
	status = k
	status.part, status.subresource = managed.Status, "status"
	status.theirs = manager("status", fieldpath.NewIncludeMatcherFilter(fieldpath.MakePrefixMatcherOrDie("status")))
	return k, status
}

func randomGear(t testing.TB, r round) doc.Value {
	words := func(limit int) map[string]any {
		m := map[string]any{}
		for range r.Intn(limit) {
			m[word(r.Rand)] = word(r.Rand)
		}
		return m
	}
	list := func() []any {
		list := []any{}
		for i := range r.Intn(4) {
			list = append(list, fmt.Sprint(word(r.Rand), i))
		}
		return list
	}
	teeth := []any{}
	for i := range r.Intn(4) {
		tooth := map[string]any{"name": string(rune('a' + i)), "length": r.Intn(3), "marks": list()}
		if r.Intn(3) > 0 {
			tooth["row"] = 1 + r.Intn(2)
		}
		teeth = append(teeth, tooth)
	}
	members := map[string]any{"size": r.Intn(5), "weight": float64(r.Intn(9)) / 2, "teeth": teeth, "tags": list(),
		"steps": list(), "settings": words(4), "limits": words(4),
		"inner": map[string]any{"a": word(r.Rand), "b": word(r.Rand)}, "port": r.Intn(3),
		"extra": map[string]any{"x": words(3), "y": []any{words(2), 1}}}
	for key := range members {
		if r.Intn(4) == 0 {
			delete(members, key)
		}
	}
	data, err := json.Marshal(map[string]any{"spec": members,
		"metadata": map[string]any{"labels": words(3), "finalizers": list()},
		"status":   map[string]any{"phase": word(r.Rand), "count": r.Intn(3)}})
	require.NoError(t, err)
	return decoded(t, data)
}

// tellCustom plays the story of one Gear, whose status has writes of its own.
func tellCustom(t testing.TB, r round, c *tally) {
	object, status := gears(t)
	s := story{keeper: object, t: t}
	base := s.identified(randomGear(t, r))
	managers := []string{"a", "b", "kubectl", ""}
	for range 10 {
		manager := managers[r.Intn(len(managers))]
		s.keeper = object
		if !s.live.IsAbsent() && r.Intn(3) == 0 {
			s.keeper = status
		}
		source := base
		if !s.live.IsAbsent() && r.Intn(2) == 0 {
			source = s.live
		}
		v := s.identified(edited(r, source, 6))
		if r.Intn(2) == 0 {
			if s.update(s.reached(v), manager) {
				c.updates++
			}
		} else if before := s.live; s.apply(v, manager, r.Intn(3) == 0) {
			c.applies++
			after := s.live
			s.live = before
			s.live = s.reached(after).WithAt(entriesOf(after), "metadata", "managedFields") // a write through this keeper reaches only these fields
		} else {
			c.refusals++
		}
	}
}

// A custom kind with separate writes of its status has upstream's owners too.
func TestManagedFieldsOfACustomKind(t *testing.T) {
	var c tally
	rounds(t, 100, func(t *testing.T, r round) { tellCustom(t, r, &c) })
	c.check(t)
}

// reached returns a document in which the fields that an update through the keeper cannot write have their old
// values.
func (s *story) reached(v doc.Value) doc.Value {
	switch {
	case s.live.IsAbsent():
		return v.Without("status")
	case s.part == managed.Status:
		return s.live.With("status", v.Get("status"))
	}
	return v.With("status", s.live.Get("status")).WithAt(doc.Of("uid"), "metadata", "uid")
}
