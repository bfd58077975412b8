// Package apimeta holds the vocabulary that every API of the Kubernetes
// family shares: what an object, a list, a selector and a name look like on
// the wire, before anything is known about a particular kind.
//
// A host builds its kinds from [TypeMeta] and [ObjectMeta]:
//
//	type Widget struct {
//		apimeta.TypeMeta   `json:",inline"`
//		apimeta.ObjectMeta `json:"metadata,omitempty"`
//		Spec   WidgetSpec   `json:"spec"`
//		Status WidgetStatus `json:"status,omitzero"`
//	}
//
// The rest of the package falls into five parts:
//
//   - identity: [GroupVersion], [GroupVersionKind], [GroupVersionResource] and
//     their parts, which name a kind or a resource;
//   - time and conditions: [Time], [MicroTime], [Condition];
//   - requests: [ListOptions], [DeleteOptions] and the other options, and the
//     two selectors a list or watch may carry, [LabelMatcher] over labels and
//     [FieldMatcher] over fields;
//   - answers that are not the host's own kinds: [WatchEvent], [Table],
//     [PartialObjectMetadata] and the discovery documents;
//   - the rules for names, labels, annotations and finalizers, each a function
//     that returns one message for each rule a value breaks.
//
// The package depends on the standard library only and keeps no state. Its
// structs have the member names and member order of the upstream meta/v1 kinds,
// so they can stand in for them in either direction of a JSON exchange. They
// rely on the omitzero option of encoding/json; a codec without that option
// writes "creationTimestamp":null for an [ObjectMeta] that has none.
package apimeta
