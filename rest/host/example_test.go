package host_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/host"
)

type Site struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

func Example() {
	sites := rest.Resource[Site]{Group: "example.com", Version: "v1", Plural: "sites"}
	api, err := rest.New(rest.Options{}, sites, builtin.Events())
	if err != nil {
		log.Fatal(err)
	}
	coreEvents, err := rest.ClientForType[builtin.CoreEvent](api)
	if err != nil {
		log.Fatal(err)
	}
	recorder := events.New(events.Options{Client: coreEvents, Controller: "example.com/publisher"})
	publish := func(context.Context, controller.Key) (controller.Result, error) { return controller.Result{}, nil }
	siteClient, err := rest.ClientForType[Site](api)
	if err != nil {
		log.Fatal(err)
	}
	informer := controller.NewInformer(siteClient, controller.InformerOptions[Site]{})

	mux := http.NewServeMux()
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	ctx, stop := context.WithTimeout(context.Background(), time.Minute) // a program would use signal.NotifyContext
	defer stop()
	err = host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: "127.0.0.1:0", Handler: mux},
		Services:    controller.Group{recorder.Run},
		Controllers: controller.Group{controller.New(publish, controller.Options{}, controller.For(informer)).Run},
		Ready: func(address net.Addr) {
			defer stop()
			answer, err := http.Get(fmt.Sprintf("http://%s/platform/readyz", address))
			if err != nil {
				log.Fatal(err)
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			fmt.Println(string(text))
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: ok
}
