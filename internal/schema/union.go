package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// union is a set of struct members. Exactly one of them must be set, or at most one (API conventions, Unions). A
// discriminator, if there is one, names that member. If its value names none of the members, none may be set.
type union struct {
	name          string
	discriminator string // "" if there is none
	atMostOne     bool   // without a discriminator, no member need be set
	members       []unionMember
}

type unionMember struct {
	field string
	value string // the value of the discriminator
}

// Union is a set of members of a struct. Without a discriminator, exactly one member must be set, or at most one. With
// a discriminator, its value determines which member must be set.
type Union struct {
	Discriminator string // "" for a union without a discriminator
	AtMostOne     bool
	Members       []UnionMember
}

// UnionMember is a member of a [Union], with the value of the discriminator that selects it.
type UnionMember struct{ Field, Value string }

// Unions returns the unions of a struct.
func (o *Object) Unions() []Union {
	out := make([]Union, len(o.unions))
	for i, u := range o.unions {
		out[i].Discriminator, out[i].AtMostOne = u.discriminator, u.atMostOne
		for _, m := range u.members {
			out[i].Members = append(out[i].Members, UnionMember{Field: m.field, Value: m.value})
		}
	}
	return out
}

// membership is what the api tag of a member says about unions.
type membership struct {
	union         string
	discriminator bool
	member        bool
	value         string // the value of the discriminator; "" means the member's name in CamelCase
	atMostOne     bool   // true for each member of a union that may have none
}

// join adds a member of a struct to its union.
func (o *Object) join(p Property, m membership) error {
	switch {
	case m.discriminator || m.member:
	case m.union != "":
		return errors.New("union= needs discriminator or member")
	case m.atMostOne:
		return errors.New("atMostOne needs member")
	default:
		return nil
	}
	i := slices.IndexFunc(o.unions, func(u union) bool { return u.name == m.union })
	if i < 0 {
		i = len(o.unions)
		o.unions = append(o.unions, union{name: m.union})
	}
	u := &o.unions[i]
	u.atMostOne = u.atMostOne || m.atMostOne
	switch {
	case m.discriminator && m.member:
		return errors.New("a field cannot be both the discriminator and a member of a union")
	case m.discriminator && p.Schema.Type != StringType:
		return fmt.Errorf("a discriminator must be a string, not %s", p.Schema.noun())
	case m.discriminator && u.discriminator != "":
		return fmt.Errorf("the union already has the discriminator %s", u.discriminator)
	case m.discriminator:
		u.discriminator = p.Name
	case p.Required || !p.OmitEmpty && !p.OmitZero || !p.Schema.DefaultValue.IsAbsent():
		return errors.New("a member of a union must be optional: it needs omitempty or omitzero, must not be required and must not have a default")
	default:
		if m.value == "" {
			first, size := utf8.DecodeRuneInString(p.Name)
			m.value = string(unicode.ToUpper(first)) + p.Name[size:]
		}
		u.members = append(u.members, unionMember{field: p.Name, value: m.value})
	}
	return nil
}

// incomplete checks a union once all its members are known.
func (u *union) incomplete() error {
	switch {
	case len(u.members) == 0, len(u.members) == 1 && u.discriminator == "":
		return fmt.Errorf("the union %q of its fields has too few members", u.name)
	case u.atMostOne && u.discriminator != "":
		return fmt.Errorf("the union %q of its fields has a discriminator, so atMostOne has no meaning: a value that "+
			"names no member says that none is set", u.name)
	}
	return nil
}

// union adds an error if more or fewer members of a union are set than must be, or another one than its discriminator
// names. It accepts a fault that the old object has, too.
func (w *validator) union(u *union, v, old doc.Value, at *trail) {
	if old.Kind() == doc.Map && !u.changed(v, old) {
		return
	}
	if u.discriminator == "" {
		w.plainUnion(u, v, at)
		return
	}
	value := v.Get(u.discriminator).Text()
	step := trail{up: at, index: member}
	for _, m := range u.members {
		step.key = m.field
		switch set := isSet(v.Get(m.field)); {
		case set && m.value != value:
			w.add(status.InvalidField(step.below(w.root), "",
				fmt.Sprintf("may only be specified when `%s` is %q", u.discriminator, m.value)))
		case !set && m.value == value:
			w.add(status.InvalidField(step.below(w.root), "",
				fmt.Sprintf("must be specified when `%s` is %q", u.discriminator, value)))
		}
	}
}

// plainUnion checks a union without a discriminator.
func (w *validator) plainUnion(u *union, v doc.Value, at *trail) {
	var all, set []string
	for _, m := range u.members {
		all = append(all, "`"+m.field+"`")
		if isSet(v.Get(m.field)) {
			set = append(set, m.field)
		}
	}
	number := "exactly"
	if u.atMostOne {
		number = "at most"
	}
	switch {
	case len(set) == 0 && !u.atMostOne:
		w.add(status.InvalidField(at.below(w.root), "", "must specify one of: "+strings.Join(all, ", ")))
	case len(set) > 1:
		w.add(status.InvalidField(at.below(w.root), "{"+strings.Join(set, ", ")+"}",
			"must specify "+number+" one of: "+strings.Join(all, ", ")))
	}
}

// changed reports whether the set members or the discriminator differ from the old object.
func (u *union) changed(v, old doc.Value) bool {
	if u.discriminator != "" && v.Get(u.discriminator).Text() != old.Get(u.discriminator).Text() {
		return true
	}
	return slices.ContainsFunc(u.members,
		func(m unionMember) bool { return isSet(v.Get(m.field)) != isSet(old.Get(m.field)) })
}

// clear drops the members that an update left unchanged when it changed the discriminator, so that a client that knows
// only some members can choose another one.
func (u *union) clear(v, old doc.Value) doc.Value {
	value := v.Get(u.discriminator)
	if u.discriminator == "" || doc.Equal(value, old.Get(u.discriminator)) {
		return v
	}
	for _, m := range u.members {
		if m.value != value.Text() && v.Has(m.field) && doc.Equal(v.Get(m.field), old.Get(m.field)) {
			v = v.Without(m.field)
		}
	}
	return v
}

func isSet(v doc.Value) bool { return !v.IsAbsent() && !v.IsNull() }
