package write_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A hook sees and changes the object in each version.
func TestAdmissionReviewInEachVersion(t *testing.T) {
	var seen []string
	look := func(ctx context.Context, r *admission.Request) error {
		for _, v := range r.Versions() {
			var obj, old map[string]any
			if _, err := r.ObjectIn(v, &obj); err != nil {
				return err
			}
			if _, err := r.OldObjectIn(v, &old); err != nil {
				return err
			}
			seen = append(seen, fmt.Sprintf("%s %s: %v <- %v", r.Operation, v.Kind.GroupVersion(), obj["spec"], old["spec"]))
		}
		return nil
	}
	change := func(ctx context.Context, r *admission.Request) error {
		if r.Operation == admission.Delete {
			return nil
		}
		v := r.Versions()[1]
		var obj map[string]any
		if _, err := r.ObjectIn(v, &obj); err != nil {
			return err
		}
		obj["spec"].(map[string]any)["tier"] = "hot"
		return r.ReplaceObjectIn(v, obj)
	}
	api := admittedDisks(t, apitest.Mutating("m", change), apitest.Validating("v", look))
	require.Equal(t, 201, apitest.Do(t, api, "POST", betaDisks, diskBody("v1beta1", "", `{"sizeMB":2048}`)).Code)
	require.Equal(t, 200, apitest.MergePatch(t, api, betaDisks+"/a", `{"spec":{"sizeMB":1024}}`).Code)
	require.Equal(t, 200, apitest.Do(t, api, "DELETE", betaDisks+"/a", "").Code)
	const small, large = `map[class:ssd replicas:1 sizeGB:1 tier:hot]`, `map[class:ssd replicas:1 sizeGB:2 tier:hot]`
	const smallBeta, largeBeta = `map[media:ssd replicas:1 sizeMB:1024]`, `map[media:ssd replicas:1 sizeMB:2048]`
	assert.Equal(t, []string{
		"CREATE example.com/v1beta1: " + largeBeta + " <- <nil>", "CREATE example.com/v1: " + large + " <- <nil>",
		"UPDATE example.com/v1beta1: " + smallBeta + " <- " + largeBeta, "UPDATE example.com/v1: " + small + " <- " + large,
		"DELETE example.com/v1beta1: <nil> <- " + smallBeta, "DELETE example.com/v1: <nil> <- " + small,
	}, seen)
}

// A value that the Go type of a built-in kind cannot hold is a fault of the server, because no client has sent it.
func TestAdmissionReviewRefusesValuesThatItsGoTypeCannotHold(t *testing.T) {
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{apitest.Mutating("m",
		func(_ context.Context, r *admission.Request) error {
			var obj map[string]any
			if _, err := r.ObjectIn(r.Version(), &obj); err != nil {
				return err
			}
			obj["metadata"].(map[string]any)["labels"] = "text"
			return r.ReplaceObjectIn(r.Version(), obj)
		})}}, rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	a := apitest.Do(t, api, "POST", apitest.Memos, `{"apiVersion":"v1","kind":"Memo","metadata":{"name":"a"}}`)
	assert.Equal(t, 500, a.Code, a.Body)
	assert.Equal(t, "InternalError", a.Text(t, "reason"))
}

// A hook can ask for its second Mutate, and then remembers the first. The next attempt starts without a memory.
func TestAdmissionReviewHasAMemory(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprint("again ", again), func(t *testing.T) {
			var values []any
			api := apitest.NewWidgetsWithAdmission(t,
				apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
					values = append(values, r.Remembered())
					r.Remember(len(values))
					if again {
						r.MutateAgain()
					}
					return nil
				}))
			apitest.CreateWidget(t, api, "a")
			apitest.CreateWidget(t, api, "b")
			want := []any{nil, nil}
			if again {
				want = []any{nil, 1, nil, 3}
			}
			assert.Equal(t, want, values)
		})
	}
}

// An idle hook does not run, and a write that changes nothing ends as without the hook.
func TestIdleAdmission(t *testing.T) {
	idle, called := true, 0
	count := func(context.Context, *admission.Request) error { called++; return nil }
	api := apitest.NewWidgetsWithAdmission(t,
		admission.Hook{Name: "lazy", Mutate: count, Validate: count, Idle: func(context.Context) bool { return idle }})
	apitest.CreateWidget(t, api, "a")
	require.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{}`).Code)
	require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets+"?dryRun=All", apitest.WidgetBody(`"name":"b"`)).Code)
	assert.Equal(t, 0, called)
	idle = false
	require.Equal(t, 200, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{}`).Code)
	assert.Equal(t, 2, called)
}

// A hook whose Idle panics runs.
func TestPanicOfIdle(t *testing.T) {
	called := false
	hook := apitest.Validating("v", func(context.Context, *admission.Request) error { called = true; return nil })
	hook.Idle = func(context.Context) bool { panic("no") }
	apitest.CreateWidget(t, apitest.NewWidgetsWithAdmission(t, hook), "a")
	assert.True(t, called)
}
