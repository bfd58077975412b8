package resttest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Boat is a kind.
type Boat struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Crew int32 `json:"crew,omitempty" api:"default=1,min=1,max=30"`
	} `json:"spec"`
}

func boats() rest.Resource[Boat] {
	return rest.Resource[Boat]{Group: "fleet.example.com", Version: "v1", Plural: "boats"}
}

// A test starts a real API, and arranges objects with the typed client.
func ExampleNew() {
	var t *testing.T // the argument of the test
	s := resttest.New(t, boats())
	c := resttest.Client[Boat](t, s.API).Namespace("default")
	if _, err := c.Create(t.Context(), &Boat{ObjectMeta: apimeta.ObjectMeta{Name: "dinghy"}}); err != nil {
		t.Fatal(err)
	}
	// The code under test uses s.RoundTripper(), s.URL(), s.Kubeconfig() or s.UnderTest(ctx).
}

// The client is throttled once, loses one answer, and its watch expires.
func ExampleServer_Inject() {
	var t *testing.T // the argument of the test
	s := resttest.New(t, boats())
	s.Inject(resttest.Fault{Verb: access.VerbList, Code: http.StatusTooManyRequests, RetryAfter: 2 * time.Second})
	s.Inject(resttest.Fault{Verb: access.VerbCreate, Resource: "boats", Name: "dinghy", Late: true, Drop: true})
	s.Inject(resttest.Fault{Verb: access.VerbWatch, Resource: "boats", Events: 3, Code: http.StatusGone})
}

// The test waits until a controller has done its work, without polling.
func ExampleWaitFor() {
	var t *testing.T // the argument of the test
	s := resttest.New(t, boats())
	c := resttest.Client[Boat](t, s.API).Namespace("default")
	boat := resttest.WaitFor(t, c, "dinghy", func(b *Boat) bool { return b.Labels["launched"] == "true" })
	t.Log(boat.ResourceVersion)
}

// The host mounts the API below a path, and the code under test may only read.
func ExampleNewWith() {
	var t *testing.T // the argument of the test
	s := resttest.NewWith(t, resttest.Options{
		Prefix: "/platform",
		API: rest.Options{Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			switch a.Verb {
			case access.VerbGet, access.VerbList, access.VerbWatch:
				return access.Allow(""), nil
			}
			return access.Deny("this test only reads"), nil
		})},
	}, boats())
	t.Log(s.URL()) // ends in /platform
}

// The test waits until a finalizer and the garbage collector have let an object go.
func ExampleWaitForGone() {
	var t *testing.T // the argument of the test
	s := resttest.New(t, boats())
	c := resttest.Client[Boat](t, s.API).Namespace("default")
	if err := c.Delete(t.Context(), "dinghy", rest.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	resttest.WaitForGone(t, c, "dinghy")
}
