package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// asTyped converts as the API server does: the result of an apply becomes the Go type of its kind.
type asTyped struct{}

func (asTyped) Convert(any, any, any) error { return errors.New("not asked for") }

func (asTyped) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil
	}
	kind := in.GetObjectKind().GroupVersionKind()
	obj, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return obj, nil
}

func (asTyped) ConvertFieldLabel(gvk.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not asked for")
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// fresh creates empty objects with their kind set, like converted objects in the API server.
type fresh struct{}

func (fresh) New(kind gvk.GroupVersionKind) (runtime.Object, error) {
	obj, err := scheme.Scheme.New(kind)
	if err == nil {
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
	return obj, err
}

// keeper keeps the managedFields of a kind, both upstream's way and ours.
type keeper struct {
	kind
	schema *schema.Schema
	ours   *managed.Kind
	theirs *managedfields.FieldManager
	part   managed.Part
	// subresource is the subresource that receives the keeper's writes.
	subresource string
	empty       func() runtime.Object
	// object converts a document to upstream's form, and document converts it back.
	object   func(doc.Value) (runtime.Object, error)
	document func(runtime.Object) (doc.Value, error)
}

var keepers sync.Map

func keeperOf[T any, P interface {
	*T
	runtime.Object
}](t testing.TB) keeper {
	typ := reflect.TypeFor[T]()
	if k, ok := keepers.Load(typ); ok {
		return k.(keeper)
	}
	resource := k8s.Resource[T, P]()
	k := keeper{part: managed.Whole,
		kind: kind{gvk.GroupVersionKind{Group: resource.Group, Version: resource.Version, Kind: resource.Names.Kind}, typ}}
	s, err := schema.Derive(typ, schema.Options{Builtin: true, Overlay: resource.Overlay})
	require.NoError(t, err)
	k.schema = s
	k.empty = func() runtime.Object {
		obj, _ := fresh{}.New(k.GroupVersionKind)
		return obj
	}
	k.document = func(obj runtime.Object) (doc.Value, error) { return codec.FromGo(obj) }
	k.object = func(v doc.Value) (runtime.Object, error) {
		obj := P(new(T))
		err := codec.ToGo(v, obj)
		return obj, err
	}
	empty, err := k.document(k.empty())
	require.NoError(t, err)
	k.ours = managed.NewKind(s, apimeta.GroupVersionKind(k.GroupVersionKind), empty, nil)
	k.theirs, err = managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), asTyped{},
		noDefaults{}, fresh{}, k.GroupVersionKind, k.GroupVersion(), "", nil)
	require.NoError(t, err)
	keepers.Store(typ, k)
	return k
}

// story is one object after a number of writes, in upstream's form and in ours.
type story struct {
	keeper
	t      testing.TB
	live   doc.Value // absent until the object exists
	told   []string
	writes int
}

func (s *story) tell(format string, args ...any) {
	s.told = append(s.told, fmt.Sprintf(format, args...))
}

func (s *story) fail(format string, args ...any) {
	s.t.Helper()
	require.FailNow(s.t, fmt.Sprintf(format, args...), "%s\n%s", s.GroupVersionKind, strings.Join(s.told, "\n"))
}

func show(v doc.Value) string { return string(codec.AppendJSON(nil, v)) }

// liveTheirs returns the object in upstream's form.
func (s *story) liveTheirs() runtime.Object {
	if s.live.IsAbsent() {
		return s.empty()
	}
	obj, err := s.object(s.live)
	require.NoError(s.t, err)
	return obj
}

// writer returns a writer whose time advances by a second with each write. Upstream's clock does not, so times show
// only which entries a write has moved.
func (s *story) writer(manager string) managed.Writer {
	s.writes++
	return managed.Writer{Manager: manager, Subresource: s.subresource, Part: s.part,
		Time: time.Unix(int64(s.writes), 0).UTC().Format(time.RFC3339)}
}

func entriesOf(v doc.Value) doc.Value { return v.Lookup("metadata", "managedFields") }

