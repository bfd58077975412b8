package managed

import (
	"cmp"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// Owned returns a document with the fields that managers own in this version, according to the managedFields of obj,
// and without metadata. The elements of a keyed list stand in the places that they have in obj. The values mean
// nothing.
func (k *Kind) Owned(obj doc.Value) (owned doc.Value) {
	for _, entry := range obj.Lookup("metadata", "managedFields").Elements() {
		if entry.Get("apiVersion").Text() == k.apiVersion {
			owned = placesOf(k.schema, obj, entry.Get(memberFieldsV1).Without("f:metadata"), owned)
		}
	}
	return owned
}

// placesOf adds to owned the places that a fieldsV1 names, which belongs to v.
func placesOf(s *schema.Schema, v, fields, owned doc.Value) doc.Value {
	if fields.Len() == 0 {
		return cmp.Or(owned, doc.OfBool(true))
	}
	if v.Kind() == doc.List && relation(s, v) == byKey {
		elements := make([]doc.Value, v.Len())
		for i, element := range v.Elements() {
			elements[i] = doc.NullValue()
			if i < owned.Len() {
				elements[i] = owned.At(i)
			}
			if key, ok := elementKey(s, byKey, element); ok && fields.Has(key) {
				elements[i] = placesOf(s.Items, element, fields.Get(key), elements[i])
			}
		}
		return doc.ListOf(elements...)
	}
	var members []doc.Member
	for key, below := range fields.Members() {
		if name, ok := strings.CutPrefix(key, "f:"); ok {
			members = append(members, doc.Member{Key: name,
				Value: placesOf(memberOf(s, name), v.Get(name), below, owned.Get(name))})
		}
	}
	if len(members) == 0 {
		return owned
	}
	return owned.WithAll(members)
}
