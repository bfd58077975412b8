package resource

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
)

// attempt is how far a write has come against the object that it has found.
type attempt struct {
	current *storage.Record // nil on create
	old     forms           // the object as it was; absent on create
	json    []byte          // of the old object as the version shows it
	view    doc.Value       // the old object as the subresource shows it through which it is written

	obj     doc.Value // the object as the steps have left it, in the version of the request
	claimed doc.Value // the managedFields that come with it
	sent    doc.Value // the object before its defaults
	wanted  doc.Value // the object as the client and the hooks want it, without the zeros that only Go has written
	typed   any       // the object in its Go type, if a hook wants to see that
	tracked doc.Value // the object with its managedFields
	base    forms     // the object when both its forms were last known
	review  *admission
	out     forms // the object as it will be stored, in both versions

	next   []byte    // what is stored; nil removes the object
	shown  doc.Value // what the version shows of it, if the stored version is another one
	result Result

	generated  bool // the name is generated
	claims     bool // a new object says that it has a version already
	translated bool // the object is no longer what the client has sent, but what a subresource has made of it
	done       bool // there is nothing left to do
}

// operations are kinds of write, as a set.
type operations int

const (
	onCreate operations = 1 << iota
	onUpdate            // an update, a patch or a configuration, of the object or through a subresource
	onDelete
	// inStored are the rules of the stored version, to which an object is held that was written in another one.
	inStored

	onWrite = onCreate | onUpdate
)

// step is one thing that is done in a write.
type step struct {
	name, about string
	on          operations
	do          func(*Write, context.Context) error
}

// steps are what is done in a write, in this order, and in which writes. It is set once, when the program begins: a step holds an object
// to some of the steps again, in the stored version.
var steps []step

func init() {
	steps = []step{
		{"find", "There must be an object, and a deletion must mean this one.", onUpdate | onDelete, (*Write).find},
		{"read", "The stored object is read, in the version of the request and in the stored one.", onUpdate | onDelete, (*Write).read},
		{"ask", "The object that the client wants: the body, the old object patched, or what a configuration makes of it. Through a subresource, the client sees and changes what that shows.", onWrite, (*Write).ask},
		{"translate", "What a client wants of a subresource with a kind of its own is checked, admitted, and made into a change of the object.", onUpdate, (*Write).translate},
		{"prune", "Fields that the schema does not know are dropped and reported; metadata must have the right types.", onWrite, (*Write).prune},
		{"precondition", "The resourceVersion and uid must be those of the old object; the namespace of a new object must be open.", onWrite, (*Write).precondition},
		{"restore", "What the write may not change is as it was, or as a new object has it: system metadata, and the status or everything else.", onWrite, (*Write).restore},
		{"compare", "A write that changes nothing ends here, if no admission hook sees it, and so does the deletion of an object that is being deleted.", onUpdate | onDelete, (*Write).compare},
		{"set aside", "The managedFields are taken out until it is known what was written.", onWrite, (*Write).setAside},
		{"default", "Defaults of the schema; types are checked; in the built-in dialect the object passes through its Go type; the Default hook.", onWrite | inStored, (*Write).setDefaults},
		{"mutate", "Admission hooks change the object, which is then defaulted again.", onWrite, (*Write).mutate},
		{"prepare", "The Prepare hook changes the object, which is then defaulted again.", onWrite | inStored, (*Write).prepare},
		{"own", "The managedFields that follow.", onWrite, (*Write).own},
		{"validate", "Metadata, schema, Rules and the Validate hook; on deletion, the ValidateDelete hook.", onWrite | onDelete | inStored, (*Write).validate},
		{"convert", "The object is converted to the stored version, and held to the rules of that.", onWrite, (*Write).convert},
		{"count", "The generation counts changes of what is wanted.", onWrite, (*Write).count},
		{"admit", "Admission hooks see the object as it would be stored.", onWrite | onDelete, (*Write).admit},
		{"answer", "A virtual kind answers, and nothing is stored.", onCreate, (*Write).answer},
		{"mark", "A deletion marks the object with its time, its grace period and its finalizers.", onDelete, (*Write).mark},
		{"encode", "The bytes that are stored; none if nothing holds an object that is being deleted.", onWrite | onDelete, (*Write).encode},
	}
}

// run makes an attempt to write against the current object.
func (w *Write) run(ctx context.Context, on operations, current *storage.Record) ([]byte, error) {
	w.attempt = attempt{current: current}
	w.Warnings.reset()
	err := w.take(ctx, on)
	return w.next, err
}

// take takes the steps of some kind of write.
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
