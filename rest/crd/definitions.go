package crd

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/rest/internal/peers"
	"github.com/decorum-go/decorum/watch"
)

// manager is the field manager of the status of definitions, as in a cluster.
const manager = "kube-apiserver"

// Definitions is the plug-in of CustomResourceDefinitions. It adds their kind, and follows them in the store of the
// API:
//
//	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{crd.New(crd.Options{})}}, resources...)
//	err = api.Start(ctx)
//
// The definitions are objects in the store of the API. [rest.API.Start] returns once the API serves the kinds of all
// stored definitions. So a restart needs nothing, and several replicas with one store serve the same kinds. A host
// calls Start before it listens, so that no client gets a 404 for a stored kind.
//
// The kinds behave as in kube-apiserver. They never replace a kind that the host has declared. The condition
// NamesAccepted of such a definition is False. If the API cannot serve a kind, its condition Established is False with
// the reason NotServed, for example if the definition has rules and [rest.Options] have no CEL. Its paths answer 503
// ServiceUnavailable, and its objects stay in the store. The plug-in repeats failed operations. It uses
// [rest.API.Expect], so the host must not.
//
// If a definition changes to something that the API cannot serve, the API goes on with the last generation that it
// could serve, also after a restart. The reason of the condition Established is then OlderGenerationServed.
//
// If a process ended while a webhook converted stored objects to a new storage version, the next one continues the
// conversion. Its start waits 2 seconds for it, and serves the older generation until all objects are converted.
//
// Several replicas with one store know of each other by records in the store that no client can reach. A definition is
// Established when all live replicas serve its kind, or after 5 seconds.
//
// When a definition is deleted, the plug-in deletes the objects of its kind, and removes the definition when they are
// gone. The store commits a new object only together with a definition that is not deleted, so no replica creates one,
// even if it has slept through the deletion.
type Definitions struct{ options Options }

// New returns the plug-in, which a host lists in [rest.Options].Plugins.
func New(options Options) *Definitions {
	options.Logger = errorlog.Or(options.Logger)
	return &Definitions{options}
}

// Plug implements [rest.Plugin].
func (d *Definitions) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	checks := apiextensions.Checks{
		CEL: api.CEL(), IgnoreRules: d.options.IgnoreRules, Webhooks: d.options.Calls != nil,
		History: d.options.History, Enter: newTurn().take, Own: isOwn,
	}
	all, err := d.options.compiledOf()
	if err != nil {
		return rest.PluginParts{}, err
	}
	var k *kinds
	cel := api.CEL()
	return rest.PluginParts{
		Name:        "definitions",
		Definitions: []rest.Definition{apiextensions.CustomResourceDefinitions(checks)},
		Admission:   d.admission(all),
		Start: func(ctx context.Context, api *rest.API) (err error) {
			k, err = start(ctx, api, settings{d.options, cel}, all)
			return err
		},
		Stop: func(ctx context.Context) error { return rest.Wait(ctx, &k.running) },
	}, nil
}

// start serves the kinds of all stored definitions, and follows the changes of the store until ctx ends.
func start(ctx context.Context, api *rest.API, options settings, all compiled) (*kinds, error) {
	client, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	if err != nil {
		return nil, err
	}
	k := &kinds{
		api: api, options: options, served: map[string]*kindOf{}, emptying: map[string]context.CancelFunc{},
		definitions: map[string]*definition{},
		conversions: map[string]*conversion{},
		client:      client.FieldManager(manager), retries: retries{}, expected: expected{api: api},
		changes: make(chan change), turns: make(chan func()), progress: newProgress(),
	}
	if err := k.show(ctx, all); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	from, err := k.load(ctx)
	if err != nil {
		stop()
		k.running.Wait()
		return nil, err
	}
	k.running.Go(func() { k.feed(ctx, from) })
	k.running.Go(func() {
		defer stop()
		k.run(ctx)
	})
	return k, nil
}

// load joins the other replicas, and serves the kinds of all stored definitions. It returns the revision at which to
// start the watch.
func (k *kinds) load(ctx context.Context) (from watch.Revision, err error) {
	replicas, err := notes.Of(ctx, "definitionreplicas")
	if err != nil {
		return 0, err
	}
	if k.peers, err = peers.Join(ctx, replicas, k.options.Logger); err != nil {
		return 0, err
	}
	k.running.Go(func() { k.peers.Run(ctx) })
	all, from, err := k.list(ctx)
	if err != nil {
		return 0, err
	}
	all = withoutCompiled(all)
	older, err := notes.Of(ctx, "servedforms")
	if err != nil {
		return 0, err
	}
	if k.forms, err = openForms(ctx, older, all); err != nil {
		return 0, err
	}
	k.take(ctx, change{all: all, revision: from})
	k.reportProgress()
	return from, ctx.Err()
}

// kinds are the kinds of the stored definitions. Only the goroutine of run changes the maps, and before it start.
type kinds struct {
	api         *rest.API
	options     settings
	client      rest.Client[apiextensions.CustomResourceDefinition]
	definitions map[string]*definition        // the keys are names of definitions
	served      map[string]*kindOf            // the keys are names of definitions
	emptying    map[string]context.CancelFunc // functions that end the deletion of the objects of a kind
	conversions map[string]*conversion        // conversions of stored objects to a new storage version
	retries     retries
	expected    expected
	forms       *forms
	changes     chan change // feed sends them
	turns       chan func() // what other goroutines ask run to do
	running     sync.WaitGroup
	peers       *peers.Peers
	progress
}

// definition is the latest known state of a definition.
type definition struct {
	*apiextensions.CustomResourceDefinition
	// granted are the names that the definition has. Its status may not show them yet.
	granted apiextensions.CustomResourceDefinitionNames
}
