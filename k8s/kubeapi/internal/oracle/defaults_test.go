package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/decorum-go/decorum/internal/test/roundstest"
)

// TestDefaults compares an object with our defaults with the object that Kubernetes shows after it has stored it.
func TestDefaults(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.gvk.Group+"/"+s.gvk.Version+"."+s.gvk.Kind, func(t *testing.T) {
			roundstest.Run(t, 60, func(t *testing.T, seed int64) {
				sent := s.random(t, seed)
				want := s.shown(t, sent)
				ours := s.decode(t, sent)
				s.set(ours)
				filled := encode(t, ours)
				assert.Empty(t, changed(parse(t, sent), parse(t, filled)), "Set changes what the client sent in %s", sent)
				s.set(ours)
				require.JSONEq(t, string(filled), string(encode(t, ours)), "Set is not a fixed point for %s", sent)
				s.canonicalize(ours)
				got := encode(t, ours)
				assert.JSONEq(t, string(want), string(got), "sent %s", sent)

				again := s.decode(t, got)
				s.set(again)
				s.canonicalize(again)
				assert.JSONEq(t, string(got), string(encode(t, again)), "the defaults are not a fixed point")
			})
		})
	}
}

// shown returns an object as Kubernetes shows it: defaulted, in the form that it works with, and back.
func (s subject) shown(t *testing.T, sent []byte) []byte {
	t.Helper()
	obj := s.decode(t, sent)
	legacyscheme.Scheme.Default(obj)
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj,
		schema.GroupVersion{Group: s.gvk.Group, Version: runtime.APIVersionInternal})
	require.NoError(t, err)
	back, err := legacyscheme.Scheme.ConvertToVersion(internal, s.gvk.GroupVersion())
	require.NoError(t, err)
	back.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	if set, ok := back.(*appsv1.DaemonSet); ok { // package kinds counts the generations of the template
		delete(set.Annotations, appsv1.DeprecatedTemplateGeneration)
	}
	return encode(t, back)
}

// changed returns the path of a value of sent, other than a zero, that got lacks or has changed.
func changed(sent, got any) string {
	switch sent := sent.(type) {
	case nil:
		return ""
	case map[string]any:
		got, _ := got.(map[string]any)
		for key, value := range sent {
			if path := changed(value, got[key]); path != "" {
				return "." + key + path
			}
		}
		return ""
	case []any:
		list, _ := got.([]any)
		for i, value := range sent {
			if i >= len(list) {
				return fmt.Sprintf("[%d] missing", i)
			}
			if path := changed(value, list[i]); path != "" {
				return fmt.Sprintf("[%d]%s", i, path)
			}
		}
		return ""
	}
	if sent == got || reflect.ValueOf(sent).IsZero() {
		return ""
	}
	return fmt.Sprintf(": %v, now %v", sent, got)
}

func parse(t *testing.T, text []byte) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}
