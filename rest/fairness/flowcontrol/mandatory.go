package flowcontrol

import "github.com/decorum-go/decorum/apimeta"

// The groups of all users, and of those who are exempt.
const (
	mastersGroup         = "system:masters"
	authenticatedGroup   = "system:authenticated"
	unauthenticatedGroup = "system:unauthenticated"
)

// MandatoryFlowSchemas returns the FlowSchemas that always exist. Clients cannot change their specs.
func MandatoryFlowSchemas() []FlowSchema {
	return []FlowSchema{
		schema(Exempt, 1, nil, mastersGroup),
		schema(CatchAll, 10000, &FlowDistinguisherMethod{Type: ByUser}, unauthenticatedGroup, authenticatedGroup),
	}
}

// schema returns a FlowSchema of the level of the same name, for everything that the members of some groups send.
func schema(name string, precedence int32, method *FlowDistinguisherMethod, groups ...string) FlowSchema {
	everything := []string{all}
	rule := PolicyRulesWithSubjects{
		ResourceRules: []ResourcePolicyRule{{Verbs: everything, APIGroups: everything, Resources: everything,
			ClusterScope: true, Namespaces: everything}},
		NonResourceRules: []NonResourcePolicyRule{{Verbs: everything, NonResourceURLs: everything}},
	}
	for _, g := range groups {
		rule.Subjects = append(rule.Subjects, Subject{Kind: GroupKind, Group: &GroupSubject{Name: g}})
	}
	return FlowSchema{
		TypeMeta: typeOf("FlowSchema"), ObjectMeta: apimeta.ObjectMeta{Name: name},
		Spec: FlowSchemaSpec{
			PriorityLevelConfiguration: PriorityLevelConfigurationReference{Name: name}, MatchingPrecedence: precedence,
			DistinguisherMethod: method, Rules: []PolicyRulesWithSubjects{rule},
		},
	}
}

// MandatoryPriorityLevelConfigurations returns the levels that always exist. Clients can change only the shares of the
// level exempt, and how much of them it lends.
func MandatoryPriorityLevelConfigurations() []PriorityLevelConfiguration {
	return []PriorityLevelConfiguration{
		level(Exempt, PriorityLevelConfigurationSpec{
			Type: TypeExempt, Exempt: &ExemptPriorityLevelConfiguration{NominalConcurrencyShares: new(int32),
				LendablePercent: new(int32)},
		}),
		level(CatchAll, PriorityLevelConfigurationSpec{
			Type: TypeLimited, Limited: &LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(5)), LendablePercent: new(int32),
				LimitResponse: LimitResponse{Type: TypeReject},
			},
		}),
	}
}

func level(name string, spec PriorityLevelConfigurationSpec) PriorityLevelConfiguration {
	return PriorityLevelConfiguration{TypeMeta: typeOf("PriorityLevelConfiguration"),
		ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: spec}
}

func typeOf(kind string) apimeta.TypeMeta {
	return apimeta.TypeMeta{APIVersion: Group + "/" + Version, Kind: kind}
}
