package docpatch

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// maxCopied is how many bytes of JSON all copy operations of one patch may add; upstream has the same limit. A copy
// costs nothing here, but each one can double what earlier ones copied, and the result must be encoded.
const maxCopied = 3 << 20

// Apply applies the operations to d in their order and returns the resulting document. It applies all of them or none.
//
// It returns 422 Invalid, in upstream's words, if an operation cannot be applied or a test fails; errors.As finds the
// [*OperationError] in it. Apart from building the result, the cost does not depend on the sizes of the changed lists
// and maps. It grows with the square of the number of operations on one list, up to some hundred milliseconds for
// [MaxOperations].
func (p JSONPatch) Apply(d doc.Value) (doc.Value, error) {
	if len(p.operations) == 0 {
		return d, nil
	}
	a := application{root: &draft{base: d}}
	for i := range p.operations {
		op := &p.operations[i]
		if err := a.do(op); err != nil {
			return doc.Value{}, refused(&OperationError{Index: i, Op: op.op, Path: op.pathText, Cause: err})
		}
	}
	result, err := a.root.freeze(0)
	if err == nil && result.DeeperThan(doc.MaxDepth) {
		err = fmt.Errorf("%w: nested too deeply", ErrTooLarge)
	}
	if err != nil {
		return doc.Value{}, refused(err)
	}
	return result, nil
}

// application is one run of a patch.
type application struct {
	root    *draft
	copied  int    // bytes of JSON copied so far
	scratch []byte // a buffer in which they are measured
}

func (a *application) do(op *operation) error {
	if op.fault != nil {
		return op.fault
	}
	switch op.op {
	case "add":
		return a.add(op.path, &draft{base: op.value})
	case "replace":
		if len(op.path) == 0 {
			return a.replaceAll(op.value)
		}
		at, key := op.path.parent()
		parent, err := a.root.find(at)
		if err != nil {
			return err
		}
		return parent.replace(key, &draft{base: op.value})
	case "remove":
		_, err := a.remove(op.path)
		return err
	case "move":
		moved, err := a.remove(op.from)
		if err != nil {
			return err
		}
		return a.add(op.path, moved)
	case "copy":
		return a.copy(op.from, op.path)
	default:
		return a.test(op.path, op.value)
	}
}

func (a *application) add(path pointer, value *draft) error {
	if len(path) == 0 {
		return errWhole
	}
	at, key := path.parent()
	parent, err := a.root.find(at)
	if err != nil {
		return err
	}
	return parent.add(key, value)
}

// replaceAll replaces the whole document.
func (a *application) replaceAll(value doc.Value) error {
	if value.Kind() != doc.Map && value.Kind() != doc.List {
		return errWhole
	}
	a.root = &draft{base: value}
	return nil
}

func (a *application) remove(path pointer) (*draft, error) {
	if len(path) == 0 {
		return nil, errWhole
	}
	at, key := path.parent()
	parent, err := a.root.find(at)
	if err != nil {
		return nil, err
	}
	return parent.remove(key)
}

func (a *application) copy(from, path pointer) error {
	value, err := a.source(from)
	if err != nil {
		return err
	}
	a.scratch = codec.AppendJSON(a.scratch[:0], value)
	a.copied += len(a.scratch)
	if a.copied > maxCopied || value.DeeperThan(doc.MaxDepth-len(path)) {
		return ErrTooLarge
	}
	return a.add(path, &draft{base: value})
}

// source returns the value to copy, or null if the map has no such member.
func (a *application) source(from pointer) (doc.Value, error) {
	if len(from) == 0 {
		return doc.Value{}, errWhole
	}
	at, key := from.parent()
	parent, err := a.root.find(at)
	if err != nil {
		return doc.Value{}, err
	}
	if parent.base.Kind() == doc.Map && !parent.has(key) {
		return doc.NullValue(), nil
	}
	source, err := parent.child(key)
	if err != nil {
		return doc.Value{}, err
	}
	return source.freeze(len(from))
}

// test also succeeds if the wanted value is null and the member is missing: clients use it to require that a member is
// missing.
func (a *application) test(path pointer, want doc.Value) error {
	if len(path) > 0 {
		at, key := path.parent()
		parent, err := a.root.find(at)
		if err != nil {
			return err
		}
		if parent.base.Kind() == doc.Map && !parent.has(key) {
			if want.IsNull() {
				return nil
			}
			return ErrTestFailed
		}
	}
	found, err := a.root.find(path)
	if err != nil {
		return err
	}
	value, err := found.freeze(len(path))
	if err != nil {
		return err
	}
	if !doc.Equal(value, want) {
		return ErrTestFailed
	}
	return nil
}
