package schema

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// One walk names up to maxNamed errors or maxUnknown unknown fields, and no more once their places and details have
// maxNamedBytes together, since the key of a map may be as long as the document: a document of any size is answered in
// bounded space.
const (
	maxNamed      = 100
	maxUnknown    = 1000
	maxNamedBytes = 64 << 10
)

// findings are the errors of one walk. Their fields are named from the whole object, of which the walk may have begun at a
// part; the texts name them from where the walk began, as upstream's do.
type findings struct {
	root  *status.Path // where the walk began
	errs  status.FieldErrors
	bytes int
}

func (f *findings) full() bool { return len(f.errs) >= maxNamed || f.bytes >= maxNamedBytes }

func (f *findings) add(err *status.FieldError) {
	if !f.full() {
		f.errs = append(f.errs, err)
		f.bytes += len(err.Field) + len(err.Detail)
	}
}

// invalid is a value that breaks a rule, with what bounds it.
func (f *findings) invalid(at *trail, value any, rule string, bound any) {
	if !f.full() {
		f.add(status.InvalidField(at.below(f.root), value, fmt.Sprintf("%s in body "+rule, at.below(nil), bound)))
	}
}

// badType names the type or format that was wanted and what came.
func (f *findings) badType(at *trail, value any, want, got string) {
	if !f.full() {
		f.add(status.TypeInvalidField(at.below(f.root), value, fmt.Sprintf("%s in body must be of type %s: %q", at.below(nil), want, got)))
	}
}

// enumerated refuses a value that is none of those that its place names.
func (f *findings) enumerated(s *Schema, v doc.Value, at *trail) {
	if len(s.Enum) == 0 {
		return
	}
	for _, allowed := range s.Enum {
		if doc.Equal(v, allowed) {
			return
		}
	}
	allowed := make([]string, 0, len(s.Enum))
	for _, e := range s.Enum {
		if e.Kind() == doc.String {
			allowed = append(allowed, e.Text())
		} else {
			allowed = append(allowed, string(codec.AppendJSON(nil, e)))
		}
	}
	f.add(status.UnsupportedValue(at.below(f.root), plain(v), allowed))
}
