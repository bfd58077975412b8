package objectmeta

import (
	"time"

	"github.com/decorum-go/decorum/internal/doc"
)

// Origin holds the metadata that the server gives a new object.
type Origin struct {
	Namespace string // "" for a cluster-scoped object
	UID       string // "" for an object that is never stored
	Created   time.Time
	// Generation is the initial generation. If it is absent, the object has no generation.
	Generation doc.Value
}

// ForCreate sets the metadata that the server gives a new object, and clears what a client may not set (API
// conventions, Metadata). The store writes the resourceVersion when it commits the object.
func ForCreate(obj doc.Value, origin Origin) doc.Value {
	changes := make([]doc.Member, 0, len(Fields))
	for i := range Fields {
		if field := &Fields[i]; field.Given {
			changes = append(changes, doc.Member{Key: field.Name, Value: origin.value(field.Name)})
		}
	}
	return obj.With("metadata", Of(obj).WithAll(changes))
}

// value returns the value of a field in a new object. It is absent if the object does not have the field.
func (o Origin) value(name string) doc.Value {
	switch name {
	case CreationTimestamp:
		return Timestamp(o.Created)
	case Generation:
		return o.Generation
	case Namespace:
		return textOrAbsent(o.Namespace)
	case UID:
		return textOrAbsent(o.UID)
	}
	return doc.Value{}
}

func textOrAbsent(text string) doc.Value {
	if text == "" {
		return doc.Value{}
	}
	return doc.Of(text)
}

// ForUpdate restores the metadata that an update cannot change, and drops selfLink. It keeps a deletionTimestamp, grace
// period or uid that the client sends, because validation compares these with the stored ones. It keeps managedFields
// too, because a client may reset them.
func ForUpdate(obj, old doc.Value) doc.Value {
	m, before := Of(obj), Of(old)
	changes := make([]doc.Member, 0, len(Fields))
	for i := range Fields {
		field := &Fields[i]
		if field.Update == Taken {
			continue
		}
		value, sent := before.Get(field.Name), m.Get(field.Name)
		switch {
		case field.Update == Dropped: // an earlier version of the program may have stored it
			value = doc.Value{}
		case field.Name == DeletionTimestamp && (Deleting(old) || sent.Kind() != doc.String): // once set, it never changes
		case field.Update == Compared && isGiven(sent):
			value = sent
		}
		changes = append(changes, doc.Member{Key: field.Name, Value: value})
	}
	return obj.With("metadata", m.WithAll(changes))
}

// isGiven reports whether a client has sent a value: neither null nor an empty text.
func isGiven(v doc.Value) bool {
	return !v.IsAbsent() && !v.IsNull() && (v.Kind() != doc.String || v.Text() != "")
}
