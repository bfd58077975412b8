package fleet

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Specs registers the specs of the operator. The suite sets the client before they run.
func Specs(c *client.Client) bool {
	return Describe("a ship", func() {
		ship := func(spec ShipSpec) *Ship {
			return &Ship{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "ship-"}, Spec: spec}
		}
		It("gets its class from the webhook", func(ctx context.Context) {
			s := ship(ShipSpec{Guns: 4})
			Expect((*c).Create(ctx, s)).To(Succeed())
			Expect(s.Spec.Class).To(Equal("Sloop"))
		})
		It("is refused by the webhook", func(ctx context.Context) {
			Expect((*c).Create(ctx, ship(ShipSpec{Guns: 12}))).To(MatchError(ContainSubstring("a sloop carries at most 10 guns")))
		})
		It("is refused by the definition", func(ctx context.Context) {
			Expect((*c).Create(ctx, ship(ShipSpec{Class: "Raft"}))).To(MatchError(ContainSubstring(`Unsupported value: "Raft"`)))
		})
	})
}
