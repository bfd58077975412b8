package resttest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// A server for each test must cost next to nothing. docs/testing.md has the
// figures.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		t := &fakeT{TB: b}
		b.StartTimer()
		resttest.New(t, ships())
		t.cleanUp()
	}
}

// BenchmarkNewBesideAnAPI compares a server that starts and ends with an API of the same kind that does.
func BenchmarkNewBesideAnAPI(b *testing.B) {
	apitest.Compare(b, 200, func(n int) {
		for range n {
			t := &fakeT{TB: b}
			resttest.New(t, ships())
			t.cleanUp()
		}
	}, func(n int) {
		for range n {
			api, err := rest.New(rest.Options{}, ships())
			require.NoError(b, err)
			require.NoError(b, api.Close())
		}
	})
}

// BenchmarkNewAndFirstRequest includes the first answer, for which a test waits
// too.
func BenchmarkNewAndFirstRequest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		t := &fakeT{TB: b}
		b.StartTimer()
		s := resttest.New(t, ships())
		answer, err := (&http.Client{Transport: s.RoundTripper()}).Get("http://resttest/apis/fleet.example.com/v1/ships")
		require.NoError(b, err)
		require.NoError(b, answer.Body.Close())
		t.cleanUp()
	}
}

// BenchmarkRecorded measures what the recorder and the faults add to a request.
func BenchmarkRecorded(b *testing.B) {
	s := resttest.New(b, ships())
	c := &http.Client{Transport: s.RoundTripper()}
	b.ReportAllocs()
	for b.Loop() {
		answer, err := c.Get("http://resttest/apis/fleet.example.com/v1/ships")
		require.NoError(b, err)
		require.NoError(b, answer.Body.Close())
	}
}
