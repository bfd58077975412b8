package rest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

const (
	invoicesIn = "/apis/billing.example.com/v1/namespaces/default/invoices"
	invoiceN1  = `{"apiVersion":"billing.example.com/v1","kind":"Invoice","metadata":{"name":"n1"},"spec":{"cents":500}}`
	payN1      = `{"apiVersion":"billing.example.com/v1","kind":"Payment","card":"4711"}`
)

// bankFunc is a Bank that counts its charges.
type bankFunc struct {
	charges atomic.Int32
	charge  func(ctx context.Context) error
}

func (b *bankFunc) Charge(ctx context.Context, _, _ string, _ int64) (string, error) {
	b.charges.Add(1)
	if b.charge == nil {
		return "receipt", nil
	}
	return "", b.charge(ctx)
}

func newInvoices(t *testing.T, bank Bank) *rest.API {
	t.Helper()
	api := apitest.New(t, rest.Options{}, invoices(bank))
	apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
	return api
}

func paymentOf(t *testing.T, api *rest.API) any {
	t.Helper()
	return apitest.Must(t, api, "GET", invoicesIn+"/n1", "").Value(t, "status.payment")
}

// Twelve clients pay an invoice at once. It is paid once, and the bank sees it claimed.
func TestActionRunsOnce(t *testing.T) {
	bank := &bankFunc{}
	api := newInvoices(t, bank)
	release := make(chan struct{})
	bank.charge = func(context.Context) error {
		<-release
		return nil
	}
	var senders sync.WaitGroup
	codes := make(chan int, 12)
	for range 12 {
		senders.Go(func() { codes <- apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1).Code })
	}
	for range 11 { // the one that charges waits until the others are refused
		assert.Equal(t, 409, <-codes)
	}
	assert.Equal(t, "Pending", paymentOf(t, api))
	close(release)
	senders.Wait()
	assert.Equal(t, 201, <-codes)
	assert.EqualValues(t, 1, bank.charges.Load())
	assert.Equal(t, "Paid", paymentOf(t, api))
	assert.Equal(t, 409, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1).Code)
}

func TestFailedActionIsSettled(t *testing.T) {
	for _, c := range []struct {
		name   string
		charge func(context.Context) error
	}{
		{"error", func(context.Context) error { return errors.New("no money") }},
		{"panic", func(context.Context) error { panic("no money") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bank := &bankFunc{charge: c.charge}
			api := newInvoices(t, bank)
			assert.Equal(t, 500, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1).Code)
			assert.Equal(t, "Refused", paymentOf(t, api))
			bank.charge = nil
			assert.Equal(t, 201, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1).Code)
			assert.Equal(t, "Paid", paymentOf(t, api))
		})
	}
}

// A client that goes away does not leave the object claimed.
func TestActionIsSettledAfterItsClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	api := newInvoices(t, &bankFunc{charge: func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}})
	_, err := rest.CreateSubresource(ctx, apitest.ClientFor[Invoice](t, api).Namespace("default"), "n1", "pay",
		&Payment{Card: "4711"})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "Refused", paymentOf(t, api))
}

// The object may go, or make room for another one, while the action runs. The outcome does not reach the other object.
func TestActionOfARemovedObject(t *testing.T) {
	for _, again := range []bool{false, true} {
		var api *rest.API
		api = newInvoices(t, &bankFunc{charge: func(context.Context) error {
			apitest.Must(t, api, "DELETE", invoicesIn+"/n1", "")
			if again {
				apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
			}
			return nil
		}})
		assert.Equal(t, 201, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1).Code)
		if again {
			assert.Nil(t, paymentOf(t, api))
		}
	}
}

// A dry run tries the claim, runs nothing and stores nothing.
func TestDryRunOfAClaimedAction(t *testing.T) {
	bank := &bankFunc{}
	api := newInvoices(t, bank)
	before := apitest.Must(t, api, "GET", invoicesIn+"/n1", "").Body
	apitest.WantJSON(t, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay?dryRun=All", payN1), 201,
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
	assert.Equal(t, before, apitest.Must(t, api, "GET", invoicesIn+"/n1", "").Body)
	apitest.Must(t, api, "POST", invoicesIn+"/n1/pay", payN1)
	assert.Equal(t, 409, apitest.Do(t, api, "POST", invoicesIn+"/n1/pay?dryRun=All", payN1).Code)
	assert.EqualValues(t, 1, bank.charges.Load())
}

// Admission hooks see the request and not the writes in which the action records its state.
func TestAdmissionOfAnAction(t *testing.T) {
	var seen []string
	hook := admission.Hook{Name: "watcher.example.com", Resources: []string{"*/*"},
		Validate: func(_ context.Context, r *admission.Request) error {
			seen = append(seen, string(r.Operation)+" "+r.Subresource)
			return nil
		}}
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, invoices(&bankFunc{}))
	apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
	apitest.Must(t, api, "POST", invoicesIn+"/n1/pay", payN1)
	assert.Equal(t, []string{"CREATE ", "CREATE pay"}, seen)
}

