package rest

import (
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

func init() { kind.Inspect = func(d any) ([]*kind.Kind, error) { return inspect(d.(Definition)) } }

// inspect describes the versions of a definition, as [kind.Inspect] promises. It builds the resource without an API.
func inspect(d Definition) ([]*kind.Kind, error) {
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
