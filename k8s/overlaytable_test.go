package k8s

import (
	flags "flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

var update = flags.Bool("update", false, "write overlays.txt")

// kinds returns an empty object of each kind for which Resource knows a plural.
func kinds(t *testing.T) map[schema.GroupVersionKind]runtime.Object {
	all := map[schema.GroupVersionKind]runtime.Object{}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if _, ok := kindOf(gvk.GroupKind()); ok && gvk.Version != runtime.APIVersionInternal {
			obj, err := scheme.Scheme.New(gvk)
			require.NoError(t, err)
			all[gvk] = obj
		}
	}
	return all
}

// The table has what the apply configurations of client-go state.
func TestTheTableOfOverlaysIsComplete(t *testing.T) {
	all := kinds(t)
	require.Greater(t, len(all), 90)
	if *update {
		require.NoError(t, os.WriteFile("overlays.txt", []byte(textOfOverlays(all)), 0o644))
		return
	}
	assert.Equal(t, textOfOverlays(all), overlaysText, "write the table with go test ./k8s -run TableOfOverlays -update")
	for gvk, obj := range all {
		overlay, ok := tabledOverlay(reflect.TypeOf(obj))
		assert.True(t, ok, gvk)
		want := overlayOfClientGo(obj, gvk)
		maps.DeleteFunc(overlay, func(key, tag string) bool { // it counts only in kinds that have lists with this key
			_, wanted := want[key]
			return tag == "zeroKey" && !wanted
		})
		assert.Equal(t, want, overlay, gvk)
	}
}

func textOfOverlays(all map[schema.GroupVersionKind]runtime.Object) string {
	tags, forms := map[string]string{}, map[string]string{}
	for gvk, obj := range all {
		maps.Copy(tags, overlayOfClientGo(obj, gvk))
		eachStruct(reflect.TypeOf(obj), map[reflect.Type]bool{}, func(t reflect.Type) bool {
			forms[typeName(t)] = formOf(t)
			return true
		})
	}
	var out strings.Builder
	keys := slices.Sorted(maps.Keys(tags))
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		out.WriteString(name + " " + forms[name] + "\n")
		for _, key := range keys {
			if member, ok := strings.CutPrefix(key, name); ok && (member == "" || member[0] == '.') {
				out.WriteString("\t" + strings.TrimPrefix(member, ".") + " " + tags[key] + "\n")
			}
		}
	}
	return out.String()
}

type changedPod struct {
	Spec changedSpec `json:"spec"`
}

type changedSpec struct {
	Containers []string `json:"containers"`
}

func TestTypesOfAnotherReleaseAreNotInTheTable(t *testing.T) {
	_, ok := tabledOverlay(reflect.TypeFor[changedPod]())
	assert.False(t, ok)
}
