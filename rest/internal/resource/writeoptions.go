package resource

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// FieldValidation says what happens to fields that the schema does not know and to keys that stand twice (API
// concepts, Validation for unrecognized or duplicate fields).
type FieldValidation string

const (
	ValidationIgnore FieldValidation = "Ignore"
	ValidationWarn   FieldValidation = "Warn"
	ValidationStrict FieldValidation = "Strict"
)

// WriteOptions are what a client asked for beside the object itself.
type WriteOptions struct {
	DryRun     bool
	Manager    string          // the field manager, as the client names it
	Agent      string          // who writes where no field manager is named
	Validation FieldValidation // "" is Warn
	// fromPatch: the object is the result of a patch. It needs no resourceVersion, and what is wrong with it is 422.
	FromPatch bool
	// unconditional: a write without a resourceVersion is let through in every dialect.
	unconditional bool
	// part is what of the object is written.
	part Part
	// subresource is the one with a kind of its own through which the object is written.
	subresource string
	// applied: the object comes of a configuration, and its managedFields are as they shall be. With force it takes fields
	// over from others.
	applied, Force bool
	// config is the configuration that is applied.
	config doc.Value
	// admitted: the admission hooks have had their say, or have none.
	admitted bool
	// nested: the contexts of the hooks know of the write.
	nested bool
	// Size is that of the body, in bytes; 0 where there is none.
	Size int
	// UID is what the object's uid must be; "" is any.
	UID string
	// claimsVersion: the body of an object to be created says that it has a version already.
	claimsVersion bool
	// Problems are what the decoder found in the body beside its content: keys that stand twice.
	Problems []string
	// Text is the body where it is JSON and its unknown and duplicate fields are named in the order of the text.
	Text []byte
	// patched tells what text a patch has made of the object; nil where there is none.
	patched *patchedText
	// verbatim: unknown fields are found in a document, and not by a decoder that knows the type.
	verbatim bool
	// Warnings collects what the answer's Warning headers say. nil: nobody listens.
	Warnings *Warnings
}

// Warnings are what the Warning headers of an answer say. The first always of them, about the body as it came and about
// rules that were broken before, go with an error as well.
type Warnings struct {
	Texts  []string
	Always int
}

func (o *WriteOptions) warn(text string) {
	if o.Warnings != nil {
		o.Warnings.Texts = append(o.Warnings.Texts, text)
	}
}

// warnAlways warns of what a client is told whether the write succeeds or not, before anything else.
func (o *WriteOptions) warnAlways(text string) {
	if o.Warnings != nil {
		o.Warnings.Texts = slices.Insert(o.Warnings.Texts, o.Warnings.Always, text)
		o.Warnings.Always++
	}
}

// reset forgets the warnings of an attempt that runs again.
func (o *WriteOptions) reset() {
	if o.Warnings != nil {
		o.Warnings.Texts, o.Warnings.Always = o.Warnings.Texts[:0], 0
	}
}
