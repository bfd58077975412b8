package debug

import (
	"encoding/json"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Options configure [New]. The zero value works for an API with an Authorizer.
type Options struct {
	// WithoutAuthorizer serves the paths also if the API has no Authorizer, so to everybody who reaches the API. Profiles show names of
	// functions and what the program does, and slow it down. Default: 403 without an Authorizer.
	WithoutAuthorizer bool
}

// New returns the plug-in.
func New(options Options) rest.Plugin { return &plugin{options: options} }

type plugin struct {
	options Options
	api     *rest.API
}

// Plug implements [rest.Plugin].
func (p *plugin) Plug(api *rest.API) (rest.Parts, error) {
	p.api = api
	return rest.Parts{Name: "debug", Paths: map[string]http.Handler{
		"/debug/pprof/":        p.guarded(profile),
		"/debug/pprof/profile": p.guarded(cpuProfile),
		"/debug/pprof/trace":   p.guarded(executionTrace),
		"/debug/watches":       p.guarded(p.watches),
	}}, nil
}

// guarded returns the handler of a path. An error is answered with its Status.
func (p *plugin) guarded(answer func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			err = status.MethodNotAllowed()
		case !p.api.Authorizes() && !p.options.WithoutAuthorizer:
			err = status.Forbidden(apimeta.GroupResource{}, "", "the API has no Authorizer that could protect "+r.URL.Path)
		default:
			err = answer(w, r)
		}
		if err != nil {
			p.api.Error(w, r, err)
		}
	})
}

// watches answers with the open watches.
func (p *plugin) watches(w http.ResponseWriter, _ *http.Request) error {
	text, err := json.MarshalIndent(map[string][]rest.OpenWatch{"watches": p.api.OpenWatches()}, "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n')) // it fails if the client has left
	return nil
}
