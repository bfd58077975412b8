package cel_test

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/policy"
)

// Shelf is the kind about which the policy of the example decides.
type Shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Length int64 `json:"length"`
}

// Admission policies are objects. Here the host writes them itself; usually kubectl does.
func Example_policies() {
	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{policy.New(policy.Options{})}},
		rest.Resource[Shelf]{Group: "example.com", Version: "v1", Plural: "shelves"})
	if err != nil {
		panic(err)
	}
	defer api.Close()

	ctx := context.Background()
	validatingAdmissionPolicies, err := rest.ClientForType[ar.ValidatingAdmissionPolicy](api)
	if err != nil {
		panic(err)
	}
	_, err = validatingAdmissionPolicies.Create(ctx, &ar.ValidatingAdmissionPolicy{
		ObjectMeta: apimeta.ObjectMeta{Name: "lengths"},
		Spec: ar.ValidatingAdmissionPolicySpec{
			MatchConstraints: &ar.MatchResources{ResourceRules: []ar.NamedRuleWithOperations{{RuleWithOperations: ar.RuleWithOperations{
				Operations: []ar.OperationType{ar.Create, ar.Update},
				Rule:       ar.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"*"}, Resources: []string{"shelves"}},
			}}}},
			Validations: []ar.Validation{{Expression: "object.length <= 3", Message: "at most 3"}},
		},
	})
	if err != nil {
		panic(err)
	}
	validatingAdmissionPolicyBindings, err := rest.ClientForType[ar.ValidatingAdmissionPolicyBinding](api)
	if err != nil {
		panic(err)
	}
	_, err = validatingAdmissionPolicyBindings.Create(ctx, &ar.ValidatingAdmissionPolicyBinding{
		ObjectMeta: apimeta.ObjectMeta{Name: "lengths"},
		Spec: ar.ValidatingAdmissionPolicyBindingSpec{PolicyName: "lengths",
			ValidationActions: []ar.ValidationAction{ar.Deny}},
	})
	if err != nil {
		panic(err)
	}

	shelfs, err := rest.ClientForType[Shelf](api)
	if err != nil {
		panic(err)
	}
	_, err = shelfs.Namespace("default").Create(ctx, &Shelf{ObjectMeta: apimeta.ObjectMeta{Name: "long"}, Length: 4})
	fmt.Println(err)
	// Output: shelves.example.com "long" is forbidden: ValidatingAdmissionPolicy 'lengths' with binding 'lengths' denied request: at most 3
}
