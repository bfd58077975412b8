package main

import (
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// deployed is one of the service's own routes. It writes through the in-process
// client, so the same rules apply and the same watchers see the change as for a
// write over the API.
func deployed(environments rest.Client[Environment]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		release := r.URL.Query().Get("release")
		if release == "" {
			http.Error(w, "which release? add ?release=…", http.StatusBadRequest)
			return
		}
		err := report(r, environments.Namespace(r.PathValue("namespace")), r.PathValue("name"), release)
		if err != nil {
			http.Error(w, err.Error(), status.CodeOf(err))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// report writes the release to the status. If another write came in between, it
// reads the object again: the report is about the running release, whatever the
// spec is now.
func report(r *http.Request, environments rest.Client[Environment], name, release string) error {
	for {
		env, err := environments.Get(r.Context(), name)
		if err != nil {
			return err
		}
		env.Status.Release = release
		env.Status.ObservedGeneration = env.Generation
		apimeta.SetCondition(&env.Status.Conditions, apimeta.Condition{
			Type:               "Ready",
			Status:             apimeta.ConditionTrue,
			ObservedGeneration: env.Generation,
			Reason:             "Deployed",
			Message:            release + " runs",
		})
		if _, err = environments.UpdateStatus(r.Context(), env); !status.IsConflict(err) {
			return err
		}
	}
}
