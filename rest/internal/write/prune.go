package write

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// isPatch reports whether the client sent a patch or a configuration from which the object was computed.
func (w *Write) isPatch() bool { return w.way == applied || w.way == patched && !w.draft.translated }

// prune removes unknown fields and reports them as the request asks. It refuses wrong types in metadata, because the
// later steps rely on them. For a built-in kind it refuses every wrong type, and reports it before unknown fields, as
// upstream's decoder does.
func (w *Write) prune(context.Context) error {
	sent, res := w.draft.now, w.res
	if err := w.checkNumbers(sent); err != nil {
		return err
	}
	obj, unknown := res.Schema.Prune(sent)
	if sent.Get("kind").Text() != res.GVK.Kind { // the schema does not describe this body, which will be refused
		unknown = slices.DeleteFunc(unknown, func(path string) bool { return !inMetadata(path) })
	}
	if res.Dialect.TypesFirst && (len(unknown) > 0 || len(w.problems()) > 0) {
		if errs := res.Schema.CheckTypes(nil, obj); len(errs) > 0 {
			return w.wrongType(sent, errs)
		}
	}
	// The later steps rely on metadata that is an object without nulls inside.
	if m := objectmeta.Of(obj); m.IsAbsent() || m.IsNull() {
		obj = obj.With("metadata", doc.MapOf())
	} else if after := objectmeta.WithoutNulls(m); after != m {
		obj = obj.With("metadata", after)
	}
	m := objectmeta.Of(obj)
	if errs := res.Metadata.CheckTypes(status.NewPath("metadata"), m); len(errs) > 0 {
		if w.way == applied || w.isPatch() && !res.Dialect.MetadataAlone {
			return w.wrongType(sent, errs)
		}
		return w.undecodable(sent, w.metadataTypeError(sent, m, errs))
	}
	if res.Schema.Embeds() {
		var err error
		if obj, err = decodeEmbedded(res, obj); err != nil {
			return w.undecodable(sent, err)
		}
	}
	if refused := w.Report(unknown); refused != "" {
		return w.undecodable(sent, errors.New(refused))
	}
	if errs := w.checkBody(obj); len(errs) > 0 {
		return w.wrongType(sent, errs)
	}
	how := objectmeta.AsSent
	if w.isPatch() {
		how = objectmeta.AfterMutation
	}
	w.draft.now = w.dropRepeatedOwners(obj, how)
	return nil
}

// checkNumbers refuses numbers with so many digits that Go would take minutes to parse them.
func (w *Write) checkNumbers(obj doc.Value) error {
	if text, found := w.res.Schema.EndlessNumber(obj); found {
		return w.undecodable(obj, EndlessNumber(text))
	}
	return nil
}

// EndlessNumber returns the error for a number with too many digits.
func EndlessNumber(text string) error { return fmt.Errorf("the number %q has too many digits", text) }

// checkBody checks the types that no later step checks, or that the dialect checks before it compares the body with the
// stored object. Otherwise the step "set defaults" checks the types of what the write changes. Upstream's decoder reads
// the whole body.
func (w *Write) checkBody(obj doc.Value) status.FieldErrors {
	res, whole := w.res, w.res.Dialect.WholeBodyChecked
	writesStatus := !res.HasStatus() || w.Part() != resource.MainPart
	switch {
	case res.Dialect.TypesFirst && (whole || writesStatus):
	case res.Dialect.TypesFirst:
		obj = obj.Without("status")
	case !whole || !res.HasStatus():
		return nil
	case !writesStatus && !res.Strategy.WholeBody:
		obj = doc.MapOf(doc.Member{Key: "status", Value: obj.Get("status")})
	}
	return res.Schema.CheckTypes(nil, obj)
}

// wrongType returns the error for a body of a built-in kind with values of wrong types.
func (w *Write) wrongType(sent doc.Value, errs status.FieldErrors) error {
	err := w.decodingError(sent)
	if err == nil {
		err = errs[0]
	}
	if text := w.res.Schema.Misfit(sent); w.way == applied && text != "" {
		err = errors.New(text)
	}
	return w.undecodable(sent, err)
}

// decodingError returns Go's error for an object that does not fit its Go type. If several values have wrong types, it
// names the first one in the body.
func (w *Write) decodingError(obj doc.Value) error {
	t := w.res.GoType.ObjectType()
	if w.Body.Text != nil && !w.draft.translated && !w.isPatch() {
		if err := gotype.DecodingError(w.Body.Text, t); err != nil {
			return err
		}
	}
	return gotype.DecodingError(codec.AppendJSON(nil, obj), t)
}

// metadataTypeError returns Go's error for metadata that cannot be decoded: as part of the object for a built-in kind,
// alone for a custom kind.
func (w *Write) metadataTypeError(sent, m doc.Value, errs status.FieldErrors) error {
	var err error
	if w.res.Dialect.MetadataAlone {
		err = gotype.DecodingError(codec.AppendJSON(nil, m), reflect.TypeFor[apimeta.ObjectMeta]())
	} else {
		err = w.decodingError(sent)
	}
	if err != nil {
		return err
	}
	return errs[0]
}

