package rest

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// What a client is told of owner references that stand in an object twice: in what it has sent, and in what patches or
// admission hooks have made of it.
const (
	repeatedOwners = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
	repeatedOwnersLater = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
)

// withoutRepeatedOwners drops owner references that stand there twice, and warns of them.
func withoutRepeatedOwners(obj doc.Value, warning string, o *writeOptions) doc.Value {
	owners := metadataOf(obj).Get(fieldOwners)
	if owners.Kind() != doc.List || owners.Len() < 2 {
		return obj
	}
	var kept []doc.Value
	var repeated []string
	seen := map[string]bool{} // the owners as text, which is equal where they are: they have no numbers
	var text []byte
	for _, owner := range owners.Elements() {
		text = codec.AppendJSON(text[:0], owner)
		if seen[string(text)] {
			repeated = append(repeated, owner.Get("uid").Text())
			continue
		}
		seen[string(text)] = true
		kept = append(kept, owner)
	}
	if len(repeated) == 0 {
		return obj
	}
	o.warn(fmt.Sprintf(warning, strings.Join(repeated, ", ")))
	return obj.WithAt(doc.ListOf(kept...), "metadata", fieldOwners)
}
