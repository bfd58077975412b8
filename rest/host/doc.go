// Package host runs a program around an API: it starts the server, the API, the election of a leader, the controllers
// and what they need in the right order, and stops them in the right order within a time limit:
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	store, err := bolt.Open(ctx, bolt.Options{Path: "objects.db"})
//	…
//	defer store.Close()
//	api, err := rest.New(rest.Options{Store: store}, widgets)
//	…
//	err = host.Run(ctx, api, host.Options{
//		Server:      &http.Server{Addr: "127.0.0.1:8080", Handler: mux},
//		Controllers: controller.Group{sizes.Run},
//	})
//
// Run ends when ctx does, here at SIGTERM. It calls the methods Start and Shutdown of the API, so the host calls
// neither. The host closes its store, and a client of package callout, after Run.
//
// Package rest itself opens no listener, and a host can use it without this package.
package host
