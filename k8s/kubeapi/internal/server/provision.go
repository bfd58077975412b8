package server

import (
	"log/slog"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// provision is the plugin NamespaceAutoProvision: it creates the namespace of a new object. It acts before the API
// does, because the API asks for the namespace before it calls any hook.
func (f *front) provision(r *http.Request) {
	apply := r.Method == http.MethodPatch && r.Header.Get("Content-Type") == "application/apply-patch+yaml"
	if r.Method != http.MethodPost && !apply || len(r.URL.Query()["dryRun"]) > 0 {
		return
	}
	a := f.accessTo(r)
	if a.Namespace == "" || a.Resource == "namespaces" {
		return
	}
	if decision, err := f.authorizer.Authorize(r.Context(), a); err != nil || !decision.Allowed() {
		return // the API refuses the request
	}
	namespaces, err := rest.ClientForType[corev1.Namespace](f.api)
	if err == nil {
		_, err = namespaces.Get(r.Context(), a.Namespace)
	}
	if status.IsNotFound(err) {
		_, err = namespaces.FieldManager("kube-apiserver").Create(r.Context(),
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: a.Namespace}})
	}
	if err != nil && !status.IsAlreadyExists(err) {
		f.logger.LogAttrs(r.Context(), slog.LevelWarn, "a namespace was not created for an object",
			slog.String("namespace", a.Namespace), slog.Any("error", err))
	}
}
