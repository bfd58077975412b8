package apiextensions

// JSONSchemaProps is an OpenAPI v3 schema, with the extensions of Kubernetes. It has fields that no structural schema
// may have, so that validation can name them.
type JSONSchemaProps struct {
	ID                     string                                  `json:"id,omitempty" protobuf:"bytes,1,opt,name=id"`
	Schema                 string                                  `json:"$schema,omitempty" protobuf:"bytes,2,opt,name=schema"`
	Ref                    *string                                 `json:"$ref,omitempty" protobuf:"bytes,3,opt,name=ref"`
	Description            string                                  `json:"description,omitempty" protobuf:"bytes,4,opt,name=description"`
	Type                   string                                  `json:"type,omitempty" protobuf:"bytes,5,opt,name=type"`
	Nullable               bool                                    `json:"nullable,omitempty" protobuf:"varint,37,opt,name=nullable"`
	Format                 string                                  `json:"format,omitempty" protobuf:"bytes,6,opt,name=format"`
	Title                  string                                  `json:"title,omitempty" protobuf:"bytes,7,opt,name=title"`
	Default                *JSON                                   `json:"default,omitempty" protobuf:"bytes,8,opt,name=default"`
	Maximum                *float64                                `json:"maximum,omitempty" protobuf:"fixed64,9,opt,name=maximum"`
	ExclusiveMaximum       bool                                    `json:"exclusiveMaximum,omitempty" protobuf:"varint,10,opt,name=exclusiveMaximum"`
	Minimum                *float64                                `json:"minimum,omitempty" protobuf:"fixed64,11,opt,name=minimum"`
	ExclusiveMinimum       bool                                    `json:"exclusiveMinimum,omitempty" protobuf:"varint,12,opt,name=exclusiveMinimum"`
	MaxLength              *int64                                  `json:"maxLength,omitempty" protobuf:"varint,13,opt,name=maxLength"`
	MinLength              *int64                                  `json:"minLength,omitempty" protobuf:"varint,14,opt,name=minLength"`
	Pattern                string                                  `json:"pattern,omitempty" protobuf:"bytes,15,opt,name=pattern"`
	MaxItems               *int64                                  `json:"maxItems,omitempty" protobuf:"varint,16,opt,name=maxItems"`
	MinItems               *int64                                  `json:"minItems,omitempty" protobuf:"varint,17,opt,name=minItems"`
	UniqueItems            bool                                    `json:"uniqueItems,omitempty" protobuf:"varint,18,opt,name=uniqueItems"`
	MultipleOf             *float64                                `json:"multipleOf,omitempty" protobuf:"fixed64,19,opt,name=multipleOf"`
	Enum                   []JSON                                  `json:"enum,omitempty" protobuf:"bytes,20,rep,name=enum" api:"list=atomic"`
	MaxProperties          *int64                                  `json:"maxProperties,omitempty" protobuf:"varint,21,opt,name=maxProperties"`
	MinProperties          *int64                                  `json:"minProperties,omitempty" protobuf:"varint,22,opt,name=minProperties"`
	Required               []string                                `json:"required,omitempty" protobuf:"bytes,23,rep,name=required" api:"list=atomic"`
	Items                  *JSONSchemaPropsOrArray                 `json:"items,omitempty" protobuf:"bytes,24,opt,name=items"`
	AllOf                  []JSONSchemaProps                       `json:"allOf,omitempty" protobuf:"bytes,25,rep,name=allOf" api:"list=atomic"`
	OneOf                  []JSONSchemaProps                       `json:"oneOf,omitempty" protobuf:"bytes,26,rep,name=oneOf" api:"list=atomic"`
	AnyOf                  []JSONSchemaProps                       `json:"anyOf,omitempty" protobuf:"bytes,27,rep,name=anyOf" api:"list=atomic"`
	Not                    *JSONSchemaProps                        `json:"not,omitempty" protobuf:"bytes,28,opt,name=not"`
	Properties             map[string]JSONSchemaProps              `json:"properties,omitempty" protobuf:"bytes,29,rep,name=properties"`
	AdditionalProperties   *JSONSchemaPropsOrBool                  `json:"additionalProperties,omitempty" protobuf:"bytes,30,opt,name=additionalProperties"`
	PatternProperties      map[string]JSONSchemaProps              `json:"patternProperties,omitempty" protobuf:"bytes,31,rep,name=patternProperties"`
	Dependencies           map[string]JSONSchemaPropsOrStringArray `json:"dependencies,omitempty" protobuf:"bytes,32,opt,name=dependencies"`
	AdditionalItems        *JSONSchemaPropsOrBool                  `json:"additionalItems,omitempty" protobuf:"bytes,33,opt,name=additionalItems"`
	Definitions            map[string]JSONSchemaProps              `json:"definitions,omitempty" protobuf:"bytes,34,opt,name=definitions"`
	ExternalDocs           *ExternalDocumentation                  `json:"externalDocs,omitempty" protobuf:"bytes,35,opt,name=externalDocs"`
	Example                *JSON                                   `json:"example,omitempty" protobuf:"bytes,36,opt,name=example"`
	XPreserveUnknownFields *bool                                   `json:"x-kubernetes-preserve-unknown-fields,omitempty" protobuf:"varint,38,opt,name=xKubernetesPreserveUnknownFields"`
	XEmbeddedResource      bool                                    `json:"x-kubernetes-embedded-resource,omitempty" protobuf:"varint,39,opt,name=xKubernetesEmbeddedResource"`
	XIntOrString           bool                                    `json:"x-kubernetes-int-or-string,omitempty" protobuf:"varint,40,opt,name=xKubernetesIntOrString"`
	XListMapKeys           []string                                `json:"x-kubernetes-list-map-keys,omitempty" protobuf:"bytes,41,rep,name=xKubernetesListMapKeys" api:"list=atomic"`
	XListType              *string                                 `json:"x-kubernetes-list-type,omitempty" protobuf:"bytes,42,opt,name=xKubernetesListType"`
	XMapType               *string                                 `json:"x-kubernetes-map-type,omitempty" protobuf:"bytes,43,opt,name=xKubernetesMapType"`
	XValidations           []ValidationRule                        `json:"x-kubernetes-validations,omitempty" protobuf:"bytes,44,rep,name=xKubernetesValidations" api:"list=map,key=rule,duplicates"`
}

// ValidationRule is a rule in the Common Expression Language.
type ValidationRule struct {
	Rule              string  `json:"rule" protobuf:"bytes,1,opt,name=rule" api:"doc='The expression, which must be true of self.'"`
	Message           string  `json:"message,omitempty" protobuf:"bytes,2,opt,name=message" api:"doc='What must hold, for people.'"`
	MessageExpression string  `json:"messageExpression,omitempty" protobuf:"bytes,3,opt,name=messageExpression" api:"doc='An expression that computes the message.'"`
	Reason            *string `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason" api:"doc='The reason of the cause, such as FieldValueInvalid.'"`
	FieldPath         string  `json:"fieldPath,omitempty" protobuf:"bytes,5,opt,name=fieldPath" api:"doc='The field at fault, below self.'"`
	OptionalOldSelf   *bool   `json:"optionalOldSelf,omitempty" protobuf:"varint,6,opt,name=optionalOldSelf" api:"doc='Whether oldSelf is an optional value, so that the rule also runs without an older value.'"`
}

// ExternalDocumentation refers to documentation elsewhere, for people who read the schema.
type ExternalDocumentation struct {
	Description string `json:"description,omitempty" protobuf:"bytes,1,opt,name=description"`
	URL         string `json:"url,omitempty" protobuf:"bytes,2,opt,name=url"`
}