// sameEntries compares entries, ignoring their times and the order that results from the times.
func sameEntries(a, b doc.Value) bool {
	text := func(list doc.Value) []string {
		var out []string
		for _, e := range list.Elements() {
			out = append(out, show(e.Without("time")))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(text(a), text(b))
}

// settle compares the two results, and continues with ours.
func (s *story) settle(theirs runtime.Object, ours doc.Value) {
	s.t.Helper()
	want, err := s.document(theirs)
	require.NoError(s.t, err)
	if !sameEntries(entriesOf(want), entriesOf(ours)) {
		s.fail("other entries\nupstream %s\nours     %s", show(entriesOf(want)), show(entriesOf(ours)))
	}
	bare := func(v doc.Value) doc.Value { return v.WithAt(doc.Value{}, "metadata", "managedFields") }
	obj, err := s.object(bare(ours))
	require.NoError(s.t, err)
	got, err := s.document(obj)
	require.NoError(s.t, err)
	if !doc.Equal(bare(want), got) {
		s.fail("another object\nupstream %s\nours     %s", show(bare(want)), show(got))
	}
	s.live = got.WithAt(doc.Of("uid"), "metadata", "uid").WithAt(entriesOf(ours), "metadata", "managedFields")
}

func (s *story) update(v doc.Value, manager string) bool {
	obj, err := s.object(v)
	if err != nil {
		return false // it is of another kind
	}
	if v, err = s.document(obj); err != nil {
		return false
	}
	claimed := entriesOf(v)
	s.tell("update as %s %s", manager, show(v))
	theirs, theirErr := s.theirs.Update(s.liveTheirs(), obj.DeepCopyObject(), manager)
	if theirErr != nil {
		s.tell("upstream: %v", theirErr)
		theirs = s.theirs.UpdateNoErrors(s.liveTheirs(), obj, manager)
	}
	bare := v.WithAt(doc.Value{}, "metadata", "managedFields")
	entries := s.ours.Update(s.live, bare, claimed, s.writer(manager))
	s.settle(theirs, bare.WithAt(entries, "metadata", "managedFields"))
	return true
}

func (s *story) apply(config doc.Value, manager string, force bool) bool {
	s.tell("apply as %s, force %v %s", manager, force, show(config))
	tree := map[string]any{}
	require.NoError(s.t, json.Unmarshal([]byte(show(config)), &tree))
	patch := &unstructured.Unstructured{}
	require.NoError(s.t, patch.UnmarshalJSON([]byte(show(config))))
	theirs, theirErr := s.theirs.Apply(s.liveTheirs(), patch, manager, force)
	ours, ourErr := s.ours.Apply(s.live, config, s.writer(manager), force)
	if ourErr == nil {
		if _, err := s.object(ours); err != nil { // upstream finds this during the apply, we find it afterwards
			require.Error(s.t, theirErr)
			return false
		}
	}
	if theirErr != nil || ourErr != nil {
		if theirErr == nil || ourErr == nil {
			s.fail("one of the two failed: upstream %v, ours %v", theirErr, ourErr)
		}
		s.compareErrors(theirErr, ourErr)
		return false
	}
	s.settle(theirs, ours)
	return true
}

func (s *story) compareErrors(theirs, ours error) {
	var their *apierrors.StatusError
	var our *status.Error
	require.ErrorAs(s.t, ours, &our)
	if !errors.As(theirs, &their) {
		require.Contains(s.t, []int32{400, 500}, our.Status.Code, "upstream %v, ours %v", theirs, ours)
		return
	}
	require.EqualValues(s.t, their.ErrStatus.Code, our.Status.Code, "upstream %v, ours %v", theirs, ours)
	causes := func(n int, cause func(int) string) []string {
		var out []string
		for i := range n {
			out = append(out, cause(i))
		}
		slices.Sort(out) // upstream iterates over a Go map of managers
		return out
	}
	if their.ErrStatus.Details == nil {
		require.Equal(s.t, their.ErrStatus.Message, our.Status.Message)
		return
	}
	want := causes(len(their.ErrStatus.Details.Causes), func(i int) string {
		c := their.ErrStatus.Details.Causes[i]
		return fmt.Sprint(c.Type, c.Field, c.Message)
	})
	got := causes(len(our.Status.Details.Causes), func(i int) string {
		c := our.Status.Details.Causes[i]
		return fmt.Sprint(c.Type, c.Field, c.Message)
	})
	if !slices.Equal(want, got) {
		s.fail("other conflicts\nupstream %q\nours     %q", want, got)
	}
}

// edited returns v with some of its values changed, dropped or repeated.
func edited(r round, v doc.Value, rate int) doc.Value {
	switch v.Kind() {
	case doc.Map, doc.List:
		v = v.Rewrite(func(_ int, key string, value doc.Value) doc.Value {
			if r.Intn(4*rate) == 0 {
				return doc.Value{}
			}
			return edited(r, value, rate)
		})
		if v.Kind() == doc.List && v.Len() > 1 && r.Intn(rate) == 0 {
			i, j := r.Intn(v.Len()), r.Intn(v.Len())
			a, b := v.At(i), v.At(j)
			duplicate := r.Intn(3) == 0
			v = v.Rewrite(func(at int, _ string, value doc.Value) doc.Value {
				switch {
				case at == i:
					return b
				case at == j && !duplicate:
					return a
				}
				return value
			})
		}
	case doc.String:
		if r.Intn(rate) == 0 {
			return doc.Of(word(r.Rand))
		}
	case doc.Number:
		if r.Intn(rate) == 0 {
			return doc.OfInt(int64(r.Intn(5)))
		}
	case doc.Bool:
		if r.Intn(rate) == 0 {
			return doc.OfBool(!v.Bool())
		}
	}
	return v
}

// identified returns a document with the kind and name of the story's object.
func (s *story) identified(v doc.Value) doc.Value {
	return v.With("apiVersion", doc.Of(s.GroupVersion().String())).With("kind", doc.Of(s.Kind)).
		WithAt(doc.Of("name"), "metadata", "name").WithAt(doc.Of("space"), "metadata", "namespace").
		WithAt(doc.Value{}, "metadata", "uid").WithAt(doc.Value{}, "metadata", "managedFields")
}

func (s *story) random(r round) doc.Value {
	data, err := json.Marshal(s.kind.random(s.t, r.Rand))
	require.NoError(s.t, err)
	return s.identified(decoded(s.t, data))
}

// tally counts the results of the writes of stories.
type tally struct{ updates, applies, refusals int }

func (c *tally) check(t *testing.T) {
	t.Logf("%d updates, %d applies, %d refused", c.updates, c.applies, c.refusals)
	require.NotZero(t, c.updates)
	require.NotZero(t, c.applies)
	require.NotZero(t, c.refusals)
}

func builtinKeepers(t testing.TB) []keeper {
	return []keeper{keeperOf[corev1.ConfigMap](t), keeperOf[appsv1.Deployment](t), keeperOf[corev1.Service](t),
		keeperOf[corev1.Pod](t)}
}

// tellBuiltin plays the story of one object of a built-in kind.
func tellBuiltin(t testing.TB, r round, c *tally) {
	all := builtinKeepers(t)
	managers := []string{"a", "b", "kubectl", ""}
	s := story{keeper: all[r.Intn(len(all))], t: t}
	base := s.random(r)
	for range 8 {
		manager := managers[r.Intn(len(managers))]
		source := base
		if !s.live.IsAbsent() && r.Intn(2) == 0 {
			source = s.live
		}
		if r.Intn(2) == 0 {
			v := s.identified(edited(r, source, 6))
			if !s.live.IsAbsent() {
				v = v.WithAt(doc.Of("uid"), "metadata", "uid")
			}
			if s.update(v, manager) {
				c.updates++
			}
			continue
		}
		if s.apply(s.identified(edited(r, source, 6)), manager, r.Intn(3) == 0) {
			c.applies++
		} else {
			c.refusals++
		}
	}
}

// Several managers write objects in turn. After each write the fields and the owners equal upstream's, and both sides
// report the same conflicts.
func TestManagedFields(t *testing.T) {
	var c tally
	rounds(t, 40, func(t *testing.T, r round) { tellBuiltin(t, r, &c) })
	c.check(t)
}

// FuzzManagedFields searches for stories of both sorts whose results differ.
func FuzzManagedFields(f *testing.F) {
	for seed := range int64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		var c tally
		tellBuiltin(t, round{rand.New(rand.NewSource(seed)), seed}, &c)
		tellCustom(t, round{rand.New(rand.NewSource(seed)), seed}, &c)
	})
}
