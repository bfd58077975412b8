package apiextensions

import (
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
)

// Group and Version are those of the kind CustomResourceDefinition.
const (
	Group   = "apiextensions.k8s.io"
	Version = "v1"
)

// CleanupFinalizer holds a deleted definition until all objects of its kind are gone.
const CleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// ApprovedAnnotation is required of definitions in the groups of the Kubernetes project. Its value is the URL of the
// approval, or a reason that begins with "unapproved".
const ApprovedAnnotation = "api-approved.kubernetes.io"

// CompiledAnnotation marks the definition of a kind that the program of the server declares itself. The server writes it
// and nobody else, and the objects of the kind do not depend on it.
const CompiledAnnotation = "definitions.decorum-go.github.io/compiled"

// CustomResourceDefinition describes a kind that an API serves in addition to its own. Its name is the plural of the
// kind and the group, such as widgets.example.com.
type CustomResourceDefinition struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   CustomResourceDefinitionSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec" api:"doc='The kind, and how it is served.'"`
	Status CustomResourceDefinitionStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status" api:"doc='The observed state of the definition.'"`
}

// CustomResourceDefinitionSpec describes a kind and how it is served.
type CustomResourceDefinitionSpec struct {
	Group                 string                            `json:"group" protobuf:"bytes,1,opt,name=group" api:"doc='The group of the kind.'"`
	Names                 CustomResourceDefinitionNames     `json:"names" protobuf:"bytes,3,opt,name=names" api:"doc='The names of the kind.'"`
	Scope                 ResourceScope                     `json:"scope" protobuf:"bytes,4,opt,name=scope" api:"doc='Namespaced or Cluster.'"`
	Versions              []CustomResourceDefinitionVersion `json:"versions" protobuf:"bytes,7,rep,name=versions" api:"list=atomic,doc='The versions of the kind. Exactly one is the storage version.'"`
	Conversion            *CustomResourceConversion         `json:"conversion,omitempty" protobuf:"bytes,9,opt,name=conversion" api:"doc='How objects are converted between versions. Default: strategy None.'"`
	PreserveUnknownFields bool                              `json:"preserveUnknownFields,omitempty" protobuf:"varint,10,opt,name=preserveUnknownFields" api:"doc='Must be false. Use x-kubernetes-preserve-unknown-fields in the schema instead.'"`
}

// ResourceScope says whether the objects of a definition live in namespaces.
type ResourceScope string

// The scopes.
const (
	ClusterScoped   ResourceScope = "Cluster"
	NamespaceScoped ResourceScope = "Namespaced"
)

// CustomResourceDefinitionNames are the names of a kind in URLs, in objects and on command lines.
type CustomResourceDefinitionNames struct {
	Plural     string   `json:"plural" protobuf:"bytes,1,opt,name=plural" api:"doc='The name of the resource in URLs.'"`
	Singular   string   `json:"singular,omitempty" protobuf:"bytes,2,opt,name=singular" api:"doc='The name of one object for people. Default: the kind in lower case.'"`
	ShortNames []string `json:"shortNames,omitempty" protobuf:"bytes,3,opt,name=shortNames" api:"list=atomic,doc='Short names for people.'"`
	Kind       string   `json:"kind" protobuf:"bytes,4,opt,name=kind" api:"doc='The kind, in CamelCase.'"`
	ListKind   string   `json:"listKind,omitempty" protobuf:"bytes,5,opt,name=listKind" api:"doc='The kind of a list. Default: the kind and List.'"`
	Categories []string `json:"categories,omitempty" protobuf:"bytes,6,rep,name=categories" api:"list=atomic,doc='Groups of resources that the kind belongs to, such as all.'"`
}

