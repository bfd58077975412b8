package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// Fingerprint returns a short text that changes whenever the schema changes, except for documentation, the names of Go types, and whether
// lists accept null elements. It is the same in every run, so it can be stored: a record with another fingerprint was defaulted, pruned and
// validated by another schema.
func (s *Schema) Fingerprint() string {
	if s.root != nil {
		return s.root.print
	}
	h := sha256.New()
	p := printer{w: h, seen: map[*Object]int{}}
	p.schema(s)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// printer writes a schema as a text that identifies it. It writes an object that it has written before as its number, which ends the
// recursion of types that contain themselves.
type printer struct {
	w    io.Writer
	seen map[*Object]int
}

// schema writes a schema. Stored fingerprints must stay valid, so a constraint that is added here may change the text only if it is set.
func (p *printer) schema(s *Schema) {
	if s == nil {
		fmt.Fprint(p.w, "-")
		return
	}
	fmt.Fprintf(p.w, "{%q %q %q %t %t %t %t ", s.Type, s.OneOf, s.Format, s.Nullable, s.PreserveUnknown, s.IntOrString, s.Immutable)
	fmt.Fprintf(p.w, "%t %d %d %t ", s.goType.set, s.goType.low, s.goType.high, s.goType.singleFP)
	for _, v := range append([]doc.Value{s.DefaultValue, s.Minimum, s.Maximum}, s.Enum...) {
		if v.IsAbsent() {
			fmt.Fprint(p.w, "- ")
		} else {
			fmt.Fprintf(p.w, "%s ", codec.AppendJSON(nil, v))
		}
	}
	fmt.Fprintf(p.w, "%t %t ", s.ExclusiveMinimum, s.ExclusiveMaximum)
	if !s.MultipleOf.IsAbsent() { // keeps the fingerprints that were stored before MultipleOf existed
		fmt.Fprintf(p.w, "* %s ", s.MultipleOf.Literal())
	}
	for _, n := range []*int64{s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties} {
		if n == nil {
			fmt.Fprint(p.w, "- ")
		} else {
			fmt.Fprintf(p.w, "%d ", *n)
		}
	}
	if s.Pattern != nil {
		fmt.Fprintf(p.w, "%q ", s.Pattern)
	}
	fmt.Fprintf(p.w, "%q %q %q %q %q %t ", s.ListType, s.ListMapKeys, s.MapType, s.PatchStrategy, s.PatchMergeKey, s.duplicates)
	for _, r := range s.Rules {
		fmt.Fprintf(p.w, "%q %q %q %q %q %t ", r.Rule, r.Message, r.MessageExpression, r.Reason, r.FieldPath, r.OptionalOldSelf)
	}
	p.object(s.Object)
	p.schema(s.Items)
	p.schema(s.Additional)
	fmt.Fprint(p.w, "}")
}

func (p *printer) object(o *Object) {
	if o == nil {
		fmt.Fprint(p.w, "-")
		return
	}
	if n, again := p.seen[o]; again {
		fmt.Fprintf(p.w, "#%d", n)
		return
	}
	p.seen[o] = len(p.seen)
	fmt.Fprint(p.w, "[")
	for i := range o.Properties {
		f := &o.Properties[i]
		fmt.Fprintf(p.w, "%q %t %t %t %t ", f.Name, f.Required, f.OmitEmpty, f.OmitZero, f.unchecked)
		p.schema(f.Schema)
	}
	for _, u := range o.unions {
		fmt.Fprintf(p.w, "%q %q %q", u.name, u.discriminator, u.members)
	}
	fmt.Fprint(p.w, "]")
}