func TestInvalidClaimDeclarations(t *testing.T) {
	claim := func(context.Context, *Invoice, *Payment) error { return nil }
	settle := func(context.Context, *Invoice, *Payment, error) error { return nil }
	bank := &bankFunc{}
	whole := pay(bank)
	for _, c := range []struct {
		name   string
		sub    rest.Subresource[Invoice, Payment]
		reason string
	}{
		{"claim alone", rest.Subresource[Invoice, Payment]{Name: "pay", Create: whole.Create, Claim: claim},
			"Claim and Settle need each other"},
		{"settle alone", rest.Subresource[Invoice, Payment]{Name: "pay", Create: whole.Create, Settle: settle},
			"Claim and Settle need each other"},
		{"no action", rest.Subresource[Invoice, Payment]{Name: "pay", Claim: claim, Settle: settle}, "Claim needs Create"},
		{"update alone", rest.Subresource[Invoice, Payment]{Name: "pay", Update: claim}, "Update needs Get"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := invoices(bank)
			r.Subresources = []rest.SubresourceOf[Invoice]{c.sub}
			_, err := rest.New(rest.Options{}, r)
			require.ErrorContains(t, err, c.reason)
		})
	}
	t.Run("claim of nothing", func(t *testing.T) {
		r := invoices(bank)
		whole.Claim = claim
		r.Subresources = []rest.SubresourceOf[Invoice]{whole}
		api := apitest.New(t, rest.Options{}, r)
		apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
		for _, query := range []string{"", "?dryRun=All"} {
			a := apitest.Do(t, api, "POST", invoicesIn+"/n1/pay"+query, payN1)
			assert.Equal(t, 500, a.Code)
			assert.Contains(t, a.Body, `the Claim of \"pay\" changed nothing`)
		}
		assert.Zero(t, bank.charges.Load())
	})
	t.Run("outcome that cannot be stored", func(t *testing.T) {
		r := invoices(bank)
		whole := pay(bank)
		whole.Settle = func(_ context.Context, in *Invoice, _ *Payment, _ error) error {
			in.Status.Payment = "Unknown"
			return nil
		}
		r.Subresources = []rest.SubresourceOf[Invoice]{whole}
		api := apitest.New(t, rest.Options{}, r)
		apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
		a := apitest.Do(t, api, "POST", invoicesIn+"/n1/pay", payN1)
		assert.Equal(t, 500, a.Code)
		assert.Contains(t, a.Body, "the object stays claimed")
		assert.Equal(t, "Pending", paymentOf(t, api))
	})
}

// A kind without a status records the state of an action in the object.
func TestActionOfAKindWithoutStatus(t *testing.T) {
	type job struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		State              string `json:"state,omitempty"`
	}
	sub := rest.Subresource[job, Payment]{
		Name: "run",
		Claim: func(_ context.Context, j *job, _ *Payment) error {
			j.State = "Running"
			return nil
		},
		Create: func(_ context.Context, j *job, _ *Payment) (*Payment, error) { return &Payment{Card: j.State}, nil },
		Settle: func(_ context.Context, j *job, result *Payment, _ error) error {
			j.State = "Done by " + result.Card
			return nil
		},
	}
	api := apitest.New(t, rest.Options{},
		rest.Resource[job]{Group: "example.com", Version: "v1", Plural: "jobs", Names: rest.Names{Kind: "Job"},
			Subresources: []rest.SubresourceOf[job]{sub}})
	apitest.Must(t, api, "POST", "/apis/example.com/v1/namespaces/default/jobs",
		`{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"}}`)
	apitest.Must(t, api, "POST", "/apis/example.com/v1/namespaces/default/jobs/a/run",
		`{"apiVersion":"example.com/v1","kind":"Payment","card":"x"}`)
	assert.Equal(t, "Done by Running",
		apitest.Must(t, api, "GET", "/apis/example.com/v1/namespaces/default/jobs/a", "").Value(t, "state"))
}

