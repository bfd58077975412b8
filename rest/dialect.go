package rest

// Dialect names one of the two ways in which Kubernetes' own servers answer: one for the kinds that are built into
// them, one for custom resources. Clients know both and the transcripts hold both, so a resource states which of the
// two it speaks. A kind has one dialect.
type Dialect int

const (
	// Custom is the dialect of custom resources and the default: what a host declares with structs of its own.
	Custom Dialect = iota
	// Builtin is the dialect of the kinds that Kubernetes itself brings, for structs of k8s.io/api.
	Builtin
)

// switches are the differences between the dialects, each with the rule it stands for. Code asks the switch, never
// the dialect, so that a difference has one name and one place.
type switches struct {
	// kindRequired: a body must name its apiVersion and kind. Built-in kinds fill in what is missing.
	kindRequired bool
	// typeErrorsInvalid: a value of a wrong JSON type is 422 Invalid with a cause. For built-in kinds it is 400.
	typeErrorsInvalid bool
	// unconditionalUpdate: a PUT without a resourceVersion overwrites. Custom resources refuse it with 422.
	unconditionalUpdate bool
	// generation: metadata.generation is kept, and grows with every change outside of metadata and status.
	generation bool
	// finalizerWarnings: a finalizer without a domain is accepted with a warning.
	finalizerWarnings bool
	// coreMetadata: the metadata has to follow the rules of the core group besides those that all kinds share. A finalizer
	// without a domain is refused, and a generateName is checked in updates as well.
	coreMetadata bool
	// strategicMerge: PATCH takes strategic merge patches. Custom resources answer 415.
	strategicMerge bool
	// structBodies: a body counts as Go decodes it into a struct. Of several members with one name that are all objects
	// the members of each count, and 2.0 is no integer. For custom resources the last member counts, 2.0 is 2, and no number
	// may be beyond what a float64 holds.
	structBodies bool
	// goWritten: what is stored is what the Go type writes of an object, without zeros and nulls where it leaves them out. An
	// object of a custom kind is stored as it was sent.
	goWritten bool
	// declaredFields: an object is shown in messages with its fields as the Go type declares them. Those of custom resources
	// are sorted by name.
	declaredFields bool
	// itemKinds: the items of a list carry their own kind and apiVersion.
	itemKinds bool
	// ageColumn: without columns of the host's a Table shows Name and Age, else Name and Created At.
	ageColumn bool
	// countsChecked: the fields that /scale reads are checked in every write, beside their rules in the schema. For built-in
	// kinds what is written to /scale is checked.
	countsChecked bool
	// byRoute: a media type that is not served, and a verb that a subresource does not have, are refused where the route is
	// chosen, in the words of that place.
	byRoute bool
	// statusMetadata: a write to /status also changes the metadata. That of custom resources leaves it as it is.
	statusMetadata bool
	// zeroSelectable: a selectable boolean or integer that an object does not have is selected as false or 0. For custom
	// resources it is selected as nothing.
	zeroSelectable bool
	// untyped: where an error names the Go type of an object it is the one that holds any. Built-in kinds have their own.
	untyped bool
	// unknownVerbatim: the names of unknown fields stand in messages as they are, and all are named. For built-in kinds a
	// decoder finds them, which quotes them as Go does and names a hundred.
	unknownVerbatim bool
	// sortedDiscovery: discovery has verbs and subresources in the order of their names, and leaves out of a kind in the
	// aggregated document what is that of its entry. That of custom resources has an order of its own and whole kinds.
	sortedDiscovery bool
	// storedRules: a write in another version than the stored one is held to the rules of both: those of its own version and,
	// converted, the defaults, hooks and validation of the stored one. Custom resources of Kubernetes are held to those of the
	// version of the request alone, where a stored object may break the rules of its own version.
	storedRules bool
	// requiredByTag: a field whose json tag has neither omitempty nor omitzero is required.
	requiredByTag bool
}

func (d Dialect) switches() switches {
	if d == Builtin {
		return switches{unconditionalUpdate: true, coreMetadata: true, strategicMerge: true, structBodies: true, goWritten: true, declaredFields: true, byRoute: true, statusMetadata: true, zeroSelectable: true, sortedDiscovery: true, storedRules: true}
	}
	return switches{
		kindRequired:      true,
		typeErrorsInvalid: true,
		generation:        true,
		finalizerWarnings: true,
		itemKinds:         true,
		ageColumn:         true,
		countsChecked:     true,
		untyped:           true,
		unknownVerbatim:   true,
		storedRules:       true,
		requiredByTag:     true,
	}
}
