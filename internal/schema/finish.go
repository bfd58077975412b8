package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// maxDefaultNodes bounds how many values one default may grow to with the defaults below it, because the default of a
// type that contains itself by default would be infinite.
const maxDefaultNodes = 10_000

// finish checks what can be checked only when the whole tree is known, and prepares the walks.
func (d *deriver) finish(root *Schema) {
	seen := map[*Schema]bool{}
	d.ruled = slices.DeleteFunc(d.ruled, func(r ruled) bool { // a tag and the overlay may both have constrained a place
		again := seen[r.schema]
		seen[r.schema] = true
		return again
	})
	for _, r := range d.ruled {
		for _, err := range r.schema.contradictions() {
			d.fail(r.where, err)
		}
		if err := d.checkKeys(r.schema); err != nil {
			d.fail(r.where, err)
		}
	}
	if len(d.errs) > 0 {
		return
	}
	for _, o := range d.made {
		for i := range o.Properties {
			if !o.Properties[i].Schema.DefaultValue.IsAbsent() {
				o.defaults = append(o.defaults, i)
			}
		}
		for _, i := range o.declared {
			if o.Properties[i].Required {
				o.required = append(o.required, i)
			}
		}
	}
	// The defaults are validated below, which needs this mark to find duplicates.
	d.markWays(root, places{
		own:    (*Schema).tellsApart,
		schema: func(s *Schema) *bool { return &s.distinct },
		object: func(o *Object) *bool { return &o.distinct },
	})
	for _, r := range d.ruled {
		if r.schema.DefaultValue.IsAbsent() {
			continue
		}
		left := maxDefaultNodes
		filled, ok := r.schema.complete(r.schema.DefaultValue, &left)
		if !ok {
			d.fail(r.where, errors.New("the default contains itself, through the defaults below it"))
			continue
		}
		if !r.schema.fills(filled) {
			d.fail(r.where, errors.New("the default is too large with the defaults below it"))
			continue
		}
		at := status.NewPath("default")
		if errs := append(r.schema.CheckTypes(at, filled), r.schema.Validate(at, filled)...); len(errs) > 0 {
			d.fail(r.where, fmt.Errorf("the default breaks the field's own rules: %v", errs[0]))
		} else if _, unknown := r.schema.Prune(filled); len(unknown) > 0 {
			d.fail(r.where, fmt.Errorf("the default has the unknown field %s", unknown[0]))
		}
	}
	d.markWays(root, places{
		own:    func(s *Schema) bool { return s.Immutable },
		schema: func(s *Schema) *bool { return &s.keeps },
		object: func(o *Object) *bool { return &o.keeps },
	})
	d.markWays(root, places{
		own:    (*Schema).reconciles,
		schema: func(s *Schema) *bool { return &s.settles },
		object: func(o *Object) *bool { return &o.settles },
	})
	d.markWays(root, places{
		own:    (*Schema).readsNumbers,
		schema: func(s *Schema) *bool { return &s.counts },
		object: func(o *Object) *bool { return &o.counts },
	})
}

// complete adds to a declared default the defaults below it, as [Schema.Default] does for the documents of users. It
// returns false if that takes too many steps.
func (s *Schema) complete(v doc.Value, left *int) (doc.Value, bool) {
	if *left--; *left < 0 {
		return v, false
	}
	ok := true
	switch {
	case v.Kind() == doc.List && s.Items != nil:
		v = v.Rewrite(func(_ int, _ string, child doc.Value) doc.Value {
			next, fits := s.Items.complete(child, left)
			ok = ok && fits
			return next
		})
	case v.Kind() == doc.Map:
		if s.Object != nil {
			for i := range s.Object.Properties {
				if p := &s.Object.Properties[i]; ok && !p.Schema.DefaultValue.IsAbsent() && !v.Has(p.Name) {
					v = v.With(p.Name, p.Schema.DefaultValue)
				}
			}
		}
		v = v.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
			below := s.Member(key)
			if below == nil || !ok {
				return child
			}
			next, fits := below.complete(child, left)
			ok = ok && fits
			return next
		})
	}
	return v, ok
}