// Check sees the body of an action before the server looks for the object. Accepts names other versions of the body.
func TestActionChecksItsBody(t *testing.T) {
	action := rest.Subresource[Invoice, Payment]{
		Name: "check", Accepts: []apimeta.GroupVersion{{Group: "billing.example.com", Version: "v1beta1"}},
		Check: func(name string, p *Payment) error {
			if p.Card != name {
				return status.BadRequest("the card does not belong to " + name)
			}
			return nil
		},
		Create: func(_ context.Context, _ *Invoice, p *Payment) (*Payment, error) { return p, nil },
	}
	of := invoices(&bankFunc{})
	of.Subresources = []rest.SubresourceOf[Invoice]{action}
	api := apitest.New(t, rest.Options{}, of)
	apitest.Must(t, api, "POST", invoicesIn, invoiceN1)
	body := func(version, kind, card string) string {
		return `{"apiVersion":"billing.example.com/` + version + `","kind":"` + kind + `","card":"` + card + `"}`
	}
	for _, c := range []struct {
		name, body string
		code       int
	}{
		{"n1", body("v1", "Payment", "n1"), 201},
		{"n1", body("v1beta1", "Payment", "n1"), 201},
		{"n1", body("v1beta2", "Payment", "n1"), 400},
		{"n1", body("v1beta1", "Invoice", "n1"), 400},
		{"n1", body("v1", "Payment", "n2"), 400},
		{"absent", body("v1", "Payment", "n2"), 400},
		{"absent", body("v1", "Payment", "absent"), 404},
	} {
		a := apitest.Do(t, api, "POST", invoicesIn+"/"+c.name+"/check", c.body)
		assert.Equal(t, c.code, a.Code, "%s: %s", c.body, a.Body)
	}
	action.Create = nil
	of.Subresources = []rest.SubresourceOf[Invoice]{pay(&bankFunc{}), action}
	_, err := rest.New(rest.Options{}, of)
	assert.ErrorContains(t, err, "Check and Accepts need Create")
}

// Leaflet is a kind with fields that hooks write.
type Leaflet struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec LeafletSpec `json:"spec"`
}

type LeafletSpec struct {
	Draft string `json:"draft,omitempty"`
	Text  string `json:"text,omitempty"`
	Mark  string `json:"mark,omitempty"`
}

// The client owns the fields that Canonicalize rewrites. In the dialect of built-in kinds, it does not own the fields
// that Prepare sets, and the Go type leaves out an empty field.
func TestOwnersOfFieldsThatHooksSet(t *testing.T) {
	for _, c := range []struct {
		dialect rest.Dialect
		owned   bool
		spec    map[string]any
	}{
		{rest.DialectCustom, true, map[string]any{"draft": "", "text": "d", "mark": "m"}},
		{rest.DialectBuiltin, false, map[string]any{"text": "d", "mark": "m"}},
	} {
		of := rest.Resource[Leaflet]{Group: "billing.example.com", Version: "v1", Plural: "leaflets"}
		of.Wire.Dialect = c.dialect
		of.Hooks.Canonicalize = func(_ context.Context, l *Leaflet) error {
			if l.Spec.Draft != "" {
				l.Spec.Draft, l.Spec.Text = "", l.Spec.Draft
			}
			return nil
		}
		of.Hooks.Prepare = func(_ context.Context, l, _ *Leaflet) error {
			l.Spec.Mark = "m"
			return nil
		}
		api := apitest.New(t, rest.Options{}, of)
		a := apitest.Must(t, api, "POST", "/apis/billing.example.com/v1/namespaces/default/leaflets",
			`{"apiVersion":"billing.example.com/v1","kind":"Leaflet","metadata":{"name":"a"},"spec":{"draft":"d"}}`)
		assert.Equal(t, c.spec, a.Value(t, "spec"))
		assert.Contains(t, a.Body, `"f:text"`)
		_, kept := c.spec["draft"]
		assert.Equal(t, kept, strings.Contains(a.Body, `"f:draft"`), a.Body)
		assert.Equal(t, c.owned, strings.Contains(a.Body, `"f:mark"`), a.Body)
	}
}
