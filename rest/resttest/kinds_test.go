package resttest_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Ship is a kind that follows all conventions.
type Ship struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShipSpec   `json:"spec"`
	Status ShipStatus `json:"status,omitzero"`
}

type ShipSpec struct {
	Class     string   `json:"class" api:"enum=Frigate|Sloop"`
	Guns      int32    `json:"guns,omitempty" api:"default=8,min=1,max=100"`
	Sails     []Sail   `json:"sails,omitempty" api:"list=map,key=name,maxItems=16"`
	HarborRef *Harbor  `json:"harborRef,omitempty"`
	Flags     []string `json:"flags,omitempty" api:"list=set,maxItems=8,items.maxLength=16"`
}

type Sail struct {
	Name string `json:"name" api:"minLength=1,maxLength=63"`
}

type Harbor struct {
	Name string `json:"name" api:"minLength=1,maxLength=253"`
}

type ShipStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

func ships() rest.Resource[Ship] {
	return rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships"}
}

// frigate returns a ship in the namespace default.
func frigate(name string) *Ship {
	return &Ship{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: ShipSpec{Class: "Frigate"}}
}

// fleet returns a server and the test's own client.
func fleet(t testing.TB) (*resttest.Server, rest.Client[Ship]) {
	t.Helper()
	s := resttest.New(t, ships())
	return s, resttest.Client[Ship](t, s.API).Namespace("default")
}

func mustCreate(t testing.TB, c rest.Client[Ship], name string) *Ship {
	t.Helper()
	ship, err := c.Create(context.Background(), frigate(name))
	if err != nil {
		t.Fatal(err)
	}
	return ship
}

// createSoon is mustCreate for goroutines other than the test's.
func createSoon(t testing.TB, c rest.Client[Ship], name string) {
	if _, err := c.Create(context.Background(), frigate(name)); err != nil {
		t.Error(err)
	}
}

// fakeT is a test inside a test. It records the failures.
type fakeT struct {
	testing.TB
	errors   []string
	fatal    bool
	cleanups []func()
}

func (t *fakeT) Helper()          {}
func (t *fakeT) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *fakeT) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}

func (t *fakeT) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	t.fatal = true
	runtime.Goexit()
}

func (t *fakeT) cleanUp() {
	for len(t.cleanups) > 0 {
		last := len(t.cleanups) - 1
		f := t.cleanups[last]
		t.cleanups = t.cleanups[:last]
		f()
	}
}

// inside runs f as a test of its own and returns its failures, including those of its cleanup.
func inside(t *testing.T, f func(t *fakeT)) []string {
	t.Helper()
	inner := &fakeT{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer inner.cleanUp()
		f(inner)
	}()
	<-done
	return inner.errors
}
