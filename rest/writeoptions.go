package rest

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// fieldValidation says what happens to fields that the schema does not know and to keys that stand twice (API
// concepts, Validation for unrecognized or duplicate fields).
type fieldValidation string

const (
	validationIgnore fieldValidation = "Ignore"
	validationWarn   fieldValidation = "Warn"
	validationStrict fieldValidation = "Strict"
)

// writeOptions are what a client asked for beside the object itself.
type writeOptions struct {
	dryRun     bool
	manager    string          // the field manager, as the client names it
	agent      string          // who writes where no field manager is named
	validation fieldValidation // "" is Warn
	// fromPatch: the object is the result of a patch. It needs no resourceVersion, and what is wrong with it is 422.
	fromPatch bool
	// unconditional: a write without a resourceVersion is let through in every dialect.
	unconditional bool
	// part is what of the object is written.
	part part
	// subresource is the one with a kind of its own through which the object is written.
	subresource string
	// applied: the object comes of a configuration, and its managedFields are as they shall be. With force it takes fields
	// over from others.
	applied, force bool
	// config is the configuration that is applied.
	config doc.Value
	// admitted: the admission hooks have had their say, or have none.
	admitted bool
	// nested: the contexts of the hooks know of the write.
	nested bool
	// size is that of the body, in bytes; 0 where there is none.
	size int
	// uid is what the object's uid must be; "" is any.
	uid string
	// claimsVersion: the body of an object to be created says that it has a version already.
	claimsVersion bool
	// problems are what the decoder found in the body beside its content: keys that stand twice.
	problems []string
	// text is the body where it is JSON and its unknown and duplicate fields are named in the order of the text.
	text []byte
	// patched tells what text a patch has made of the object; nil where there is none.
	patched *patchedText
	// verbatim: unknown fields are found in a document, and not by a decoder that knows the type.
	verbatim bool
	// warnings collects what the answer's Warning headers say. nil: nobody listens.
	warnings *warnings
}

// warnings are what the Warning headers of an answer say. The first always of them, about the body as it came and about
// rules that were broken before, go with an error as well.
type warnings struct {
	texts  []string
	always int
}

func (o *writeOptions) warn(text string) {
	if o.warnings != nil {
		o.warnings.texts = append(o.warnings.texts, text)
	}
}

// warnAlways warns of what a client is told whether the write succeeds or not, before anything else.
func (o *writeOptions) warnAlways(text string) {
	if o.warnings != nil {
		o.warnings.texts = slices.Insert(o.warnings.texts, o.warnings.always, text)
		o.warnings.always++
	}
}

// reset forgets the warnings of an attempt that runs again.
func (o *writeOptions) reset() {
	if o.warnings != nil {
		o.warnings.texts, o.warnings.always = o.warnings.texts[:0], 0
	}
}

// userNameIn is the name of the user whom the host has put into the context, if any.
func userNameIn(ctx context.Context) string {
	u, _ := ctx.Value(userKey{}).(User)
	return u.Name
}
