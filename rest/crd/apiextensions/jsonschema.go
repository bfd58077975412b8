package apiextensions

// JSONSchemaProps is an OpenAPI v3 schema, with the extensions of Kubernetes. It has fields that no structural schema may have, so
// that validation can name them.
type JSONSchemaProps struct {
	ID                     string                                  `json:"id,omitempty"`
	Schema                 string                                  `json:"$schema,omitempty"`
	Ref                    *string                                 `json:"$ref,omitempty"`
	Description            string                                  `json:"description,omitempty"`
	Type                   string                                  `json:"type,omitempty"`
	Nullable               bool                                    `json:"nullable,omitempty"`
	Format                 string                                  `json:"format,omitempty"`
	Title                  string                                  `json:"title,omitempty"`
	Default                *JSON                                   `json:"default,omitempty"`
	Maximum                *float64                                `json:"maximum,omitempty"`
	ExclusiveMaximum       bool                                    `json:"exclusiveMaximum,omitempty"`
	Minimum                *float64                                `json:"minimum,omitempty"`
	ExclusiveMinimum       bool                                    `json:"exclusiveMinimum,omitempty"`
	MaxLength              *int64                                  `json:"maxLength,omitempty"`
	MinLength              *int64                                  `json:"minLength,omitempty"`
	Pattern                string                                  `json:"pattern,omitempty"`
	MaxItems               *int64                                  `json:"maxItems,omitempty"`
	MinItems               *int64                                  `json:"minItems,omitempty"`
	UniqueItems            bool                                    `json:"uniqueItems,omitempty"`
	MultipleOf             *float64                                `json:"multipleOf,omitempty"`
	Enum                   []JSON                                  `json:"enum,omitempty" api:"list=atomic"`
	MaxProperties          *int64                                  `json:"maxProperties,omitempty"`
	MinProperties          *int64                                  `json:"minProperties,omitempty"`
	Required               []string                                `json:"required,omitempty" api:"list=atomic"`
	Items                  *JSONSchemaPropsOrArray                 `json:"items,omitempty"`
	AllOf                  []JSONSchemaProps                       `json:"allOf,omitempty" api:"list=atomic"`
	OneOf                  []JSONSchemaProps                       `json:"oneOf,omitempty" api:"list=atomic"`
	AnyOf                  []JSONSchemaProps                       `json:"anyOf,omitempty" api:"list=atomic"`
	Not                    *JSONSchemaProps                        `json:"not,omitempty"`
	Properties             map[string]JSONSchemaProps              `json:"properties,omitempty"`
	AdditionalProperties   *JSONSchemaPropsOrBool                  `json:"additionalProperties,omitempty"`
	PatternProperties      map[string]JSONSchemaProps              `json:"patternProperties,omitempty"`
	Dependencies           map[string]JSONSchemaPropsOrStringArray `json:"dependencies,omitempty"`
	AdditionalItems        *JSONSchemaPropsOrBool                  `json:"additionalItems,omitempty"`
	Definitions            map[string]JSONSchemaProps              `json:"definitions,omitempty"`
	ExternalDocs           *ExternalDocumentation                  `json:"externalDocs,omitempty"`
	Example                *JSON                                   `json:"example,omitempty"`
	XPreserveUnknownFields *bool                                   `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	XEmbeddedResource      bool                                    `json:"x-kubernetes-embedded-resource,omitempty"`
	XIntOrString           bool                                    `json:"x-kubernetes-int-or-string,omitempty"`
	XListMapKeys           []string                                `json:"x-kubernetes-list-map-keys,omitempty" api:"list=atomic"`
	XListType              *string                                 `json:"x-kubernetes-list-type,omitempty"`
	XMapType               *string                                 `json:"x-kubernetes-map-type,omitempty"`
	XValidations           []ValidationRule                        `json:"x-kubernetes-validations,omitempty" api:"list=map,key=rule,duplicates"`
}

// ValidationRule is a rule in the Common Expression Language.
type ValidationRule struct {
	Rule              string  `json:"rule" api:"doc='The expression, which must be true of self.'"`
	Message           string  `json:"message,omitempty" api:"doc='What must hold, for people.'"`
	MessageExpression string  `json:"messageExpression,omitempty" api:"doc='An expression that computes the message.'"`
	Reason            *string `json:"reason,omitempty" api:"doc='The reason of the cause, such as FieldValueInvalid.'"`
	FieldPath         string  `json:"fieldPath,omitempty" api:"doc='The field at fault, below self.'"`
	OptionalOldSelf   *bool   `json:"optionalOldSelf,omitempty" api:"doc='Whether oldSelf is an optional value, so that the rule also runs without an older value.'"`
}

// ExternalDocumentation refers to documentation elsewhere.
type ExternalDocumentation struct {
	Description string `json:"description,omitempty"`
	URL         string `json:"url,omitempty"`
}
