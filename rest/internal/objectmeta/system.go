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
	return obj.With("metadata", Of(obj).WithAll([]doc.Member{ // sorted by their keys
		{Key: CreationTimestamp, Value: Timestamp(origin.Created)},
		{Key: GracePeriod},
		{Key: DeletionTimestamp},
		{Key: Generation, Value: origin.Generation},
		{Key: Namespace, Value: textOrAbsent(origin.Namespace)},
		{Key: ResourceVersion},
		{Key: SelfLink},
		{Key: UID, Value: textOrAbsent(origin.UID)},
	}))
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
	changes := make([]doc.Member, 0, 9) // sorted by their keys
	for _, field := range []string{CreationTimestamp, GracePeriod, DeletionTimestamp, Generation, ManagedFields, Namespace,
		ResourceVersion, SelfLink, UID} {
		value, given := before.Get(field), m.Get(field)
		switch field {
		case SelfLink: // a version of the program that kept it may have stored it
			value = doc.Value{}
		case DeletionTimestamp: // once set, it never changes
			if !Deleting(old) && given.Text() != "" {
				value = given
			}
		case GracePeriod, ManagedFields, UID:
			if !given.IsAbsent() && !given.IsNull() && (given.Kind() != doc.String || given.Text() != "") {
				value = given
			}
		}
		changes = append(changes, doc.Member{Key: field, Value: value})
	}
	return obj.With("metadata", m.WithAll(changes))
}
