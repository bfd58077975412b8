package main

import (
	"log/slog"
	"net/http"

	"github.com/go-logr/logr"
	clientrest "k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// clientConfig returns a configuration by which a client of client-go or
// controller-runtime calls the API in this process, without a socket, port or
// certificate. name is the user of its requests. Nothing looks up the host of the
// URL, but it must be one of rest.Browsers.AllowedHosts.
func clientConfig(api *rest.API, name string) *clientrest.Config {
	named := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), access.User{Name: name})))
	})
	return &clientrest.Config{
		Host:      "http://localhost",
		Transport: rest.RoundTripper(named),
		QPS:       -1, // no remote server needs protection
	}
}

// newManager returns a manager with both reconcilers. It opens no port of its own.
func newManager(api *rest.API, logger *slog.Logger) (ctrl.Manager, error) {
	sameNameAgain := true // a process may run several hosts, as the tests do
	manager, err := ctrl.NewManager(clientConfig(api, "controller"), ctrl.Options{
		Scheme:     newScheme(),
		Logger:     logr.FromSlogHandler(logger.Handler()),
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &sameNameAgain},
	})
	if err != nil {
		return nil, err
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&Database{}).Owns(&Instance{}).
		Complete(databaseReconciler{manager.GetClient(), manager.GetAPIReader()}); err != nil {
		return nil, err
	}
	return manager, ctrl.NewControllerManagedBy(manager).For(&Instance{}).Complete(instanceReconciler{manager.GetClient()})
}
