package defaults

import flowcontrolv1 "k8s.io/api/flowcontrol/v1"

// flowcontrol returns the defaults of the group flowcontrol.apiserver.k8s.io.
func flowcontrol() []rule {
	return []rule{
		fixed[flowcontrolv1.FlowSchemaSpec](values{"matchingPrecedence": 1000}),
		fixed[flowcontrolv1.ExemptPriorityLevelConfiguration](values{"nominalConcurrencyShares": 0, "lendablePercent": 0}),
		fixed[flowcontrolv1.LimitedPriorityLevelConfiguration](values{"nominalConcurrencyShares": 30, "lendablePercent": 0}),
		fixed[flowcontrolv1.QueuingConfiguration](values{"queues": 64, "handSize": 8, "queueLengthLimit": 50}),
	}
}
