package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/test/roundstest"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/status"
)

// operation is a way to write an object: what both sides find wrong with it. old is the object before the write.
type operation struct {
	name   string
	status bool // whether it writes the status, and nothing else
	ours   func(obj, old any) status.FieldErrors
	theirs func(obj, old runtime.Object) field.ErrorList
}

func operations() []operation {
	return []operation{
		{"creation", false, func(obj, _ any) status.FieldErrors { return validation.Check(obj) }, creations},
		{"update", false, validation.CheckUpdate, updates},
		{"write of the status", true, validation.CheckStatus, statuses},
	}
}

// of returns the object that the operation writes: one that is created has no status.
func (o operation) of(doc map[string]any) map[string]any {
	if o.name == "creation" {
		return with(doc, "status", nil, false)
	}
	return doc
}

// verdict holds the messages of both sides about an object. Faults of the metadata are left out: the core finds them.
type verdict struct{ theirs, ours []string }

// judge returns false for an object that cannot be decoded.
func (e example) judge(t *testing.T, o operation, doc map[string]any) (v verdict, ok bool) {
	t.Helper()
	obj, internal, ok := e.both(t, doc)
	if !ok {
		return v, false
	}
	for _, f := range o.ours(obj, e.old) {
		v.ours = append(v.ours, message(string(f.Type), f.Field, f.BadValue, f.Detail))
	}
	for _, f := range e.theirs(o, internal) {
		v.theirs = append(v.theirs, message(string(f.Type), f.Field, f.BadValue, f.Detail))
	}
	ofMetadata := func(message string) bool {
		return strings.HasPrefix(message, "metadata") && !strings.HasPrefix(message, "metadata.taints")
	}
	return verdict{slices.DeleteFunc(v.theirs, ofMetadata), slices.DeleteFunc(v.ours, ofMetadata)}, true
}

// both returns an object with its defaults, ours and in the form that Kubernetes works with.
func (s subject) both(t *testing.T, doc any) (obj, internal runtime.Object, ok bool) {
	t.Helper()
	text := encode(t, doc)
	obj, theirs := s.new(), s.new()
	if json.Unmarshal(text, obj) != nil {
		return nil, nil, false
	}
	require.NoError(t, json.Unmarshal(text, theirs))
	for _, o := range []runtime.Object{obj, theirs} {
		o.(metav1.Object).SetResourceVersion("1")
	}
	s.set(obj)
	s.canonicalize(obj)
	legacyscheme.Scheme.Default(theirs)
	internal, err := legacyscheme.Scheme.ConvertToVersion(theirs,
		schema.GroupVersion{Group: s.gvk.Group, Version: runtime.APIVersionInternal})
	return obj, internal, err == nil
}

// message shows a fault without the value if that is a struct: Kubernetes shows the names of its internal Go fields.
func message(kind, path string, value any, detail string) string {
	detail, _, _ = strings.Cut(detail, "\n") // a difference of objects follows
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct || v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer {
		return fmt.Sprintf("%s: %s: %s", path, kind, detail)
	}
	return fmt.Sprintf("%s: %s: %v: %s", path, kind, v, detail)
}

// example is a valid object.
type example struct {
	subject
	doc              map[string]any
	old, oldInternal runtime.Object // the document as the operations find it
}

func examples(t *testing.T) []example {
	t.Helper()
	return append(examplesOf(t, "testdata/valid.yaml"), examplesOf(t, "testdata/validated.yaml")...)
}

func examplesOf(t *testing.T, file string) (all []example) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		gvk := schema.FromAPIVersionAndKind(doc["apiVersion"].(string), doc["kind"].(string))
		i := slices.IndexFunc(subjects(), func(s subject) bool { return s.gvk == gvk })
		require.GreaterOrEqual(t, i, 0, gvk)
		s := subjects()[i]
		old, internal, ok := s.both(t, doc)
		require.True(t, ok, gvk)
		all = append(all, example{subject: s, doc: doc, old: old, oldInternal: internal})
	}
	return all
}

