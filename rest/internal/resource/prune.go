package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"slices"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// isPatch reports whether the object comes of a patch or a configuration of the client's.
func (w *Write) isPatch() bool { return w.form == applied || w.form == patched && !w.translated }

// prune drops what the schema does not know and reports it as the request asks for. It refuses a wrong type within metadata, because
// everything after relies on it; for built-in kinds every wrong type comes before unknown fields, as in a decoder.
func (w *Write) prune(context.Context) error {
	sent, res := w.obj, w.res
	if err := w.checkNumbers(sent); err != nil {
		return err
	}
	obj, unknown := res.Schema.Prune(sent)
	if res.Dialect.TypesFirst && (len(unknown) > 0 || len(w.problems()) > 0) {
		if errs := res.Schema.CheckTypes(nil, obj); len(errs) > 0 {
			return w.wrongType(sent, errs)
		}
	}
	if m := objectmeta.Of(obj); m.IsAbsent() || m.IsNull() {
		obj = obj.With("metadata", doc.MapOf())
	} else if after := objectmeta.WithoutNulls(m); after != m {
		obj = obj.With("metadata", after)
	}
	m := objectmeta.Of(obj)
	if errs := res.metadata.CheckTypes(status.Field("metadata"), m); len(errs) > 0 {
		if w.form == applied {
			return w.wrongType(sent, errs)
		}
		return w.undecodable(sent, w.metadataTypeError(m, errs))
	}
	if refused := w.Report(unknown); refused != "" {
		return w.undecodable(sent, errors.New(refused))
	}
	if errs := w.checkOverlooked(obj); len(errs) > 0 {
		return w.wrongType(sent, errs)
	}
	how := objectmeta.AsSent
	if w.isPatch() {
		how = objectmeta.AfterMutation
	}
	w.obj = w.dropRepeatedOwners(obj, how)
	return nil
}

// BodyFirst returns what is wrong with a body, or err if nothing is: a client is told of a body that cannot be decoded before
// anything that is found by comparing it with something else.
func (w *Write) BodyFirst(obj doc.Value, err error) error {
	body := *w
	body.attempt = attempt{obj: obj}
	body.Warnings.reset()
	if bad := body.prune(context.Background()); bad != nil {
		return bad
	}
	return body.typesFirst(err)
}

// typesFirst is BodyFirst for a body that has been pruned.
func (w *Write) typesFirst(err error) error {
	if !w.res.Dialect.TypesFirst {
		return err
	}
	if errs := w.res.Schema.CheckTypes(nil, w.obj); len(errs) > 0 {
		return w.wrongType(w.obj, errs)
	}
	return err
}

// checkNumbers refuses numbers that nobody means and that a Go type would read for minutes, before it is asked.
func (w *Write) checkNumbers(obj doc.Value) error {
	if text, found := w.res.Schema.EndlessNumber(obj); found {
		return w.undecodable(obj, EndlessNumber(text))
	}
	return nil
}

// EndlessNumber is what is wrong with such a number.
func EndlessNumber(text string) error { return fmt.Errorf("the number %q has too many digits", text) }

// checkOverlooked checks the types of what a write leaves out of a body, and nobody looks at afterwards. A decoder into Go
// reads it nevertheless.
func (w *Write) checkOverlooked(obj doc.Value) status.FieldErrors {
	res := w.res
	switch {
	case !res.Dialect.WholeBodyChecked || !res.HasStatus():
		return nil
	case w.part() == MainPart && !res.life.wholeBody:
		obj = doc.MapOf(doc.Member{Key: "status", Value: obj.Get("status")})
	}
	return res.Schema.CheckTypes(nil, obj)
}

// wrongType is the answer to values of a wrong type in a body of a built-in kind.
func (w *Write) wrongType(sent doc.Value, errs status.FieldErrors) error {
	err := w.decodingError(sent)
	if err == nil {
		err = errs[0]
	}
	if text := w.res.Schema.Misfit(sent); w.form == applied && text != "" {
		err = errors.New(text)
	}
	return w.undecodable(sent, err)
}

// decodingError says in the words that clients know why an object does not fit its Go type. Of several values of a wrong type
// it names the first one in the body.
func (w *Write) decodingError(obj doc.Value) error {
	t := w.res.GoType.ObjectType()
	if w.Body.Text != nil && !w.translated && !w.isPatch() {
		if err := schema.DecodingError(w.Body.Text, t); err != nil {
			return err
		}
	}
	return schema.DecodingError(codec.AppendJSON(nil, obj), t)
}

// metadataTypeError says in the words that clients know why this metadata cannot be decoded: within its object for a built-in
// kind, by itself for a custom one.
func (w *Write) metadataTypeError(m doc.Value, errs status.FieldErrors) error {
	var err error
	if w.res.Dialect.MetadataAlone {
		err = schema.DecodingError(codec.AppendJSON(nil, m), reflect.TypeFor[apimeta.ObjectMeta]())
	} else {
		err = w.decodingError(doc.MapOf(doc.Member{Key: "metadata", Value: m}))
	}
	if err != nil {
		return err
	}
	return errs[0]
}

func (w *Write) undecodable(obj doc.Value, err error) error {
	return w.undecodableAs(w.res.GVK, obj, err)
}

// undecodableAs is the answer to an object that is of a kind and cannot be read as such.
func (w *Write) undecodableAs(kind apimeta.GroupVersionKind, obj doc.Value, err error) error {
	switch {
	case w.form == applied:
		return inconvertible(w.config, err)
	case w.isPatch():
		return w.patchedInvalid(obj, err.Error())
	}
	return Undecodable(kind, err)
}

