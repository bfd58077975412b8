package rights

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// Restriction limits a client to some of the objects. For the client, the others do not exist. Every read and write of
// the client gets the same Restriction: as part of its [Target] or of its [ListParameters]. A nil Restriction restricts
// nothing, and costs nothing.
type Restriction struct {
	// AnyOf are filters. The client sees the objects that match at least one, so none if AnyOf is empty.
	AnyOf []access.Filter
	// and, unless it is nil, restricts the client further.
	and *Restriction
}

// And returns the restriction to objects that both restrictions allow.
func (o *Restriction) And(other *Restriction) *Restriction {
	switch {
	case o == nil:
		return other
	case other == nil:
		return o
	}
	both := *o
	both.and = o.and.And(other)
	return &both
}

// Fingerprint returns a text that differs for different restrictions. It is empty for nil.
func (o *Restriction) Fingerprint() string {
	if o == nil {
		return ""
	}
	digest := o.Digest()
	return hex.EncodeToString(digest[:8])
}

// Digest is a longer Fingerprint, which nobody can choose filters to hit. It is zero for nil.
func (o *Restriction) Digest() (digest [sha256.Size]byte) {
	if o == nil {
		return digest
	}
	var filters []string
	for _, f := range o.AnyOf {
		filters = append(filters, fmt.Sprintf("%q %q %q", f.Namespace, f.Labels.String(), f.Fields.String()))
	}
	slices.Sort(filters)
	and := o.and.Digest()
	return sha256.Sum256(append(and[:], strings.Join(filters, "\n")...))
}

// Each yields the filters of the restriction and of those that it is combined with.
func (o *Restriction) Each(yield func(access.Filter) bool) {
	for ; o != nil; o = o.and {
		for _, f := range o.AnyOf {
			if !yield(f) {
				return
			}
		}
	}
}

// Admits reports whether an object is visible. matches reports whether it matches a filter.
func (o *Restriction) Admits(matches func(access.Filter) bool) bool {
	for ; o != nil; o = o.and {
		if !slices.ContainsFunc(o.AnyOf, matches) {
			return false
		}
	}
	return true
}

// Single returns the filter of a restriction that has only one.
func (o *Restriction) Single() (f access.Filter, ok bool) {
	if o.and != nil || len(o.AnyOf) != 1 {
		return f, false
	}
	return o.AnyOf[0], true
}
