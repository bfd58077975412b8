package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	upstream "k8s.io/apiserver/pkg/util/flowcontrol"
	flowmetrics "k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	flowrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
)

// The same FlowSchema and the same level are for a request as upstream, the same requests share a flow, and a level has
// as many seats.
func TestFlowControlAsUpstream(t *testing.T) {
	flowmetrics.Register()
	rounds(t, 20, func(t *testing.T, r round) {
		schemas, levels := randomFlowControl(r.Rand, r.seed)
		seats := 1 + r.Intn(1000)
		ours := newFlowControl(t, seats, schemas, levels)
		theirs := newUpstreamFlowControl(t, seats, schemas, levels)
		assert.Equal(t, theirs.seats(t, levels), ours.seats(levels), "%d seats", seats)
		for range 200 {
			a := randomFlowAccess(r.Rand)
			fs, pl := theirs.of(t, &a)
			assert.Equal(t, fs+" at "+pl, ours.of(&a), "%+v", a)
		}
	})
}

// starOr returns everything, or some of the values.
func starOr(r *rand.Rand, from ...string) []string {
	if r.Intn(3) == 0 {
		return []string{"*"}
	}
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:1+r.Intn(len(from))]
}

// randomFlowControl returns valid objects. The names of the levels occur in no other round.
func randomFlowControl(r *rand.Rand,
	seed int64) (schemas []flowcontrol.FlowSchema, levels []flowcontrol.PriorityLevelConfiguration) {
	names := []string{"exempt", "catch-all", "missing"}
	for i := range 1 + r.Intn(4) {
		l := flowcontrol.PriorityLevelConfiguration{}
		l.Name, l.UID = fmt.Sprintf("level-%d-%d", seed, i), fmt.Sprintf("level-uid-%d", i)
		names = append(names, l.Name)
		limited := &flowcontrol.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: new(int32(r.Intn(100))), LendablePercent: new(int32(r.Intn(101))),
			LimitResponse: flowcontrol.LimitResponse{Type: flowcontrol.TypeReject},
		}
		if r.Intn(2) == 0 {
			limited.LimitResponse = flowcontrol.LimitResponse{Type: flowcontrol.TypeQueue,
				Queuing: &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 6, QueueLengthLimit: 50}}
		}
		l.Spec = flowcontrol.PriorityLevelConfigurationSpec{Type: flowcontrol.TypeLimited, Limited: limited}
		levels = append(levels, l)
	}
	for i := range 2 + r.Intn(8) {
		s := flowcontrol.FlowSchema{}
		s.Name, s.UID = fmt.Sprintf("schema-%d", i), fmt.Sprintf("schema-uid-%d", i)
		s.Spec.MatchingPrecedence, s.Spec.PriorityLevelConfiguration.Name = int32(2+r.Intn(4)), oneOf(r, names)
		if r.Intn(10) == 0 {
			s.Spec.MatchingPrecedence = 10000
		}
		for range 1 + r.Intn(2) {
			s.Spec.Rules = append(s.Spec.Rules, randomFlowRule(r))
		}
		schemas = append(schemas, s)
	}
	return schemas, levels
}

var (
	flowUsers = []string{"jane", "joe", "system:serviceaccount:team:robot", "system:serviceaccount:team-b:robot",
		"system:serviceaccount:team:*"}
	flowGroups     = []string{"people", "system:masters", "system:authenticated", "system:unauthenticated"}
	flowNamespaces = []string{"default", "team", "team-b"}
	flowPaths      = []string{"/", "/livez", "/livez/ping", "/livez2", "/version", "/apis", "/apis/example.com"}
)

