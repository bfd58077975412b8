package resource

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
)

// attempt holds what the steps of a write compute from one snapshot of the object. Each step reads the results of earlier steps here and
// leaves its own. If another write commits first, run drops the attempt and starts a new one.
type attempt struct {
	current *storage.Record // nil on create
	old     forms           // the stored object; absent on create
	json    []byte          // the old object, encoded in the version of the request
	view    doc.Value       // what the subresource shows of the old object, or the old object itself

	obj     doc.Value // the object that the steps work on, in the version of the request
	claimed doc.Value // the managedFields that the client sent, or that an apply computed
	sent    doc.Value // the object without any default; the Default hook may not change these values
	wanted  doc.Value // the object without the zeros that only Go's encoding added; validation looks at this one
	typed   any       // the object in its Go type; nil if no hook needs it
	tracked doc.Value // obj with its managedFields
	base    forms     // the last pair of shown and stored forms that match; convert merges into its stored form
	review  *admission
	out     forms // the object as it will be stored, in both versions

	next   []byte    // the bytes for the store; nil removes the object
	shown  doc.Value // the same object in the version of the request; absent if that is the stored version
	result Result

	generated  bool // the server generated the name
	claims     bool // the client set a resourceVersion on a new object
	translated bool // a subresource computed obj, so the problems of the body do not concern it
	done       bool // the remaining steps are skipped
}

// operations is a set of kinds of write.
type operations int

const (
	onCreate operations = 1 << iota
	onUpdate            // an update, a patch or an apply, of the object or through a subresource
	onDelete
	// inStored marks the steps that Write.held repeats with the stored version, when the request used another version.
	inStored

	onWrite = onCreate | onUpdate
)

// step is one step of a write. The docs show name and about.
type step struct {
	name, about string
	on          operations
	do          func(*Write, context.Context) error
}

// steps lists the steps of a write in their order, and the kinds of write that take each. An init function fills it, because a step also
// takes steps: convert repeats some of them in the stored version, and Go would see a cycle in the initializer.
var steps []step

func init() {
	steps = []step{
		{"find", "The object must exist. A deletion names it, and may name its uid and resourceVersion.", onUpdate | onDelete, (*Write).find},
		{"read", "The stored object is decoded and, except for a deletion, converted to the version of the request.", onUpdate | onDelete, (*Write).read},
		{"ask", "The server computes the object that the client wants: the body, the patched object, or the object with the applied configuration. Through a subresource with its own kind, the client changes the view.", onWrite, (*Write).ask},
		{"translate", "The view that the client wants is checked and admitted, and the subresource turns it into a change of the object.", onUpdate, (*Write).translate},
		{"prune", "Unknown fields are pruned and reported. The values in metadata must have the right types.", onWrite, (*Write).prune},
		{"precondition", "The resourceVersion and uid, if given, must match the old object. The namespace of a new object must exist and must not be terminating.", onWrite, (*Write).precondition},
		{"restore", "Fields that the write may not change are restored from the old object: system metadata, and the status or everything but the status. A new object gets its uid and other system metadata.", onWrite, (*Write).restore},
		{"compare", "A write that changes nothing ends here, unless an admission hook sees it. A repeated deletion ends here, unless it shortens the grace period or only finalizers hold the object.", onUpdate | onDelete, (*Write).compare},
		{"set aside", "The managedFields are taken out of the object. The step own puts them back.", onWrite, (*Write).setAside},
		{"default", "Missing fields are defaulted by the schema, types are checked, and the Default hook runs. In the built-in dialect the object passes through its Go type.", onWrite | inStored, (*Write).setDefaults},
		{"mutate", "Admission hooks change the object, which is then defaulted again.", onWrite, (*Write).mutate},
		{"prepare", "The Prepare hook changes the object, which is then defaulted again.", onWrite | inStored, (*Write).prepare},
		{"own", "managedFields record who owns which fields after this write.", onWrite, (*Write).own},
		{"validate", "The object is checked by the rules of metadata, the schema, Rules and the Validate hook. A deletion is checked by the ValidateDelete hook.", onWrite | onDelete | inStored, (*Write).validate},
		{"convert", "The object is converted to the stored version. There it takes the steps that are marked in the column for the stored version.", onWrite, (*Write).convert},
		{"count", "The generation rises if the write changed anything outside of metadata and status.", onWrite, (*Write).count},
		{"confine", "If the rights of the user are restricted to some of the objects, the object must be one of them.", onWrite, (*Write).confine},
		{"admit", "Admission hooks validate the object as it would be stored.", onWrite | onDelete, (*Write).admit},
		{"answer", "The hook of a virtual kind answers, and nothing is stored.", onCreate, (*Write).answer},
		{"mark", "The object gets its deletionTimestamp, its grace period and the finalizer of the propagation policy.", onDelete, (*Write).mark},
		{"encode", "The object is encoded for the store. If it is being deleted and nothing holds it, the store removes it.", onWrite | onDelete, (*Write).encode},
	}
}

// run makes one attempt to write against the current object and returns the bytes for the store. The store calls run again, with the
// newer object, if another write commits first. So a step keeps its results in the attempt, and run drops the warnings of the attempt
// before. If another resource takes the place of this one, run returns ErrRetired.
func (w *Write) run(ctx context.Context, on operations, current *storage.Record) ([]byte, error) {
	if w.res.Replaced() {
		return nil, ErrRetired
	}
	w.attempt = attempt{current: w.visible(current)}
	w.Warnings.reset()
	err := w.take(ctx, on)
	return w.next, err
}

// visible returns the current record, or nil if the client does not see it.
func (w *Write) visible(current *storage.Record) *storage.Record {
	if w.Only != nil && current != nil && !w.res.Admits(w.Only, current) {
		return nil
	}
	return current
}

// take runs the steps that belong to these operations, until one fails or sets done.
func (w *Write) take(ctx context.Context, on operations) error {
	for i := range steps {
		if steps[i].on&on == 0 || w.done {
			continue
		}
		if err := steps[i].do(w, ctx); err != nil {
			return err
		}
	}
	return nil
}
