package debug

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// Options configure [New]. The zero value works for an API with an Authorizer.
type Options struct {
	// WithoutAuthorizer serves the paths even if the API has no Authorizer, so every client of the API can read them.
	// Profiles show names of functions and what the program does, and slow it down. Default: 403 without an Authorizer.
	WithoutAuthorizer bool
	// States are what the host or its plug-ins also show, by the last element of the path: "fairness" is at
	// /debug/fairness. The answer is the JSON of what the function returns. Many goroutines may call it at once.
	States map[string]func() any
}

// New returns the plug-in, which a host lists in [rest.Options].Plugins.
func New(options Options) rest.Plugin { return &plugin{options: options} }

type plugin struct {
	options Options
	api     rest.PluginAPI
}

// Plug implements [rest.Plugin].
func (p *plugin) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	p.api = api
	paths := map[string]http.Handler{
		"/debug/pprof/":        p.guarded(profile),
		"/debug/pprof/profile": p.guarded(cpuProfile),
		"/debug/pprof/trace":   p.guarded(executionTrace),
		"/debug/watches":       p.guarded(p.watches),
	}
	for name, state := range p.options.States {
		path := "/debug/" + name
		if name == "" || strings.Contains(name, "/") || name == "pprof" || paths[path] != nil {
			return rest.PluginParts{}, fmt.Errorf("debug: Options.States: %q is not a name for a path of its own", name)
		}
		paths[path] = p.guarded(func(w http.ResponseWriter, _ *http.Request) error { return writeJSON(w, state()) })
	}
	return rest.PluginParts{Name: "debug", Paths: paths}, nil
}

// guarded returns the handler of a path. An error is answered with its Status.
func (p *plugin) guarded(answer func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
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
	return writeJSON(w, map[string][]observe.OpenWatch{"watches": p.api.OpenWatches()})
}

func writeJSON(w http.ResponseWriter, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n')) // it fails if the client has left
	return nil
}