func randomFlowRule(r *rand.Rand) flowcontrol.PolicyRulesWithSubjects {
	rule := flowcontrol.PolicyRulesWithSubjects{Subjects: []flowcontrol.Subject{
		{Kind: "User", User: &flowcontrol.UserSubject{Name: oneOf(r, append([]string{"*"}, flowUsers...))}},
	}}
	switch r.Intn(4) {
	case 0:
		rule.Subjects[0] = flowcontrol.Subject{Kind: "Group",
			Group: &flowcontrol.GroupSubject{Name: oneOf(r, append([]string{"*"}, flowGroups...))}}
	case 1:
		rule.Subjects[0] = flowcontrol.Subject{Kind: "ServiceAccount",
			ServiceAccount: &flowcontrol.ServiceAccountSubject{Namespace: oneOf(r, flowNamespaces),
				Name: oneOf(r, []string{"*", "robot"})}}
	}
	resource := flowcontrol.ResourcePolicyRule{
		Verbs: starOr(r, "get", "list", "watch", "create"), APIGroups: starOr(r, "", "example.com"),
		Resources: starOr(r, "widgets", "widgets/status", "pods", "pods/log"), ClusterScope: r.Intn(2) == 0,
	}
	if !resource.ClusterScope || r.Intn(2) == 0 {
		resource.Namespaces = starOr(r, slices.Clone(flowNamespaces)...)
	}
	urls := starOr(r, "/", "/livez", "/livez/*", "/apis/*", "/version")
	rule.ResourceRules = []flowcontrol.ResourcePolicyRule{resource}
	rule.NonResourceRules = []flowcontrol.NonResourcePolicyRule{{Verbs: starOr(r, "get", "create"), NonResourceURLs: urls}}
	return rule
}

func randomFlowAccess(r *rand.Rand) access.Access {
	a := access.Access{User: access.User{Name: oneOf(r, flowUsers)},
		Verb: access.Verb(oneOf(r, []string{"get", "list", "watch", "create"}))}
	for _, g := range flowGroups {
		if r.Intn(4) == 0 {
			a.User.Groups = append(a.User.Groups, g)
		}
	}
	if r.Intn(3) == 0 {
		a.Path = oneOf(r, flowPaths)
		return a
	}
	a.Group, a.Version, a.Resource = oneOf(r, []string{"", "example.com"}), "v1", oneOf(r, []string{"widgets", "pods"})
	a.Subresource, a.Namespace = oneOf(r, []string{"", "", "status", "log"}),
		oneOf(r, append([]string{""}, flowNamespaces...))
	return a
}

// ourFlowControl is a Limiter that the objects of an API configure.
type ourFlowControl struct {
	limiter *fairness.Limiter
	names   map[string]string // the keys are uids
}

func newFlowControl(t *testing.T, seats int, schemas []flowcontrol.FlowSchema,
	levels []flowcontrol.PriorityLevelConfiguration) *ourFlowControl {
	t.Helper()
	limiter, err := fairness.New(fairness.Options{Seats: seats, Objects: true})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{limiter}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	ours := &ourFlowControl{limiter: limiter, names: map[string]string{}}
	write(t, api, levels)
	write(t, api, schemas)
	require.NoError(t, api.Start(t.Context()))
	note(t, api, ours.names, func(s *flowcontrol.FlowSchema) (uid, name string) { return s.UID, s.Name })
	note(t, api, ours.names, func(l *flowcontrol.PriorityLevelConfiguration) (uid, name string) { return l.UID, l.Name })
	return ours
}

func write[T any](t *testing.T, api *rest.API, objects []T) {
	t.Helper()
	client, err := rest.ClientForType[T](api)
	require.NoError(t, err)
	for _, obj := range objects {
		_, err := client.Create(t.Context(), &obj)
		require.NoError(t, err)
	}
}

func note[T any](t *testing.T, api *rest.API, names map[string]string, of func(*T) (uid, name string)) {
	t.Helper()
	client, err := rest.ClientForType[T](api)
	require.NoError(t, err)
	for obj, err := range client.All(t.Context(), rest.ListOptions{}) {
		require.NoError(t, err)
		uid, name := of(obj)
		names[uid] = name
	}
}