// CustomResourceDefinitionVersion describes one version of a kind: its schema, its columns and its subresources.
type CustomResourceDefinitionVersion struct {
	Name                     string                           `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The name of the version, such as v1 or v2beta1.'"`
	Served                   bool                             `json:"served" protobuf:"varint,2,opt,name=served" api:"doc='Whether clients can use the version.'"`
	Storage                  bool                             `json:"storage" protobuf:"varint,3,opt,name=storage" api:"doc='Whether objects are stored in the version.'"`
	Deprecated               bool                             `json:"deprecated,omitempty" protobuf:"varint,7,opt,name=deprecated" api:"doc='Whether answers of the version carry a warning.'"`
	DeprecationWarning       *string                          `json:"deprecationWarning,omitempty" protobuf:"bytes,8,opt,name=deprecationWarning" api:"doc='The text of the warning.'"`
	Schema                   *CustomResourceValidation        `json:"schema,omitempty" protobuf:"bytes,4,opt,name=schema" api:"doc='The schema of the version.'"`
	Subresources             *CustomResourceSubresources      `json:"subresources,omitempty" protobuf:"bytes,5,opt,name=subresources" api:"doc='The subresources of the version.'"`
	AdditionalPrinterColumns []CustomResourceColumnDefinition `json:"additionalPrinterColumns,omitempty" protobuf:"bytes,6,rep,name=additionalPrinterColumns" api:"list=atomic,doc='The columns of tables. Default: the age.'"`
	SelectableFields         []SelectableField                `json:"selectableFields,omitempty" protobuf:"bytes,9,rep,name=selectableFields" api:"list=atomic,doc='The fields that field selectors may name, at most 8.'"`
}

// CustomResourceValidation holds a schema. [ReadStored] reads only its text.
type CustomResourceValidation struct {
	OpenAPIV3Schema *JSONSchemaProps `json:"openAPIV3Schema,omitempty" protobuf:"bytes,1,opt,name=openAPIV3Schema" api:"doc='The schema, by which objects are pruned, defaulted and validated.'"`

	text json.RawMessage // the schema, if OpenAPIV3Schema is nil
}

// CustomResourceSubresources are the subresources of a version. A nil field means that the version lacks it.
type CustomResourceSubresources struct {
	Status *CustomResourceSubresourceStatus `json:"status,omitempty" protobuf:"bytes,1,opt,name=status" api:"doc='Declares the subresource /status.'"`
	Scale  *CustomResourceSubresourceScale  `json:"scale,omitempty" protobuf:"bytes,2,opt,name=scale" api:"doc='Declares the subresource /scale.'"`
}

// CustomResourceSubresourceStatus declares the subresource /status, through which only the status can be written.
type CustomResourceSubresourceStatus struct{}

// CustomResourceSubresourceScale declares the subresource /scale, and the fields of the object that it shows.
type CustomResourceSubresourceScale struct {
	SpecReplicasPath   string  `json:"specReplicasPath" protobuf:"bytes,1,name=specReplicasPath,name=specReplicasPath" api:"doc='The path of the wanted replicas, below .spec.'"`
	StatusReplicasPath string  `json:"statusReplicasPath" protobuf:"bytes,2,opt,name=statusReplicasPath" api:"doc='The path of the observed replicas, below .status.'"`
	LabelSelectorPath  *string `json:"labelSelectorPath,omitempty" protobuf:"bytes,3,opt,name=labelSelectorPath" api:"doc='The path of the label selector, below .spec or .status.'"`
}

// CustomResourceColumnDefinition is a column of the tables that kubectl get prints.
type CustomResourceColumnDefinition struct {
	Name        string `json:"name" protobuf:"bytes,1,opt,name=name" api:"doc='The heading.'"`
	Type        string `json:"type" protobuf:"bytes,2,opt,name=type" api:"doc='The OpenAPI type of the values, or date.'"`
	Format      string `json:"format,omitempty" protobuf:"bytes,3,opt,name=format" api:"doc='The OpenAPI format of the values.'"`
	Description string `json:"description,omitempty" protobuf:"bytes,4,opt,name=description" api:"doc='What the column shows.'"`
	Priority    int32  `json:"priority,omitempty" protobuf:"varint,5,opt,name=priority" api:"doc='0 for columns that are always shown.'"`
	JSONPath    string `json:"jsonPath" protobuf:"bytes,6,opt,name=jsonPath" api:"doc='The path of the value.'"`
}

// SelectableField is a field that field selectors may name.
type SelectableField struct {
	JSONPath string `json:"jsonPath" protobuf:"bytes,1,opt,name=jsonPath" api:"doc='The path of the field, such as .spec.color.'"`
}

// ConversionStrategy says how objects are converted between versions.
type ConversionStrategy string

// The conversion strategies.
const (
	NoneConverter    ConversionStrategy = "None"    // changes nothing but the apiVersion
	WebhookConverter ConversionStrategy = "Webhook" // a webhook converts objects
)

