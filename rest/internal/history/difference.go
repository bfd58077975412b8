package history

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// ofVersions are the fields of metadata that belong to a version. The others belong to the server and to controllers.
var ofVersions = [...]string{objectmeta.Annotations, objectmeta.Labels}

// contentOf returns what an undo restores: the labels, the annotations, and everything outside of metadata and status.
// Without the subresource /status, the status is a field like any other.
func contentOf(res *resource.Resource, obj doc.Value) doc.Value {
	var kept []doc.Member
	for _, field := range ofVersions {
		if v := objectmeta.Of(obj).Get(field); v.Len() > 0 {
			kept = append(kept, doc.Member{Key: field, Value: v})
		}
	}
	if obj = obj.Without("apiVersion", "kind"); res.HasStatus() {
		obj = obj.Without("status")
	}
	return obj.With("metadata", doc.MapOf(kept...))
}

// Differ reports whether two states of an object are different versions of it.
func Differ(res *resource.Resource, a, b doc.Value) bool {
	return !doc.Equal(contentOf(res, a), contentOf(res, b))
}

// WithContentOf returns an object with the content of one of its former versions. Both are in the version of the
// resource.
func WithContentOf(res *resource.Resource, obj, former doc.Value) doc.Value {
	m, was := objectmeta.Of(obj), objectmeta.Of(former)
	for _, field := range ofVersions {
		m = m.With(field, was.Get(field))
	}
	if former = former.With("metadata", m); res.HasStatus() {
		former = former.With("status", obj.Get("status"))
	}
	return former
}

// Anew returns the object that restores a deleted one: its content, under its name. Its owners may be gone, and nobody
// may be there to take its finalizers away.
func Anew(res *resource.Resource, former doc.Value) doc.Value {
	named := doc.MapOf(doc.Member{Key: objectmeta.Name, Value: objectmeta.Of(former).Get(objectmeta.Name)})
	return WithContentOf(res, doc.MapOf(doc.Member{Key: "metadata", Value: named}), former)
}

// differences returns the fields that differ between the contents of two objects, in order of their paths.
func differences(res *resource.Resource, old, now doc.Value) []history.FieldChange {
	out := compare(nil, "", contentOf(res, old), contentOf(res, now))
	slices.SortFunc(out, func(a, b history.FieldChange) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// compare appends the fields that differ between two values at a path. A map that one side lacks is compared member by
// member, a list as a whole.
func compare(out []history.FieldChange, path string, old, now doc.Value) []history.FieldChange {
	if doc.Equal(old, now) {
		return out
	}
	if !isMap(old) || !isMap(now) || old.Len()+now.Len() == 0 {
		return append(out, history.FieldChange{Path: path, Old: jsonOf(old), New: jsonOf(now)})
	}
	for key, was := range old.Members() {
		out = compare(out, path+step(key), was, now.Get(key))
	}
	for key, is := range now.Members() {
		if !old.Has(key) {
			out = compare(out, path+step(key), doc.Value{}, is)
		}
	}
	return out
}

func isMap(v doc.Value) bool { return v.IsAbsent() || v.Kind() == doc.Map }

func jsonOf(v doc.Value) []byte {
	if v.IsAbsent() {
		return nil
	}
	return codec.AppendJSON(nil, v)
}

// step returns a step of a JSONPath.
func step(key string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) < 0 {
		return "." + key
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(key) + "']"
}
