package upstream

// Dialect has one switch for each difference between upstream's two ways of answering. A test prints the tags of the
// fields as a table into docs/protocol.md: what the switch is about, and what happens if it is true or false.
type Dialect struct {
	// Bodies.

	KindRequired      bool `about:"a body without apiVersion or kind" yes:"400 BadRequest" no:"the missing ones are filled in"`
	BodiesAreStructs  bool `about:"duplicate members, 2.0 for an integer, numbers" yes:"as Go decodes into a struct: duplicate objects are merged, 2.0 is a wrong type" no:"the last member counts, 2.0 is 2, a number must fit a float64"`
	TypesFirst        bool `about:"values of a wrong type are reported" yes:"before unknown fields, and before the body is compared with the URL or the stored object" no:"when the object is validated"`
	WholeBodyChecked  bool `about:"types in parts of a body that the request does not write, such as the status" yes:"checked" no:"not checked"`
	TypeErrorsInvalid bool `about:"a value of a wrong type" yes:"422 Invalid with a cause" no:"400 BadRequest"`
	MetadataAlone     bool `about:"the path in a decoding error of the metadata" yes:"within the metadata" no:"within the object"`
	UnknownVerbatim   bool `about:"unknown fields in messages" yes:"all, unescaped" no:"the first hundred, escaped"`

	// What is stored.

	GoWritten      bool `about:"what is stored" yes:"what the Go type writes, without the zeros and nulls that it leaves out" no:"what the client sent, pruned and defaulted; metadata as Go writes it"`
	RequiredByTag  bool `about:"a field whose JSON tag has neither omitempty nor omitzero" yes:"required" no:"optional"`
	StoredRules    bool `about:"a write in another version than the stored one" yes:"must meet the rules of both versions" no:"must meet the rules of its own version"`
	FieldsKept     bool `about:"a field of the stored version that the version of a write lacks" yes:"kept" no:"removed"`
	ShownDefaulted bool `about:"a default of a version, if the stored object lacks the field" yes:"set when the object is read in that version" no:"set only by a write in that version"`

	// Metadata.

	Generation          bool `about:"metadata.generation" yes:"rises with each change outside of metadata and status" no:"does not rise, unless the resource sets Generation"`
	ClientGeneration    bool `about:"metadata.generation in a POST, if the server does not raise it" yes:"stored" no:"dropped"`
	CoreMetadata        bool `about:"rules of the core group: finalizers need a domain, updates check generateName" yes:"apply, unless the resource sets PlainMetadata" no:"do not apply"`
	FinalizerWarnings   bool `about:"a new finalizer without a domain" yes:"accepted with a warning" no:"no warning"`
	EmptyFinalizersKept bool `about:"an empty list of finalizers in an object that is being deleted" yes:"kept" no:"removed"`
	EmptyManagersUnset  bool `about:"an empty list of managedFields in a body" yes:"treated as absent" no:"resets them"`

	// Writes.

	UnconditionalUpdate bool `about:"a PUT without a resourceVersion" yes:"overwrites, unless the resource sets VersionRequired" no:"422 Invalid"`
	StatusPrepared      bool `about:"the status that the Prepare hook sets in an update of the object" yes:"stored" no:"ignored"`
	HooksOwn            bool `about:"fields that admission hooks and the Prepare hook set" yes:"belong to the client whose write they changed" no:"have no owner until a client writes them"`
	StatusMetadata      bool `about:"metadata in a write to /status" yes:"written" no:"left as it is"`
	CountsChecked       bool `about:"the fields that /scale reads" yes:"checked in every write" no:"checked in writes to /scale"`
	GroupInKey          bool `about:"the key in the message about a failed uid precondition" yes:"with the group" no:"without the group"`

	// Patches and apply.

	StrategicMerge     bool `about:"a strategic merge patch" yes:"applied" no:"415 UnsupportedMediaType"`
	PatchedKindInvalid bool `about:"a patch that changes apiVersion or kind" yes:"422 Invalid with a cause for each" no:"a decoding error"`
	AppliedNullsOwned  bool `about:"a null in an applied configuration" yes:"a value, which is validated" no:"treated as absent"`
	AppliedMetaLenient bool `about:"a metadata field of a wrong type in an applied configuration" yes:"dropped" no:"refused"`
	DeclaredOrder      bool `about:"the fields of an object in messages" yes:"in the order of the Go type" no:"sorted by name"`

	// Reads.

	ItemKinds      bool `about:"the items of a list" yes:"carry their apiVersion and kind" no:"do not"`
	EmptyContinue  bool `about:"metadata.continue of a list without a next page" yes:"the empty string; absent from a Table and from a list of metadata" no:"absent"`
	AgeColumn      bool `about:"the default columns of a Table" yes:"Name, Age" no:"Name, Created At"`
	ZeroSelectable bool `about:"an absent boolean or integer in a field selector" yes:"false or 0" no:"the empty string"`
	LabelsListed   bool `about:"an unsupported field selector of a kind without selectable fields" yes:"the answer lists the supported fields" no:"the answer names the field"`

	// Routes and names.

	HeadServed          bool `about:"HEAD" yes:"GET without a body" no:"405 MethodNotAllowed"`
	MethodsNamed        bool `about:"a method that is not a verb" yes:"405 that names the resource" no:"405"`
	ObjectBlamed        bool `about:"a subresource that does not exist" yes:"404 for the object" no:"404 for the resource"`
	MediaRefusedByRoute bool `about:"an unsupported media type" yes:"refused by the route, in plain words" no:"refused with a Status"`
	VerbsRefusedByRoute bool `about:"a verb that a subresource does not have" yes:"405" no:"405 that names the resource"`
	UnstructuredNames   bool `about:"the Go type of an object in messages" yes:"unstructured" no:"group and kind"`
	InScheme            bool `about:"messages about a body of another kind" yes:"know the kind" no:"say that the kind is not registered"`
	BriefDiscovery      bool `about:"verbs and subresources in discovery" yes:"sorted; an aggregated entry omits its own group and version" no:"in the order of custom resources; with group and version"`
}