// contradictions returns the contradictions between the constraints of one place.
func (s *Schema) contradictions() []error {
	c := s.Constraints()
	var errs []error
	crossed := func(low, high *int64, what string) {
		if low != nil && high != nil && *low > *high {
			errs = append(errs, fmt.Errorf("min%s %d exceeds max%s %d", what, *low, what, *high))
		}
	}
	crossed(c.MinLength, c.MaxLength, "Length")
	crossed(c.MinItems, c.MaxItems, "Items")
	crossed(c.MinProperties, c.MaxProperties, "Properties")
	if !c.Minimum.IsAbsent() && !c.Maximum.IsAbsent() && compareNumbers(c.Minimum, c.Maximum) > 0 {
		errs = append(errs, fmt.Errorf("min %s exceeds max %s", c.Minimum.Literal(), c.Maximum.Literal()))
	}
	if c.ExclusiveMinimum && c.Minimum.IsAbsent() || c.ExclusiveMaximum && c.Maximum.IsAbsent() {
		errs = append(errs, errors.New("an exclusive bound needs min or max"))
	}
	if !c.MultipleOf.IsAbsent() && compareNumbers(c.MultipleOf, doc.OfInt(0)) <= 0 {
		errs = append(errs, fmt.Errorf("multipleOf %s must be above 0", c.MultipleOf.Literal()))
	}
	for _, e := range c.Enum {
		if !s.allows(e) {
			errs = append(errs, fmt.Errorf("the enumeration contains a %s, but the field is of type %s", e.Kind(), s.noun()))
		}
	}
	if s.ListType == MapList && len(s.ListMapKeys) == 0 {
		errs = append(errs, errors.New("list=map needs key=, the member that identifies an element"))
	}
	if s.ListType != MapList && len(s.ListMapKeys) > 0 {
		errs = append(errs, errors.New("key= needs list=map"))
	}
	return errs
}

// checkKeys rejects list keys that the elements do not have, that are not scalars, or that an element may lack: an
// element without a key can be neither merged nor owned (API conventions, Lists of named subobjects preferred over
// maps).
func (d *deriver) checkKeys(s *Schema) error {
	if s.ListType != MapList || d.unknown[s.Items] {
		return nil
	}
	for _, key := range s.ListMapKeys {
		p := s.Items.Property(key)
		switch {
		case p == nil:
			return fmt.Errorf("the elements have no member %q that could be the key", key)
		case d.unknown[p.Schema]:
		case p.Schema.Type == ObjectType || p.Schema.Type == ArrayType || p.Schema.Type == AnyType && !p.Schema.IntOrString:
			return fmt.Errorf("the key %q must be a scalar, but its type is %s", key, p.Schema.noun())
		case !d.options.Builtin && !p.Required && p.Schema.DefaultValue.IsAbsent():
			return fmt.Errorf("the key %q must be required or have a default (%s.%s)", key, s.Items.Object.Name, key)
		}
	}
	return nil
}

// places selects the flags that [deriver.markWays] sets: one of the schema, and one of the struct types that lead
// there.
type places struct {
	own    func(s *Schema) bool
	schema func(s *Schema) *bool
	object func(o *Object) *bool
}

// markWays marks every schema from which a marked place can be reached. It repeats until nothing changes, because types
// may be recursive.
func (d *deriver) markWays(root *Schema, to places) {
	var mark func(s *Schema) bool
	mark = func(s *Schema) bool {
		if s == nil {
			return false
		}
		items, additional := mark(s.Items), mark(s.Additional)
		leads := to.own(s) || items || additional || s.Object != nil && *to.object(s.Object)
		*to.schema(s) = leads
		return leads
	}
	for changed := true; changed; {
		changed = false
		for _, o := range d.made {
			for i := range o.Properties {
				if seen := to.object(o); mark(o.Properties[i].Schema) && !*seen {
					*seen, changed = true, true
				}
			}
		}
	}
	mark(root)
}
