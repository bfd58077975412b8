package objectmeta

import "github.com/decorum-go/decorum/internal/doc"

// WithoutNulls replaces the nulls among labels, annotations and in the lists of the metadata by what a decoder into Go makes
// of them: empty strings and empty objects.
func WithoutNulls(m doc.Value) doc.Value {
	for _, field := range [...]string{Labels, Annotations, Finalizers, Owners, ManagedFields} {
		kind, rewrite := doc.Map, emptyText
		switch field {
		case Finalizers:
			kind = doc.List
		case Owners, ManagedFields:
			kind, rewrite = doc.List, emptyObject
		}
		values := m.Get(field)
		if values.Kind() != kind {
			continue
		}
		if after := values.Rewrite(rewrite); after != values {
			m = m.With(field, after)
		}
	}
	return m
}

func emptyText(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.Of("")
	}
	return v
}

func emptyObject(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.MapOf()
	}
	return v
}
