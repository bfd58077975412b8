package flowcontrol

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// The names of the resources in the keys of a store.
const (
	FlowSchemasResource                 = "flowschemas." + Group
	PriorityLevelConfigurationsResource = "prioritylevelconfigurations." + Group
)

// FlowSchemas declares the resource flowschemas. The plug-in of package fairness serves it.
func FlowSchemas() rest.Resource[FlowSchema] {
	return rest.Resource[FlowSchema]{
		Group: Group, Version: Version, Plural: "flowschemas", Scope: rest.ScopeCluster, Wire: wire(),
		Description: "FlowSchema assigns requests to a priority level, and says which of them belong to the same flow.",
		Columns: []rest.Column{
			{Name: "PriorityLevel", Path: ".spec.priorityLevelConfiguration.name",
				Description: "The priority level of the requests."},
			{Name: "MatchingPrecedence", Path: ".spec.matchingPrecedence", Description: "The lowest number decides."},
			rest.ColumnFunc(rest.Column{Name: "DistinguisherMethod", Description: "What distinguishes the flows: the user or the namespace."},
				func(s *FlowSchema) any {
					if m := s.Spec.DistinguisherMethod; m != nil {
						return m.Type
					}
					return none
				}),
			rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."},
				func(s *FlowSchema) any {
					return s.CreationTimestamp.Time
				}),
			rest.ColumnFunc(rest.Column{Name: "MissingPL", Description: "Whether the priority level is missing."},
				func(s *FlowSchema) any {
					for _, c := range s.Status.Conditions {
						if c.Type == Dangling {
							return string(c.Status)
						}
					}
					return "?"
				}),
		},
		Hooks: rest.Hooks[FlowSchema]{Validate: func(_ context.Context, s, _ *FlowSchema) (status.FieldErrors, error) {
			return s.Validate(), nil
		}},
	}
}

// none is the cell of what an object does not have.
const none = "<none>"

// PriorityLevelConfigurations declares the resource prioritylevelconfigurations. The plug-in of package fairness
// serves it.
func PriorityLevelConfigurations() rest.Resource[PriorityLevelConfiguration] {
	column := func(name, description string, cell func(l *PriorityLevelConfiguration) any) rest.Column {
		return rest.ColumnFunc(rest.Column{Name: name, Description: description}, cell)
	}
	queuing := func(name, description string, of func(q *QueuingConfiguration) int32) rest.Column {
		return column(name, description, func(l *PriorityLevelConfiguration) any {
			if l.Spec.Limited == nil || l.Spec.Limited.LimitResponse.Queuing == nil {
				return none
			}
			return of(l.Spec.Limited.LimitResponse.Queuing)
		})
	}
	return rest.Resource[PriorityLevelConfiguration]{
		Group: Group, Version: Version, Plural: "prioritylevelconfigurations", Scope: rest.ScopeCluster, Wire: wire(),
		Description: "PriorityLevelConfiguration is a kind of requests with a part of the capacity of the API.",
		Columns: []rest.Column{
			{Name: "Type", Path: ".spec.type", Description: "Whether the level has a limit."},
			column("NominalConcurrencyShares", "The part of the seats of the level.", func(l *PriorityLevelConfiguration) any {
				if l.Spec.Limited == nil || l.Spec.Limited.NominalConcurrencyShares == nil {
					return none
				}
				return *l.Spec.Limited.NominalConcurrencyShares
			}),
			queuing("Queues", "How many queues the level has.", func(q *QueuingConfiguration) int32 { return q.Queues }),
			queuing("HandSize", "How many queues a flow may use.", func(q *QueuingConfiguration) int32 { return q.HandSize }),
			queuing("QueueLengthLimit", "How many requests wait in a queue.",
				func(q *QueuingConfiguration) int32 { return q.QueueLengthLimit }),
			column("Age", "The time since the object was created.", func(l *PriorityLevelConfiguration) any {
				return l.CreationTimestamp.Time
			}),
		},
		Hooks: rest.Hooks[PriorityLevelConfiguration]{
			Validate: func(_ context.Context, l, _ *PriorityLevelConfiguration) (status.FieldErrors, error) {
				return l.Validate(), nil
			},
		},
	}
}

func wire() rest.Wire { return rest.Wire{Dialect: rest.DialectBuiltin, Generation: true} }
