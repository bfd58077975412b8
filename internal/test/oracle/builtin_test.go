package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest/builtin"
)

// builtinTwin pairs a kind of package builtin with its original in k8s.io/api.
type builtinTwin struct {
	kind
	ours                  reflect.Type
	overlay, theirOverlay map[string]string
}

func builtinTwins(t *testing.T) []builtinTwin {
	events := builtin.Events().Overlay
	all := []builtinTwin{
		{ours: reflect.TypeFor[builtin.Namespace](), overlay: builtin.Namespaces().Overlay,
			theirOverlay: k8s.Resource[corev1.Namespace]().Overlay},
		{ours: reflect.TypeFor[builtin.Lease](), overlay: builtin.Leases().Overlay,
			theirOverlay: k8s.Resource[coordinationv1.Lease]().Overlay},
		{ours: reflect.TypeFor[builtin.CoreEvent](), overlay: events, theirOverlay: k8s.Resource[corev1.Event]().Overlay},
		{ours: reflect.TypeFor[builtin.Event](), overlay: events, theirOverlay: k8s.Resource[eventsv1.Event]().Overlay},
	}
	for i, k := range kindsNamed(t, "v1 Namespace", "coordination.k8s.io/v1 Lease", "v1 Event", "events.k8s.io/v1 Event") {
		all[i].kind = k
	}
	return all
}

// generated is a Go type with Protobuf code from upstream's generator.
type generated interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// The kinds of package builtin have the same Protobuf messages and the same JSON as the originals in
// k8s.io/api.
func TestBuiltinKindsHaveUpstreamsMessages(t *testing.T) {
	all := builtinTwins(t)
	rounds(t, 1000, func(t *testing.T, r round) {
		k := all[r.seed%int64(len(all))]
		requireSameMessage(t, k.kind, k.ours, k.random(t, r.Rand))
	})
}

// requireSameMessage compares the description that the tags of a Go type yield with the code that upstream's generator
// made for its original. Each decodes what the other encodes.
func requireSameMessage(t *testing.T, k kind, oursType reflect.Type, object any) {
	t.Helper()
	message, err := codec.MessageOf(oursType)
	require.NoError(t, err)
	text, err := json.Marshal(object)
	require.NoError(t, err)
	want := decoded(t, text)

	theirs, err := object.(generated).Marshal()
	require.NoError(t, err)
	v, err := message.Decode(theirs)
	require.NoError(t, err)
	ours := reflect.New(oursType).Interface()
	require.NoError(t, codec.ToGo(v, ours))
	got, err := codec.FromGo(ours)
	require.NoError(t, err)
	got = got.With("kind", want.Get("kind")).With("apiVersion", want.Get("apiVersion")) // in Protobuf, the envelope contains them
	requireSame(t, text, codec.AppendJSON(nil, got), "%s: decoded", k)

	encoded, err := message.Append(nil, want)
	require.NoError(t, err)
	again := k.new()
	require.NoError(t, again.(generated).Unmarshal(encoded))
	shown, err := codec.FromGo(again)
	require.NoError(t, err)
	shown = shown.With("kind", want.Get("kind")).With("apiVersion", want.Get("apiVersion"))
	requireSame(t, text, codec.AppendJSON(nil, shown), "%s: encoded", k)
}

// The kinds of package builtin have the same fields as their originals, with the same rules for merging,
// patching and encoding.
func TestBuiltinKindsHaveUpstreamsFields(t *testing.T) {
	for _, k := range builtinTwins(t) {
		ours, err := schema.Derive(k.ours, schema.Options{Builtin: true, Overlay: k.overlay})
		require.NoError(t, err)
		theirs, err := schema.Derive(k.typ, schema.Options{Builtin: true, Overlay: k.theirOverlay})
		require.NoError(t, err)
		assert.Equal(t, facts(theirs, "", map[string]string{}), facts(ours, "", map[string]string{}), "%s", k)
	}
}

// facts describes each place of a schema except metadata, by its path.
func facts(s *schema.Schema, path string, all map[string]string) map[string]string {
	if s == nil || path == ".metadata" {
		return all
	}
	all[path] = fmt.Sprint(s.Type, s.Format, " list ", s.ListType, s.ListMapKeys, " map ", s.MapType, " patch ",
		s.PatchStrategy, s.PatchMergeKey, " default ", s.DefaultValue.Literal())
	if s.Object != nil {
		for _, p := range s.Object.Properties {
			facts(p.Schema, path+"."+p.Name, all)
			all[path+"."+p.Name] += fmt.Sprint(" required ", p.Required, " omitted ", p.OmitEmpty, p.OmitZero)
		}
	}
	facts(s.Items, path+"[]", all)
	return facts(s.Additional, path+"{}", all)
}
