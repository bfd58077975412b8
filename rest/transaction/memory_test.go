package transaction_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/transaction"
	"github.com/decorum-go/decorum/storage"
)

// large creates an account of 200 KB, and labels is a list that sets one label of it again and again.
func large(t *testing.T, api *rest.API) (labels func(times int) string) {
	t.Helper()
	apitest.Must(t, api, "POST", accounts, object(`"name":"large","annotations":{"a":"`+strings.Repeat("x", 200_000)+`"}`, 1))
	return func(times int) string {
		items := make([]string, times)
		for i := range items {
			items[i] = object(fmt.Sprintf(`"name":"large","labels":{"n":"%d"}`, i), 1)
		}
		return list(items...)
	}
}

// A short list can have an answer of any size. It takes its memory from the budget before the commit.
func TestAnswersTakeFromTheBudget(t *testing.T) {
	budget := storage.NewBudget(8 << 20)
	api := newAPI(t, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}})
	labels := large(t, api)
	before := apitest.Must(t, api, "GET", accounts+"/large", "").Body
	for _, query := range []string{"?dryRun=All", ""} {
		answer := send(t, api, query, labels(60))
		assert.Equal(t, http.StatusRequestEntityTooLarge, answer.Code)
		assert.Contains(t, apitest.StatusOf(t, answer).Message, "limit of the memory for one answer")
		assert.Zero(t, budget.Used())
	}
	assert.Equal(t, before, apitest.Must(t, api, "GET", accounts+"/large", "").Body, "nothing is stored")

	others := budget.Part(8 << 20)
	require.True(t, others.Take(7<<20))
	answer := send(t, api, "", labels(4))
	assert.Equal(t, http.StatusTooManyRequests, answer.Code)
	assert.Equal(t, "1", answer.Header.Get("Retry-After"))
	others.Close()
	answer = send(t, api, "", labels(4))
	require.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "3", answer.Text(t, "items.3.metadata.labels.n"))
	assert.Zero(t, budget.Used())
}

// slow is a client that neither sends its body nor reads the answer until it may go on.
type slow struct {
	*httptest.ResponseRecorder
	body     io.Reader
	begun    chan struct{} // receives a value when the API waits for the client
	goesOn   chan struct{}
	readOnce bool
}

func (s *slow) wait() {
	s.begun <- struct{}{}
	<-s.goesOn
}

func (s *slow) Read(p []byte) (int, error) {
	if !s.readOnce {
		s.readOnce = true
		s.wait()
	}
	return s.body.Read(p)
}

func (s *slow) Write(p []byte) (int, error) {
	if s.Body.Len() == 0 {
		s.wait()
	}
	return s.ResponseRecorder.Write(p)
}

// While a client sends its list slowly, and while it reads the answer slowly, others use its place.
func TestSlowClientHasNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(t, rest.Options{Limits: rest.Limits{MaxInFlight: 1}})
		labels := large(t, api)
		client := &slow{ResponseRecorder: httptest.NewRecorder(), body: strings.NewReader(labels(4)), begun: make(chan struct{}),
			goesOn: make(chan struct{})}
		r := httptest.NewRequest("POST", transaction.Path, client)
		done := apitest.InBackground(func() int { api.ServeHTTP(client, r); return client.Code })
		for _, during := range []string{"the body is read", "the answer is read"} {
			apitest.Within(t, during, client.begun)
			assert.Equal(t, http.StatusOK, apitest.Do(t, api, "GET", accounts+"/large", "").Code, during)
			client.goesOn <- struct{}{}
		}
		assert.Equal(t, http.StatusOK, <-done)
		assert.Greater(t, client.Body.Len(), 800_000)
	})
}
