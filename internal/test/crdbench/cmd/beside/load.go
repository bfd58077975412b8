package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const notes = "/apis/example.com/v1/notes"

// load is an open-loop load: a request is sent when its time has come, even if earlier ones have not been answered.
type load struct {
	rate     int
	duration time.Duration
}

// prepare creates the note that the load reads and changes.
func prepare(url string) error {
	_, err := send("POST", url+notes, `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"one"},"text":"0"}`,
		http.StatusCreated)
	return err
}

// attack sends hostile requests to a host until stop is closed, and counts them.
type attack func(url string, stop <-chan struct{}) (sent int, err error)

// beside sends the load to one host and an attack to another, and returns the 99th percentile of the latency and the
// number of hostile requests. The latency of a request counts from the time at which it should have been sent.
func (l load) beside(url, attacked string, a attack) (p99 time.Duration, sent int, err error) {
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		sent, err = a(attacked, stop)
		stopped <- err
	}()
	n := int(l.duration.Seconds() * float64(l.rate))
	latencies, errs := make([]time.Duration, n), make([]error, n)
	var wait sync.WaitGroup
	start := time.Now()
	for i := range n {
		due := start.Add(time.Duration(i) * time.Second / time.Duration(l.rate))
		time.Sleep(time.Until(due))
		wait.Go(func() {
			errs[i] = one(url, i)
			latencies[i] = time.Since(due)
		})
	}
	wait.Wait()
	close(stop)
	if err := <-stopped; err != nil {
		return 0, 0, err
	}
	for _, err := range errs {
		if err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(latencies)
	return latencies[n*99/100], sent, nil
}

// one sends one request: every tenth is a write.
func one(url string, i int) error {
	method, body := "GET", ""
	if i%10 == 0 {
		method, body = "PATCH", fmt.Sprintf(`{"text":"%d"}`, i)
	}
	_, err := send(method, url+notes+"/one", body, http.StatusOK)
	return err
}

// send sends a request and returns the code of the answer. It returns an error for any other code than want, unless
// that is 0.
func send(method, url, body string, want int) (code int, err error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, err
	}
	if want != 0 && answer.StatusCode != want {
		return 0, fmt.Errorf("%s %s: %s", method, url, answer.Status)
	}
	return answer.StatusCode, nil
}
