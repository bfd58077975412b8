package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// Fingerprint returns a short text that changes whenever the schema changes, except for documentation, the names of Go
// types, and whether lists accept null elements. It is the same in every run, so it can be stored: a record with
// another fingerprint was defaulted, pruned and validated by another schema.
func (s *Schema) Fingerprint() string {
	if s.root != nil {
		return s.root.print()
	}
	return s.computeFingerprint()
}

func (s *Schema) computeFingerprint() string {
	p := printer{text: make([]byte, 0, 16<<10), seen: map[*Object]int{}}
	p.schema(s)
	sum := sha256.Sum256(p.text)
	return hex.EncodeToString(sum[:16])
}

// printer writes a schema as a text that identifies it. It writes an object that it has written before as its number,
// which ends the recursion of types that contain themselves.
type printer struct {
	text []byte
	seen map[*Object]int
}

// schema writes a schema. Stored fingerprints must stay valid, so a constraint that is added here may change the text
// only if it is set.
func (p *printer) schema(s *Schema) {
	if s == nil {
		p.text = append(p.text, '-')
		return
	}
	c := s.Constraints()
	p.text = append(p.text, '{')
	p.quote(s.Type)
	p.quoteAll(s.OneOf)
	p.quote(s.Format)
	p.flags(s.Nullable, s.PreserveUnknown, s.IntOrString, s.Immutable)
	low, high := int64(0), uint64(0)
	if s.goType.bits > 0 {
		low, high = s.integerLimits()
	}
	p.flags(s.goType.bits > 0)
	p.number(low)
	p.text = append(strconv.AppendUint(p.text, high, 10), ' ')
	p.flags(s.goType.singleFP)
	for _, v := range [...]doc.Value{s.DefaultValue, c.Minimum, c.Maximum} {
		p.value(v)
	}
	for _, v := range c.Enum {
		p.value(v)
	}
	p.flags(c.ExclusiveMinimum, c.ExclusiveMaximum)
	if !c.MultipleOf.IsAbsent() { // keeps the fingerprints that were stored before MultipleOf existed
		p.text = fmt.Appendf(p.text, "* %s ", c.MultipleOf.Literal())
	}
	for _, n := range [...]*int64{c.MinLength, c.MaxLength, c.MinItems, c.MaxItems, c.MinProperties, c.MaxProperties} {
		if n == nil {
			p.text = append(p.text, "- "...)
		} else {
			p.number(*n)
		}
	}
	if c.Pattern != nil {
		p.quote(c.Pattern.String())
	}
	p.quote(s.ListType)
	p.quoteAll(s.ListMapKeys)
	p.quote(s.MapType)
	p.quote(s.PatchStrategy)
	p.quote(s.PatchMergeKey)
	p.flags(s.duplicates)
	for _, r := range c.Rules {
		p.text = fmt.Appendf(p.text, "%q %q %q %q %q %t ", r.Rule, r.Message, r.MessageExpression, r.Reason, r.FieldPath,
			r.OptionalOldSelf)
	}
	p.object(s.Object)
	p.schema(s.Items)
	p.schema(s.Additional)
	p.text = append(p.text, '}')
}

func (p *printer) object(o *Object) {
	if o == nil {
		p.text = append(p.text, '-')
		return
	}
	if n, again := p.seen[o]; again {
		p.text = strconv.AppendInt(append(p.text, '#'), int64(n), 10)
		return
	}
	p.seen[o] = len(p.seen)
	p.text = append(p.text, '[')
	for i := range o.Properties {
		f := &o.Properties[i]
		p.quote(f.Name)
		p.flags(f.Required, f.OmitEmpty, f.OmitZero, f.unchecked)
		p.schema(f.Schema)
	}
	for _, u := range o.unions {
		p.text = fmt.Appendf(p.text, "%q %q %q", u.name, u.discriminator, u.members)
		p.flags(u.atMostOne)
	}
	p.text = append(p.text, ']')
}

func (p *printer) quote(s string) { p.text = append(appendQuoted(p.text, s), ' ') }

// appendQuoted is strconv.AppendQuote, and faster for names.
func appendQuoted(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(dst, s)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

func (p *printer) quoteAll(all []string) {
	p.text = append(p.text, '[')
	for i, s := range all {
		if i > 0 {
			p.text = append(p.text, ' ')
		}
		p.text = appendQuoted(p.text, s)
	}
	p.text = append(p.text, "] "...)
}

func (p *printer) number(n int64) { p.text = append(strconv.AppendInt(p.text, n, 10), ' ') }

func (p *printer) flags(flags ...bool) {
	for _, set := range flags {
		p.text = append(strconv.AppendBool(p.text, set), ' ')
	}
}

func (p *printer) value(v doc.Value) {
	if v.IsAbsent() {
		p.text = append(p.text, '-')
	} else {
		p.text = codec.AppendJSON(p.text, v)
	}
	p.text = append(p.text, ' ')
}
