package rest

import (
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Inspect is the door through which package resttest looks at a definition, to vet it against the API conventions. It
// returns a description of each version, the stored version first; the descriptions are internal to this module. The error is
// the one that New would return.
func Inspect(d Definition) ([]*kind.Kind, error) {
	res, err := d.resource(&resource.Environment{})
	if err != nil {
		return nil, err
	}
	var out []*kind.Kind
	for _, version := range res.everyVersion() {
		out = append(out, version.Kind)
	}
	return out, nil
}
