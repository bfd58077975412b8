package schema

import (
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// One walk reports up to maxNamed errors or maxUnknown unknown fields, and stops once their paths and details take
// maxNamedBytes together. Since a map key may be as long as the document, this bounds the answer to a document of any
// size.
const (
	maxNamed      = 100
	maxUnknown    = 1000
	maxNamedBytes = 64 << 10
)

// wholeDocument is the path of errors about the document itself, as in kube-apiserver.
const wholeDocument = "<nil>"

// findings are the errors of one walk. Their field paths start at the whole object, even if the walk began at a part of
// it. Their texts name the path from the start of the walk, as kube-apiserver does.
type findings struct {
	root  *status.Path // where the walk began
	errs  status.FieldErrors
	bytes int
	// unique drops an error that is already there.
	unique bool
}

func (f *findings) full() bool { return len(f.errs) >= maxNamed || f.bytes >= maxNamedBytes }

func (f *findings) add(err *status.FieldError) {
	if err.Field == "" {
		err.Field = wholeDocument
	}
	again := func(e *status.FieldError) bool {
		return e.Type == err.Type && e.Field == err.Field && e.Detail == err.Detail
	}
	if !f.full() && !(f.unique && slices.ContainsFunc(f.errs, again)) {
		f.errs = append(f.errs, err)
		f.bytes += len(err.Field) + len(err.Detail)
	}
}

// invalid adds an error for a value that breaks a rule with a bound.
func (f *findings) invalid(at *trail, value any, rule string, bound any) {
	if !f.full() {
		f.add(status.InvalidField(at.below(f.root), value, fmt.Sprintf("%s in body "+rule, at.text(), bound)))
	}
}

// badType adds an error that names the expected type or format and the actual one.
func (f *findings) badType(at *trail, value any, want, got string) {
	if !f.full() {
		f.add(status.TypeInvalidField(at.below(f.root), value,
			fmt.Sprintf("%s in body must be of type %s: %q", at.text(), want, got)))
	}
}

// enumerated adds an error for a value that is not one of the allowed values.
func (f *findings) enumerated(s *Schema, v doc.Value, at *trail) {
	c := s.Constraints()
	if len(c.Enum) == 0 {
		return
	}
	for _, allowed := range c.Enum {
		if doc.Equal(v, allowed) {
			return
		}
	}
	allowed := make([]string, 0, len(c.Enum))
	for _, e := range c.Enum {
		if e.Kind() == doc.String {
			allowed = append(allowed, e.Text())
		} else {
			allowed = append(allowed, string(codec.AppendJSON(nil, e)))
		}
	}
	f.add(status.NotSupportedField(at.below(f.root), plain(v), allowed))
}