// TestValidation changes examples in one place at a time. What we find wrong, Kubernetes must find wrong in the same
// words, and we must refuse what Kubernetes refuses.
func TestValidation(t *testing.T) {
	for _, e := range examples(t) {
		kind := e.gvk.Kind
		for _, o := range operations() {
			if o.status && e.doc["status"] == nil {
				continue
			}
			v, ok := e.judge(t, o, o.of(e.doc))
			require.True(t, ok, kind)
			require.Empty(t, v.theirs, "Kubernetes refuses the %s of the example of %s", o.name, kind)
			require.Empty(t, v.ours, "we refuse the %s of the example of %s", o.name, kind)
			for _, change := range changes(o.of(e.doc), o.status) {
				v, ok := e.judge(t, o, change.doc)
				if !ok {
					continue
				}
				v.compare(t, "%s of %s: %s", o.name, kind, change.what)
				if len(v.theirs) > 0 {
					assert.NotEmpty(t, v.ours, "%s of %s: not refused: %s: %q", o.name, kind, change.what, v.theirs)
				}
			}
		}
	}
}

// compare checks that Kubernetes finds wrong what we find wrong, in the same words.
func (v verdict) compare(t *testing.T, format string, args ...any) {
	t.Helper()
	extra := slices.DeleteFunc(slices.Clone(v.ours), func(m string) bool { return slices.Contains(v.theirs, m) })
	assert.Empty(t, extra, "%s: only we refuse it; Kubernetes: %q", fmt.Sprintf(format, args...), v.theirs)
}

// TestValidationOfTwoFaults changes examples in two random places.
func TestValidationOfTwoFaults(t *testing.T) {
	all := examples(t)
	roundstest.Run(t, 1500, func(t *testing.T, seed int64) {
		r := newFiller(seed)
		e, o := pick(r, all...), pick(r, operations()...)
		once := changes(o.of(e.doc), o.status)
		if len(once) == 0 {
			return
		}
		twice := changes(pick(r, once...).doc, o.status)
		if len(twice) == 0 {
			return
		}
		doc := pick(r, twice...).doc
		if v, ok := e.judge(t, o, doc); ok {
			v.compare(t, "%s of %s: %s", o.name, e.gvk.Kind, encode(t, doc))
		}
	})
}

// TestSchedules compares random schedules of CronJobs.
func TestSchedules(t *testing.T) {
	cron := func(schedule string) map[string]any {
		spec := map[string]any{"containers": []any{map[string]any{"name": "a", "image": "a"}}, "restartPolicy": "Never"}
		job := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}}
		return map[string]any{"metadata": map[string]any{"name": "a", "namespace": "b"},
			"spec": map[string]any{"schedule": schedule, "jobTemplate": job}}
	}
	s := of[batchv1.CronJob]()
	old, internal, ok := s.both(t, cron("@daily"))
	require.True(t, ok)
	e := example{subject: s, old: old, oldInternal: internal}
	roundstest.Run(t, 500, func(t *testing.T, seed int64) {
		r := newFiller(seed)
		var parts []string
		for range pick(r, 1, 5, 5, 5, 5, 6) {
			part := pick(r, "*", "?", "0", "1", "6", "59", "60", "-1", "", "x", "JAN", "sun", "1-5", "5-1", "1-", "1-2-3",
				"mon-fri", "@daily", "@every 1h", "@every x", "99999999999999999999")
			part += pick(r, "", "", "", "/2", "/0", "/x", "/-1", "/1/2", ",1", ",", ",*/3", "-7")
			parts = append(parts, part)
		}
		schedule := strings.Join(parts, pick(r, " ", " ", "  ", "\t"))
		v, ok := e.judge(t, operations()[0], cron(schedule))
		require.True(t, ok)
		assert.Equal(t, v.theirs, v.ours, "schedule %q", schedule)
	})
}
