package debug

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/status"
)

const (
	defaultProfile = 30 * time.Second
	defaultTrace   = time.Second
	longest        = 5 * time.Minute
	// margin is the time to send a profile after it has been taken.
	margin = 30 * time.Second
)

// profile answers with the list of profiles, or with one by its name. The parameter debug=1 asks for a text, and gc=1
// collects garbage first.
func profile(w http.ResponseWriter, r *http.Request) error {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/debug/pprof"), "/")
	if name == "" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "profile\ntrace")
		for _, p := range pprof.Profiles() {
			fmt.Fprintln(w, p.Name())
		}
		return nil
	}
	p := pprof.Lookup(name)
	if p == nil {
		return status.ResourceNotFound()
	}
	query := r.URL.Query()
	form, err := number(query.Get("debug"), 2)
	if err != nil {
		return err
	}
	if name == "heap" && query.Get("gc") == "1" {
		runtime.GC()
	}
	contentType := "application/octet-stream"
	if form > 0 {
		contentType = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	_ = p.WriteTo(w, form) // it fails if the client has left
	return nil
}

// cpuProfile answers with a profile of the CPU.
func cpuProfile(w http.ResponseWriter, r *http.Request) error {
	return during(w, r, defaultProfile, func() error { return pprof.StartCPUProfile(w) }, pprof.StopCPUProfile)
}

// executionTrace answers with a trace for go tool trace.
func executionTrace(w http.ResponseWriter, r *http.Request) error {
	return during(w, r, defaultTrace, func() error { return trace.Start(w) }, trace.Stop)
}

// during records for the time that the parameter seconds asks for, or until the client leaves or the API ends. A
// process records one profile and one trace at a time.
func during(w http.ResponseWriter, r *http.Request, standard time.Duration, start func() error, stop func()) error {
	duration := standard
	if asked := r.URL.Query().Get("seconds"); asked != "" {
		seconds, err := number(asked, int(longest/time.Second))
		if err != nil {
			return err
		}
		duration = time.Duration(seconds) * time.Second
	}
	// A server without deadlines has no limit to lift.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(duration + margin))
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := start(); err != nil {
		w.Header().Del("Content-Type")
		return status.TooManyRequests("somebody else is recording: "+err.Error(), 1)
	}
	defer stop()
	ctx, cancel := context.WithTimeout(r.Context(), duration)
	defer cancel()
	<-ctx.Done()
	return nil
}

// number reads a parameter between 0 and a limit. An absent one is 0.
func number(text string, limit int) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > limit {
		return 0, status.BadRequest(fmt.Sprintf("%q is not a number between 0 and %d", text, limit))
	}
	return n, nil
}
