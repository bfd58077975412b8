package corekinds

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Node is the kind Node of the core group, with the fields that the transcripts use.
type Node struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   NodeSpec   `json:"spec,omitzero"`
	Status NodeStatus `json:"status,omitzero"`
}

// NodeSpec is the part that its users write.
type NodeSpec struct {
	Unschedulable bool    `json:"unschedulable,omitempty"`
	Taints        []Taint `json:"taints,omitempty" api:"list=atomic"`
}

// Taint keeps Pods away from a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// NodeStatus is the part that /status writes.
type NodeStatus struct {
	Conditions []NodeCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" api:"list=map,key=type"`
}

// NodeCondition is an element of a list that strategic merge patches merge by type.
type NodeCondition struct {
	Type    string                  `json:"type"`
	Status  apimeta.ConditionStatus `json:"status"`
	Reason  string                  `json:"reason,omitempty"`
	Message string                  `json:"message,omitempty"`
}

// Nodes declares the resource nodes, without rules.
func Nodes() rest.Resource[Node] {
	return rest.Resource[Node]{
		Version: "v1", Plural: "nodes", Scope: rest.ScopeCluster,
		Names:            rest.Names{Short: []string{"no"}},
		Wire:             rest.Wire{Dialect: rest.DialectBuiltin},
		SelectableFields: []string{"spec.unschedulable"},
	}
}
