package crd

import (
	"context"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/watch"
)

// manager is the field manager of the status of definitions, as in a cluster.
const manager = "kube-apiserver"

// Enable makes an API serve CustomResourceDefinitions and the kinds that they describe:
//
//	disable, err := crd.Enable(ctx, api, crd.Options{})
//
// The definitions are objects in the store of the API. Enable returns once the API serves the kinds of all stored definitions, and
// follows the changes of the store until disable is called or ctx ends; disable waits until nothing runs any more. So a restart needs
// nothing, and several replicas with one store serve the same kinds. The kinds answer as those of kube-apiserver do. They never
// replace a kind that the host has declared: the condition NamesAccepted of such a definition is False.
//
// When a definition is deleted, Enable deletes the objects of its kind, and removes the definition when they are gone.
//
// Enable returns an error if the API serves customresourcedefinitions already, or closes, or if the store cannot be read.
func Enable(ctx context.Context, api *rest.API, options Options) (disable func(), err error) {
	checks := apiextensions.Checks{Rules: options.Rules, IgnoreRules: options.IgnoreRules, Turn: apiextensions.NewTurn()}
	if err := api.Serve(ctx, apiextensions.CustomResourceDefinitions(checks)); err != nil {
		return nil, fmt.Errorf("crd.Enable: %w", err)
	}
	options.Logger = errorlog.Or(options.Logger)
	ctx, stop := context.WithCancel(ctx)
	k := &kinds{
		api: api, options: options, served: map[string]*kindOf{}, emptying: map[string]context.CancelFunc{}, definitions: map[string]*apiextensions.CustomResourceDefinition{},
		client: rest.ClientFor[apiextensions.CustomResourceDefinition](api).As(manager),
	}
	version, err := k.load(ctx)
	if err != nil {
		stop()
		return nil, fmt.Errorf("crd.Enable: %w", err)
	}
	k.running.Go(func() { k.follow(ctx, version) })
	return func() {
		stop()
		k.running.Wait()
	}, nil
}

// kinds are the kinds of the stored definitions. Only the goroutine of follow changes the maps, and before it Enable.
type kinds struct {
	api         *rest.API
	options     Options
	client      rest.Client[apiextensions.CustomResourceDefinition]
	definitions map[string]*apiextensions.CustomResourceDefinition // by name, in the latest state
	served      map[string]*kindOf                                 // by the name of the definition
	emptying    map[string]context.CancelFunc                      // ends the deletion of the objects of a kind
	running     sync.WaitGroup
}

// load reads the stored definitions and serves their kinds. It returns the resourceVersion at which to start the watch.
func (k *kinds) load(ctx context.Context) (version string, err error) {
	page, err := k.client.List(ctx, rest.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, d := range page.Items {
		k.definitions[d.Name] = d
	}
	k.serveTogether(ctx, page.Items)
	for _, d := range page.Items {
		k.apply(ctx, d)
	}
	return page.ResourceVersion, ctx.Err()
}

// serveTogether serves the kinds of all established definitions in one step. If one of them is wrong, apply serves them one by one.
func (k *kinds) serveTogether(ctx context.Context, all []*apiextensions.CustomResourceDefinition) {
	var declared []rest.Definition
	var next []*kindOf
	for _, d := range all {
		if d.Is(apiextensions.Established) {
			kind := newKind(d, d.Status.AcceptedNames)
			next, declared = append(next, kind), append(declared, kind.declare(k.options))
		}
	}
	if len(declared) == 0 || k.api.Serve(ctx, declared...) != nil {
		return
	}
	for _, kind := range next {
		k.served[kind.definition] = kind
	}
}

// follow applies the changes of definitions until ctx ends or the API closes.
func (k *kinds) follow(ctx context.Context, version string) {
	for event, err := range k.client.Follow(ctx, rest.WatchOptions{ResourceVersion: version}) {
		switch {
		case err != nil:
			if ctx.Err() == nil {
				k.options.Logger.Error("crd: the API no longer follows its definitions", "error", err)
			}
			return
		case event.Type == watch.Deleted:
			k.forget(ctx, event.Object)
		default:
			k.definitions[event.Object.Name] = event.Object
			k.apply(ctx, event.Object)
		}
	}
}

// forget withdraws the kind of a definition that is gone, and gives others of the group the names that it had.
func (k *kinds) forget(ctx context.Context, d *apiextensions.CustomResourceDefinition) {
	delete(k.definitions, d.Name)
	k.withdraw(ctx, d.Name)
	k.retryGroup(ctx, d.Spec.Group)
}

// withdraw stops serving the kind of a definition.
func (k *kinds) withdraw(ctx context.Context, name string) {
	kind := k.served[name]
	if kind == nil {
		return
	}
	delete(k.served, name)
	k.stopEmptying(name)
	if err := k.api.Withdraw(ctx, kind.resource()); err != nil {
		k.log(ctx, name, err)
	}
}

// retryGroup applies the definitions of a group whose names were taken.
func (k *kinds) retryGroup(ctx context.Context, group string) {
	for _, d := range k.definitions {
		if d.Spec.Group == group && !d.Is(apiextensions.NamesAccepted) {
			k.apply(ctx, d)
		}
	}
}

func (k *kinds) log(ctx context.Context, definition string, err error) {
	if ctx.Err() == nil {
		k.options.Logger.Error("crd: the API does not serve what a definition describes", "definition", definition, "error", err)
	}
}

// resource names the resource of a kind.
func (k *kindOf) resource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: k.spec.Group, Resource: k.spec.Names.Plural}
}

// storageVersion returns the version in which the objects are stored.
func (k *kindOf) storageVersion() string {
	for _, v := range k.spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}