func (w *Write) undecodable(obj doc.Value, err error) error {
	return w.undecodableAs(w.res.GVK, obj, err)
}

// undecodableAs returns the error for an object that cannot be decoded as its kind. The error depends on the way in
// which the client says what it wants.
func (w *Write) undecodableAs(kind apimeta.GroupVersionKind, obj doc.Value, err error) error {
	switch {
	case w.way == applied:
		return inconvertible(w.config, err)
	case w.isPatch():
		return w.patchedInvalid(obj, err.Error())
	}
	return Undecodable(kind, err)
}

// Undecodable returns the error for a body that cannot be decoded as its kind.
func Undecodable(kind apimeta.GroupVersionKind, err error) error {
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version,
		kind.Kind, err))
}

// maxFieldProblems is the largest number of unknown and duplicate fields in one report. A decoder stops there.
const maxFieldProblems = 100

// problems returns the decoder's findings about the object that the steps work on. A translated object is not the body,
// so it has none.
func (w *Write) problems() []string {
	if w.draft.translated {
		return nil
	}
	return w.Body.Problems
}

// Report adds warnings about unknown fields and the decoder's findings. If the client asked for strict validation,
// Report returns the text of the error instead.
func (w *Write) Report(unknown []string) (refused string) {
	if len(unknown)+len(w.problems()) == 0 || w.Asked.Validation == apimeta.FieldValidationIgnore {
		return ""
	}
	problems := w.problemsWith(unknown)
	if w.Asked.Validation == apimeta.FieldValidationStrict {
		return "strict decoding error: " + strings.Join(problems, ", ")
	}
	for _, p := range problems {
		if !strings.ContainsFunc(p, unicode.IsControl) { // upstream does not warn about such names either
			w.Warnings.addAlways(p)
		}
	}
	return ""
}

// problemsWith returns the decoder's findings and the unknown fields in upstream's order. For a built-in kind, that is
// the order of the body, and nothing inside an unknown field is reported. Otherwise the decoder's findings come first,
// then the unknown fields of metadata, then all other unknown fields by their paths.
func (w *Write) problemsWith(unknown []string) []string {
	found, body := w.problems(), w.Body
	if w.draft.translated {
		body = Body{}
	}
	if body.Text != nil && !slices.ContainsFunc(slices.Concat(unknown, found), isLong) {
		return problemsInOrder(body.Text, unknown)
	}
	problems := slices.Concat(found, body.patched.repeated(found))
	problems = problems[:min(len(problems), maxFieldProblems)]
	sorted := slices.Clone(unknown)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if inA, inB := inMetadata(a), inMetadata(b); inA || inB {
			return inA && !inB
		}
		return a < b
	})
	ofView := w.ThroughOwnKind() && !w.draft.translated && w.way != applied
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

// maxOrdered is the longest path, in bytes, that is put in the order of the text. The path of every member is compared
// with the unknown ones. A path may be as long as the body, so that comparison could take quadratic time.
const maxOrdered = 4 << 10

func isLong(text string) bool { return len(text) > maxOrdered }

// problemsInOrder returns the unknown and duplicate fields in the order of the text, each once.
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

// DuplicateField returns the text about a duplicate field of a body.
func DuplicateField(path string) string { return fmt.Sprintf("duplicate field %q", path) }

// CheckValidation returns an error if v is not a level of validation.
func CheckValidation(v apimeta.FieldValidation) status.FieldErrors {
	switch v {
	case "", apimeta.FieldValidationIgnore, apimeta.FieldValidationWarn, apimeta.FieldValidationStrict:
		return nil
	}
	return status.FieldErrors{status.NotSupportedField(status.NewPath("fieldValidation"), string(v),
		[]string{"", "Ignore", "Strict", "Warn"})}
}

// Warnings are the texts of an answer's Warning headers. An error answer carries only the first Always of them: those
// about the body and about rules that the old object already broke. A nil *Warnings drops everything. One goroutine at
// a time may use it.
type Warnings struct {
	Texts  []string
	Always int
}

func (w *Warnings) add(text string) {
	if w != nil {
		w.Texts = append(w.Texts, text)
	}
}

// addAlways adds a warning that the client gets even if the write fails. Such warnings come first.
func (w *Warnings) addAlways(text string) {
	if w != nil {
		w.Texts = slices.Insert(w.Texts, w.Always, text)
		w.Always++
	}
}

// copied returns a copy of the warnings so far.
func (w *Warnings) copied() (copied Warnings) {
	if w != nil {
		copied = Warnings{Texts: slices.Clone(w.Texts), Always: w.Always}
	}
	return copied
}

// resetTo drops all warnings but these, before the next attempt.
func (w *Warnings) resetTo(kept Warnings) {
	if w != nil {
		w.Texts, w.Always = append(w.Texts[:0], kept.Texts...), kept.Always
	}
}
