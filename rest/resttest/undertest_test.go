package resttest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// The log holds what a call does at the store.
func TestCallsUnderTestAreRecorded(t *testing.T) {
	ready := apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Afloat"}
	tests := []struct {
		name string
		call func(ctx context.Context, c rest.Client[Ship]) error
		want resttest.Request
	}{
		{"get", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.Get(ctx, "a")
			return err
		}, resttest.Request{Verb: access.VerbGet, Name: "a", Code: 200}},
		{"get of a missing object", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.Get(ctx, "none")
			assert.True(t, status.IsNotFound(err))
			return nil
		}, resttest.Request{Verb: access.VerbGet, Name: "none", Code: 404}},
		{"list", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.List(ctx, rest.ListOptions{})
			return err
		}, resttest.Request{Verb: access.VerbList, Code: 200}},
		{"create", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.Create(ctx, frigate("b"))
			return err
		}, resttest.Request{Verb: access.VerbCreate, Name: "b", Code: 201}},
		{"modify", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.Modify(ctx, "a", func(s *Ship) error { s.Spec.Guns = 7; return nil })
			return err
		}, resttest.Request{Verb: access.VerbUpdate, Name: "a", Code: 200}},
		{"patch", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"guns":7}}`))
			return err
		}, resttest.Request{Verb: access.VerbUpdate, Name: "a", Code: 200}},
		{"status", func(ctx context.Context, c rest.Client[Ship]) error {
			_, err := c.ModifyStatus(ctx, "a",
				func(s *Ship) error { apimeta.SetCondition(&s.Status.Conditions, ready); return nil })
			return err
		}, resttest.Request{Verb: access.VerbUpdate, Subresource: "status", Name: "a", Code: 200}},
		{"delete", func(ctx context.Context, c rest.Client[Ship]) error {
			return c.Delete(ctx, "a", rest.DeleteOptions{})
		}, resttest.Request{Verb: access.VerbDelete, Name: "a", Code: 200}},
		{"delete that finalizers hold up", func(ctx context.Context, c rest.Client[Ship]) error {
			return c.Delete(ctx, "held", rest.DeleteOptions{})
		}, resttest.Request{Verb: access.VerbDelete, Name: "held", Code: 200}},
		{"removing the last finalizer", func(ctx context.Context, c rest.Client[Ship]) error {
			if err := c.Delete(t.Context(), "held", rest.DeleteOptions{}); err != nil {
				return err
			}
			_, err := c.Modify(ctx, "held", func(s *Ship) error { s.Finalizers = nil; return nil })
			return err
		}, resttest.Request{Verb: access.VerbUpdate, Name: "held", Code: 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := fleet(t)
			mustCreate(t, c, "a")
			held := frigate("held")
			held.Finalizers = []string{"example.com/anchor"}
			_, err := c.Create(t.Context(), held)
			require.NoError(t, err)

			require.NoError(t, tt.call(s.UnderTest(t.Context()), c))
			all := s.Requests()
			require.Len(t, all, 1)
			tt.want.Group, tt.want.Resource, tt.want.Namespace, tt.want.InProcess = "fleet.example.com", "ships", "default", true
			tt.want.Body = all[0].Body
			assert.Equal(t, tt.want, all[0])
			if tt.want.Verb == access.VerbCreate || tt.want.Verb == access.VerbUpdate && tt.want.Name == "a" {
				assert.Contains(t, string(all[0].Body), `"name":"`+tt.want.Name+`"`)
			}
		})
	}
}

// The log does not hold calls that never reach the store.
func TestInvalidCallsAreNotRecorded(t *testing.T) {
	s, c := fleet(t)
	_, err := c.Create(s.UnderTest(t.Context()), &Ship{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	assert.True(t, status.IsInvalid(err), "%v", err)
	mustCreate(t, c, "a")
	stale := mustCreate(t, c, "b")
	_, err = c.Modify(t.Context(), "b", func(s *Ship) error { s.Spec.Guns = 9; return nil })
	require.NoError(t, err)
	_, err = c.Update(s.UnderTest(t.Context()), stale)
	assert.True(t, status.IsConflict(err), "%v", err)
	assert.Empty(t, s.Requests())
}

// A write that is retried because of another write is one call and meets one fault.
func TestAContendedCallIsSeenOnce(t *testing.T) {
	s, c := fleet(t)
	mustCreate(t, c, "a")
	tries := 0
	_, err := c.Modify(s.UnderTest(t.Context()), "a", func(ship *Ship) error {
		if tries++; tries == 1 {
			_, err := c.Modify(t.Context(), "a", func(s *Ship) error { s.Labels = map[string]string{"x": "y"}; return nil })
			require.NoError(t, err)
		}
		ship.Spec.Guns++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 2, tries)
	assert.Len(t, s.Requests(), 1)
}

// The context of one server has no effect on another.
func TestUnderTestOfAnotherServer(t *testing.T) {
	s, _ := fleet(t)
	other, c := fleet(t)
	mustCreate(t, c, "a")
	_, err := c.Get(s.UnderTest(t.Context()), "a")
	require.NoError(t, err)
	assert.Empty(t, s.Requests())
	assert.Empty(t, other.Requests())
}

// Calls under test meet faults. The test's own calls never do.
func TestCallsUnderTestMeetFaults(t *testing.T) {
	s, c := fleet(t)
	ctx := s.UnderTest(t.Context())
	mustCreate(t, c, "a")

	s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "ships/status", Code: 409})
	s.Inject(resttest.Fault{Verb: access.VerbPatch, Resource: "ships", Name: "a", Code: 500})
	s.Inject(resttest.Fault{Verb: access.VerbCreate, Code: 409})
	s.Inject(resttest.Fault{Verb: access.VerbList, Code: 429})
	s.Inject(resttest.Fault{Verb: access.VerbDelete, Error: status.BadRequest("not now")})
	mustCreate(t, c, "b")
	_, err := c.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)

	change := func(s *Ship) error { s.Spec.Guns++; s.Status.ObservedGeneration++; return nil }
	_, err = c.ModifyStatus(ctx, "a", change)
	assert.True(t, status.IsConflict(err), "%v", err)
	_, err = c.ModifyStatus(ctx, "a", change)
	require.NoError(t, err, "once only")
	before := s.ResourceVersion()
	_, err = c.Modify(ctx, "a", change)
	assert.True(t, status.IsInternalError(err), "%v", err)
	assert.Equal(t, before, s.ResourceVersion(), "the store is unchanged")
	_, err = c.Create(ctx, frigate("c"))
	assert.True(t, status.IsAlreadyExists(err), "%v", err)
	_, err = c.List(ctx, rest.ListOptions{})
	assert.True(t, status.IsTooManyRequests(err), "%v", err)
	err = c.Delete(ctx, "a", rest.DeleteOptions{})
	assert.True(t, status.IsBadRequest(err), "%v", err)
	for _, r := range s.Requests() {
		assert.Equal(t, r.Code >= 400, r.Fault, "%+v", r)
	}
}

// A late fault carries out the write. Calls in process have no connection to drop.
func TestLateFaultsInProcess(t *testing.T) {
	s, c := fleet(t)
	ctx := s.UnderTest(t.Context())
	s.Inject(resttest.Fault{Drop: true, Times: resttest.Always})
	s.Inject(resttest.Fault{Verb: access.VerbCreate, Late: true, Code: 504})
	_, err := c.Create(ctx, frigate("a"))
	assert.True(t, status.IsTimeout(err), "%v", err)
	_, err = c.Get(ctx, "a")
	require.NoError(t, err, "the object was created")
	assert.Equal(t, 504, s.Requests()[0].Code)
}

func TestDelayInProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := fleet(t)
		mustCreate(t, c, "a")
		s.Inject(resttest.Fault{Delay: time.Minute, Times: 2})
		began := time.Now()
		_, err := c.Get(s.UnderTest(t.Context()), "a")
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(began))

		ctx, cancel := context.WithTimeout(s.UnderTest(t.Context()), time.Second)
		defer cancel()
		_, err = c.Get(ctx, "a")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
