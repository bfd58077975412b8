package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// ofServer are the fields of metadata that only the API sets.
var ofServer = objectmeta.Names(func(f objectmeta.Field) bool { return f.Unowned && f.Name != objectmeta.Name })

// madeByServer are the fields of metadata that only a stored object has.
var madeByServer = objectmeta.Names(func(f objectmeta.Field) bool {
	return f.Fixed && f.Name != objectmeta.Name && f.Name != objectmeta.Namespace
})

// changes notes where the stored object differs from the manifest: defaults, changed values, and fields that are
// dropped.
func (r *Result) changes(stored []byte) {
	after, _, err := codec.DecodeJSON(stored)
	if err != nil {
		return
	}
	before, after := r.object, after.Without("apiVersion", "kind")
	for _, v := range []*doc.Value{&before, &after} {
		if metadata := v.Get("metadata"); metadata.Kind() == doc.Map {
			*v = v.With("metadata", metadata.Without(ofServer...))
		}
	}
	if before.Get("status").IsAbsent() {
		after = after.Without("status")
	}
	r.compare("", before.Without("apiVersion", "kind"), after)
}

// compare notes how a value has changed.
func (r *Result) compare(path string, before, after doc.Value) {
	switch {
	case doc.Equal(before, after) || isNothing(before) && isNothing(after):
	case before.Kind() == doc.Map && after.Kind() == doc.Map:
		for _, key := range keys(before, after) {
			r.compare(below(path, key), before.Get(key), after.Get(key))
		}
	case before.Kind() == doc.List && after.Kind() == doc.List && before.Len() == after.Len():
		for i, element := range before.Elements() {
			r.compare(fmt.Sprintf("%s[%d]", path, i), element, after.At(i))
		}
	case isNothing(before):
		r.note(path, "is set to "+brief(after))
	case after.IsAbsent():
		r.note(path, "is dropped")
	default:
		r.note(path, "becomes "+brief(after))
	}
}

// isNothing reports whether a value says nothing, so that nobody misses it.
func isNothing(v doc.Value) bool {
	return v.IsAbsent() || v.IsNull() || (v.Kind() == doc.Map || v.Kind() == doc.List) && v.Len() == 0
}

func keys(a, b doc.Value) (all []string) {
	for _, v := range []doc.Value{a, b} {
		for key := range v.Members() {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plain is a key that a path can contain without brackets.
var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func below(path, key string) string {
	switch {
	case !plain.MatchString(key):
		return path + "[" + key + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

// maxBrief is how many bytes of a value a note shows.
const maxBrief = 200

func brief(v doc.Value) string {
	text := string(codec.AppendJSON(nil, v))
	if len(text) > maxBrief {
		text = strings.ToValidUTF8(text[:maxBrief], "") + "…"
	}
	return text
}

func (r *Result) note(path, text string) {
	r.Findings = append(r.Findings, Finding{Severity: Note, Line: r.line(path), Field: path, Message: text})
}