// Undecodable is the answer to a body that cannot be read as the kind that it is of.
func Undecodable(kind apimeta.GroupVersionKind, err error) error {
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err))
}

// maxFieldProblems is how many unknown and duplicate fields are named at most, as far as a decoder finds them.
const maxFieldProblems = 100

// problems are what the decoder has found in what the steps work on.
func (w *Write) problems() []string {
	if w.translated {
		return nil
	}
	return w.Body.Problems
}

// Report warns of unknown fields and of what the decoder has found, or returns the text to refuse them with.
func (w *Write) Report(unknown []string) (refused string) {
	if len(unknown)+len(w.problems()) == 0 || w.Asked.Validation == ValidationIgnore {
		return ""
	}
	problems := w.problemsWith(unknown)
	if w.Asked.Validation == ValidationStrict {
		return "strict decoding error: " + strings.Join(problems, ", ")
	}
	for _, p := range problems {
		if !strings.ContainsFunc(p, unicode.IsControl) { // upstream does not warn of such names at all
			w.Warnings.addAlways(p)
		}
	}
	return ""
}

// problemsWith puts what the decoder has found and the unknown fields into upstream's order: for built-in kinds that of
// the body, where what is within an unknown field is not looked at; else the decoder's findings come first, then unknown
// fields of the metadata, then all others by their paths.
func (w *Write) problemsWith(unknown []string) []string {
	found, body := w.problems(), w.Body
	if w.translated {
		body = Body{}
	}
	if body.Text != nil && !slices.ContainsFunc(slices.Concat(unknown, found), isLong) {
		return problemsInOrder(body.Text, unknown)
	}
	problems := slices.Concat(found, body.patched.repeated(found))
	problems = problems[:min(len(problems), maxFieldProblems)]
	sorted := slices.Clone(unknown)
	slices.SortStableFunc(sorted, func(a, b string) int {
		if inA, inB := inMetadata(a), inMetadata(b); inA || inB {
			return boolOrder(inB, inA)
		}
		return strings.Compare(a, b)
	})
	ofView := w.throughOwnKind() && !w.translated && w.form != applied
	if body.inDocument || w.res.Dialect.UnknownVerbatim && !ofView {
		for _, path := range sorted {
			problems = append(problems, `unknown field "`+path+`"`)
		}
		return problems
	}
	for _, path := range sorted[:min(len(sorted), maxFieldProblems-len(problems))] {
		problems = append(problems, unknownField(path))
	}
	return problems
}

func inMetadata(path string) bool { return strings.HasPrefix(path, "metadata.") }

// boolOrder compares two conditions; what is false comes first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// maxOrdered is how long the paths may be that are put in order, in bytes. The path of every member of the text is compared
// with them, and each may be as long as the text.
const maxOrdered = 4 << 10

func isLong(text string) bool { return len(text) > maxOrdered }

func problemsInOrder(text []byte, unknown []string) []string {
	isUnknown := make(map[string]bool, len(unknown))
	for _, path := range unknown {
		isUnknown[path] = true
	}
	named := map[string]bool{}
	var problems []string
	name := func(problem string) {
		if !named[problem] && len(problems) < maxFieldProblems {
			named[problem] = true
			problems = append(problems, problem)
		}
	}
	codec.VisitMembers(text, func(path []byte, again bool) bool {
		switch {
		case len(path) > maxOrdered:
		case isUnknown[string(path)]:
			name(unknownField(string(path)))
			return false
		case again:
			name(DuplicateField(string(path)))
		}
		return true
	})
	return problems
}

func unknownField(path string) string { return fmt.Sprintf("unknown field %q", path) }

// DuplicateField is the text about a member that stands twice in a body.
func DuplicateField(path string) string { return fmt.Sprintf("duplicate field %q", path) }

// FieldValidation says what happens to fields that the schema does not know and to keys that stand twice (API
// concepts, Validation for unrecognized or duplicate fields). The empty value is ValidationWarn.
type FieldValidation string

const (
	ValidationIgnore FieldValidation = "Ignore"
	ValidationWarn   FieldValidation = "Warn"
	ValidationStrict FieldValidation = "Strict"
)

// Check returns what is wrong with a value that a client has sent.
func (v FieldValidation) Check() status.FieldErrors {
	switch v {
	case "", ValidationIgnore, ValidationWarn, ValidationStrict:
		return nil
	}
	return status.FieldErrors{status.UnsupportedValue(status.Field("fieldValidation"), string(v), []string{"", "Ignore", "Strict", "Warn"})}
}

// Warnings are what the Warning headers of an answer say. The first Always of them, about the body as it came and about
// rules that were broken before, go with an error as well. Nobody listens to a nil *Warnings.
type Warnings struct {
	Texts  []string
	Always int
}

func (w *Warnings) add(text string) {
	if w != nil {
		w.Texts = append(w.Texts, text)
	}
}

// addAlways warns of what a client is told whether the write succeeds or not, before anything else.
func (w *Warnings) addAlways(text string) {
	if w != nil {
		w.Texts = slices.Insert(w.Texts, w.Always, text)
		w.Always++
	}
}

// reset forgets the warnings of an attempt that runs again.
func (w *Warnings) reset() {
	if w != nil {
		w.Texts, w.Always = w.Texts[:0], 0
	}
}
