package kind

// Inspect describes the versions of a rest.Definition, the stored version first. Packages conventions and crd read a definition with it.
// Package rest does not export it because it returns internal types. Package rest sets it when it is initialized, and nobody changes it
// later. It returns the same errors as rest.New.
var Inspect func(definition any) ([]Inspected, error)

// Inspected describes one version of a definition: its kind, and the host's other settings.
type Inspected struct {
	*Kind
	Columns []Column
	// Scale is nil if the version has no subresource /scale.
	Scale *Scale
	// NotServed hides the version from clients.
	NotServed bool
	// Converted reports whether functions of the host convert objects between this version and the stored version.
	Converted bool
	// Set names the fields of the declaration that are not zero, with those of Hooks, Names and Wire, such as "Hooks.Default".
	Set []string
}

// Column is a column of the table that kubectl get prints. If Path is empty, a function of the host computes the cells.
type Column struct {
	Name, Type, Format, Description string
	Priority                        int32
	Path                            string
}

// Scale holds the paths of the fields that /scale shows. Selector may be empty.
type Scale struct{ SpecReplicas, StatusReplicas, Selector string }