// CustomResourceConversion says how objects are converted between versions.
type CustomResourceConversion struct {
	Strategy ConversionStrategy `json:"strategy" protobuf:"bytes,1,name=strategy,name=strategy" api:"doc='None or Webhook.'"`
	Webhook  *WebhookConversion `json:"webhook,omitempty" protobuf:"bytes,2,opt,name=webhook" api:"doc='The webhook of the strategy Webhook.'"`
}

// WebhookConversion is the webhook that converts objects between the versions of a kind.
type WebhookConversion struct {
	ClientConfig             *WebhookClientConfig `json:"clientConfig,omitempty" protobuf:"bytes,2,name=clientConfig,name=clientConfig" api:"doc='Where the webhook is.'"`
	ConversionReviewVersions []string             `json:"conversionReviewVersions" protobuf:"bytes,3,rep,name=conversionReviewVersions" api:"list=atomic,doc='The versions of ConversionReview that the webhook understands, in order of preference.'"`
}

// WebhookClientConfig says where a webhook is. Either URL or Service is set.
type WebhookClientConfig struct {
	URL      *string           `json:"url,omitempty" protobuf:"bytes,3,opt,name=url" api:"doc='The URL of the webhook.'"`
	Service  *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt,name=service" api:"doc='The service of the webhook.'"`
	CABundle []byte            `json:"caBundle,omitempty" protobuf:"bytes,2,opt,name=caBundle" api:"doc='The certificates that sign the certificate of the webhook, in PEM.'"`
}

// ServiceReference names a Service of the cluster.
type ServiceReference struct {
	Namespace string  `json:"namespace" protobuf:"bytes,1,opt,name=namespace" api:"doc='The namespace of the service.'"`
	Name      string  `json:"name" protobuf:"bytes,2,opt,name=name" api:"doc='The name of the service.'"`
	Path      *string `json:"path,omitempty" protobuf:"bytes,3,opt,name=path" api:"doc='The path of the webhook.'"`
	Port      *int32  `json:"port,omitempty" protobuf:"varint,4,opt,name=port" api:"doc='The port of the service. Default: 443.'"`
}

// ConditionType is the type of a condition of a definition.
type ConditionType string

// The conditions.
const (
	NamesAccepted   ConditionType = "NamesAccepted"                         // no other kind of the group has one of the names
	Established     ConditionType = "Established"                           // the kind is served
	Terminating     ConditionType = "Terminating"                           // the definition is deleted, and the objects of its kind are being deleted
	ApprovedByGroup ConditionType = "KubernetesAPIApprovalPolicyConformant" // the group belongs to the Kubernetes project, and the annotation names an approval
)

// ReasonNotServed is the reason of the condition Established if the server has accepted the names of the kind, but
// cannot serve it.
const ReasonNotServed = "NotServed"

// CustomResourceDefinitionCondition is a condition of a definition, such as Established.
type CustomResourceDefinitionCondition struct {
	Type               ConditionType           `json:"type" protobuf:"bytes,1,opt,name=type" api:"doc='The type of the condition, such as Established.'"`
	Status             apimeta.ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status" api:"doc='True, False or Unknown.'"`
	LastTransitionTime apimeta.Time            `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt,name=lastTransitionTime" api:"doc='When the status last changed.'"`
	Reason             string                  `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason" api:"doc='The reason for the last change, as one word in CamelCase.'"`
	Message            string                  `json:"message,omitempty" protobuf:"bytes,5,opt,name=message" api:"doc='Details of the last change, for people.'"`
	ObservedGeneration int64                   `json:"observedGeneration,omitempty" protobuf:"varint,6,opt,name=observedGeneration" api:"doc='The metadata.generation that the condition describes.'"`
}

// CustomResourceDefinitionStatus is the observed state of a definition.
type CustomResourceDefinitionStatus struct {
	Conditions         []CustomResourceDefinitionCondition `json:"conditions" protobuf:"bytes,1,opt,name=conditions" api:"optional,list=map,key=type,doc='The conditions of the definition.'"`
	AcceptedNames      CustomResourceDefinitionNames       `json:"acceptedNames" protobuf:"bytes,2,opt,name=acceptedNames" api:"optional,doc='The names under which the kind is served.'"`
	StoredVersions     []string                            `json:"storedVersions" protobuf:"bytes,3,rep,name=storedVersions" api:"optional,list=atomic,doc='The versions in which objects may be stored.'"`
	ObservedGeneration int64                               `json:"observedGeneration,omitempty" protobuf:"varint,4,opt,name=observedGeneration" api:"doc='The metadata.generation that the status describes.'"`
}