// Custom is the dialect of custom resources.
var Custom = Dialect{
	KindRequired:      true,
	TypeErrorsInvalid: true,
	MetadataAlone:     true,
	UnknownVerbatim:   true,

	RequiredByTag:  true,
	StoredRules:    true,
	FieldsKept:     true,
	ShownDefaulted: true,

	Generation:          true,
	FinalizerWarnings:   true,
	EmptyFinalizersKept: true,
	EmptyManagersUnset:  true,

	HooksOwn:      true,
	CountsChecked: true,
	GroupInKey:    true,

	PatchedKindInvalid: true,
	AppliedNullsOwned:  true,
	AppliedMetaLenient: true,

	ItemKinds:     true,
	EmptyContinue: true,
	AgeColumn:     true,

	HeadServed:        true,
	MethodsNamed:      true,
	ObjectBlamed:      true,
	UnstructuredNames: true,
}

// Builtin is the dialect of the kinds that are built into kube-apiserver.
var Builtin = Dialect{
	BodiesAreStructs: true,
	TypesFirst:       true,
	WholeBodyChecked: true,

	GoWritten:      true,
	StoredRules:    true,
	FieldsKept:     true,
	ShownDefaulted: true,

	ClientGeneration: true,
	CoreMetadata:     true,

	UnconditionalUpdate: true,
	StatusPrepared:      true,
	StatusMetadata:      true,

	StrategicMerge: true,
	DeclaredOrder:  true,

	ZeroSelectable: true,
	LabelsListed:   true,

	MediaRefusedByRoute: true,
	VerbsRefusedByRoute: true,
	InScheme:            true,
	BriefDiscovery:      true,
}
