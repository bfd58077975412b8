package transaction

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Path is where the API receives transactions. The paths at the root of the API contain it, so clients can find out
// about it.
const Path = "/extensions/transactions"

// New returns the plug-in, which a host lists in [rest.Options].Plugins.
func New() rest.Plugin { return new(plugin) }

type plugin struct{ api rest.PluginAPI }

// Plug implements [rest.Plugin].
func (p *plugin) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	if p.api.API != nil {
		return rest.PluginParts{}, errors.New("the plug-in belongs to another API")
	}
	p.api = api
	return rest.PluginParts{Name: "transaction", Paths: map[string]http.Handler{Path: p}}, nil
}

// ServeHTTP receives a transaction.
func (p *plugin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := p.serve(w, r)
	if err != nil {
		p.api.Error(w, r, err)
		return
	}
	p.api.Answer(w, r, answer)
}

func (p *plugin) serve(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, status.MethodNotAllowed()
	}
	query, err := parametersOf(r)
	if err != nil {
		return nil, err
	}
	body, err := p.api.ReadBody(r)
	if err != nil {
		return nil, err
	}
	items, err := readList(body)
	if err != nil {
		return nil, err
	}
	if len(items) > storage.MaxTransaction {
		return nil, status.RequestEntityTooLarge(fmt.Sprintf("a transaction can have at most %d objects",
			storage.MaxTransaction))
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.api.RequestTimeout())
	defer cancel()
	run := p.api.Transact
	if query.Has("dryRun") {
		run = p.api.Rehearse
	}
	t := &attempt{plugin: p, request: r, auditID: w.Header().Get("Audit-Id"), query: query, items: items}
	if err := run(ctx, t.run); err != nil {
		return nil, err
	}
	return t.answer(), nil
}

// parametersOf returns the parameters for the requests of the objects.
func parametersOf(r *http.Request) (url.Values, error) {
	query := url.Values{}
	for name, values := range r.URL.Query() {
		switch name {
		case "dryRun":
			if len(values) != 1 || values[0] != "All" {
				return nil, status.BadRequest(`the parameter dryRun must be "All"`)
			}
		case "fieldManager", "fieldValidation", "force", "pretty":
		default:
			return nil, status.BadRequest(fmt.Sprintf("a transaction has no parameter %q", name))
		}
		query[name] = values
	}
	query.Del("pretty")
	return query, nil
}