// of returns the names of the schema and of the level of an access.
func (o *ourFlowControl) of(a *access.Access) string {
	h := http.Header{}
	o.limiter.Name(h, *a)
	return o.names[h.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)] + " at " +
		o.names[h.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID)]
}

// seats returns the nominal seats of the levels.
func (o *ourFlowControl) seats(of []flowcontrol.PriorityLevelConfiguration) map[string]int {
	seats := map[string]int{}
	for _, l := range o.limiter.State().Levels {
		if slices.ContainsFunc(of, func(c flowcontrol.PriorityLevelConfiguration) bool { return c.Name == l.Name }) {
			seats[l.Name] = l.NominalSeats
		}
	}
	return seats
}

// upstreamFlowControl is the controller of upstream over a client that holds the objects in memory.
type upstreamFlowControl struct{ upstream.Interface }

func newUpstreamFlowControl(t *testing.T, seats int, schemas []flowcontrol.FlowSchema,
	levels []flowcontrol.PriorityLevelConfiguration) *upstreamFlowControl {
	t.Helper()
	// A server always has the mandatory objects.
	objects := slices.Concat(
		converted[flowcontrolv1.FlowSchema](t, schemas),
		converted[flowcontrolv1.FlowSchema](t, flowcontrol.MandatoryFlowSchemas()),
		converted[flowcontrolv1.PriorityLevelConfiguration](t, levels),
		converted[flowcontrolv1.PriorityLevelConfiguration](t, flowcontrol.MandatoryPriorityLevelConfigurations()),
	)
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	u := &upstreamFlowControl{upstream.New(factory, client.FlowcontrolV1(), seats)}
	ctx, stop := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	ended := make(chan error)
	go func() { ended <- u.Run(ctx.Done()) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		factory.Shutdown()
	})
	require.Eventually(t, func() bool { return len(u.seats(t, levels)) == len(levels) }, hangtest.Deadline, time.Millisecond,
		"the controller has read the objects")
	return u
}

// converted returns objects with the types of upstream.
func converted[U, T any](t *testing.T, objects []T) (all []runtime.Object) {
	t.Helper()
	for _, obj := range objects {
		text, err := json.Marshal(obj)
		require.NoError(t, err)
		of := new(U)
		require.NoError(t, json.Unmarshal(text, of))
		all = append(all, any(of).(runtime.Object))
	}
	return all
}

// of returns the names of the schema and of the level of an access.
func (u *upstreamFlowControl) of(t *testing.T, a *access.Access) (schema, level string) {
	t.Helper()
	info := &request.RequestInfo{
		IsResourceRequest: a.Resource != "", Path: a.Path, Verb: string(a.Verb), APIGroup: a.Group, APIVersion: a.Version,
		Resource:    a.Resource,
		Subresource: a.Subresource, Namespace: a.Namespace,
	}
	digest := upstream.RequestDigest{RequestInfo: info, User: &user.DefaultInfo{Name: a.User.Name, Groups: a.User.Groups}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	u.Handle(ctx, digest, func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, _ string) {
		schema, level = fs.Name, pl.Name
	}, func() flowrequest.WorkEstimate { return flowrequest.WorkEstimate{InitialSeats: 1} }, func(bool) {}, func() {})
	return schema, level
}

// seats returns the nominal seats of the levels, as far as the controller knows them.
func (u *upstreamFlowControl) seats(t *testing.T, of []flowcontrol.PriorityLevelConfiguration) map[string]int {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	all := map[string]int{}
	for _, f := range families {
		if f.GetName() == "apiserver_flowcontrol_nominal_limit_seats" {
			for _, m := range f.GetMetric() {
				all[m.GetLabel()[0].GetValue()] = int(m.GetGauge().GetValue())
			}
		}
	}
	maps.DeleteFunc(all, func(name string, _ int) bool {
		return !slices.ContainsFunc(of, func(l flowcontrol.PriorityLevelConfiguration) bool { return l.Name == name })
	})
	return all
}
