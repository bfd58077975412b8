package past

import (
	"sort"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
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

// differences returns the fields that differ between the contents of two objects, in order of their paths. It takes
// their memory, and that of their JSON, from the loan.
func differences(res *resource.Resource, old, now doc.Value, loan *storage.Loan) (out []history.FieldChange, err error) {
	err = compare("", contentOf(res, old), contentOf(res, now), func(path string, old, now doc.Value) error {
		c := history.FieldChange{Path: path, Old: jsonOf(old), New: jsonOf(now)}
		out = append(out, c)
		return loan.Take(changeSize + (1+resource.MaxEscaped)*int64(len(path)+len(c.Old)+len(c.New)))
	})
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, err
}

// changeSize is about the memory that a change takes besides its texts, in the list that grows and in its JSON.
const changeSize = 250

// maxPath is the length of a path, in bytes, from which on compare looks no deeper. Otherwise, the paths of many deeply
// nested fields would take much more memory than the object.
const maxPath = 256

// compare calls see for the fields that differ between two values at a path, until see returns an error. A map that one
// side lacks is compared member by member, a list as a whole.
func compare(path string, old, now doc.Value, see func(path string, old, now doc.Value) error) error {
	if doc.Equal(old, now) {
		return nil
	}
	if !isMap(old) || !isMap(now) || old.Len()+now.Len() == 0 || len(path) > maxPath {
		return see(path, old, now)
	}
	for key, was := range old.Members() {
		if err := compare(path+step(key), was, now.Get(key), see); err != nil {
			return err
		}
	}
	for key, is := range now.Members() {
		if !old.Has(key) {
			if err := compare(path+step(key), doc.Value{}, is, see); err != nil {
				return err
			}
		}
	}
	return nil
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
