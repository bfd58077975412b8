package v1

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	crewv1 "testproject.org/v4/api/v1"
)

// The webhooks that kubebuilder generates allow every write. So each of these writes succeeds only if the server
// reaches them.
var _ = Describe("The server", func() {
	metadata := metav1.ObjectMeta{Namespace: "default", Name: "called"}
	DescribeTable("calls the webhooks of a write", func(object client.Object) {
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		Expect(k8sClient.Delete(ctx, object)).To(Succeed())
	},
		Entry("of a Captain", &crewv1.Captain{ObjectMeta: metadata}),
		Entry("of a FirstMate", &crewv1.FirstMate{ObjectMeta: metadata}),
		Entry("of a Sailor", &crewv1.Sailor{ObjectMeta: metadata}),
		Entry("of an Admiral", &crewv1.Admiral{ObjectMeta: metav1.ObjectMeta{Name: "called"}}),
		Entry("of a Pod", &corev1.Pod{ObjectMeta: metadata,
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}),
	)
})
