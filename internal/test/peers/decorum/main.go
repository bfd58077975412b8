// Command decorum serves Things with Decorum, in memory. With -definition, it serves what clients define.
package main

import (
	"context"
	"errors"
	"flag"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/peers/serving"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
)

// Thing is the kind of the load.
type Thing struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec ThingSpec `json:"spec,omitzero"`
}

// ThingSpec is the desired state of a Thing.
type ThingSpec struct {
	Size int64             `json:"size"`
	Data map[string]string `json:"data,omitempty"`
}

func main() { serving.Main(run) }

func run(ctx context.Context) (err error) {
	defined := flag.Bool("definition", false, "serve the kinds that clients define, instead of a Go type")
	flag.Parse()
	var options rest.Options
	var kinds []rest.Definition
	if *defined {
		options.Plugins = []rest.Plugin{crd.New(crd.Options{})}
	} else {
		kinds = []rest.Definition{rest.Resource[Thing]{Group: "peers.example.com", Version: "v1", Plural: "things"}}
	}
	api, err := rest.New(options, kinds...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	if err := api.Start(ctx); err != nil {
		return err
	}
	return serving.Run(api)
}
