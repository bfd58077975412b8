package serviceaccount

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/jwt"
)

// The paths of [Issuer.Discovery], as in Kubernetes.
const (
	configurationPath = "/.well-known/openid-configuration"
	keysPath          = "/openid/v1/jwks"
)

// Discovery returns a handler for the paths /.well-known/openid-configuration and /openid/v1/jwks (OpenID Connect
// Discovery 1.0), with which other services verify tokens. It shows public keys to everyone. The host serves it below
// the URL in Options.Issuer:
//
//	mux.Handle("/.well-known/", accounts.Discovery())
//	mux.Handle("/openid/", accounts.Discovery())
func (i *Issuer) Discovery() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+configurationPath, func(w http.ResponseWriter, _ *http.Request) {
		var algorithms []string
		for _, k := range *i.keys.Load() {
			if !slices.Contains(algorithms, k.Algorithm) {
				algorithms = append(algorithms, k.Algorithm)
			}
		}
		respond(w, "application/json", map[string]any{
			"issuer": i.issuer, "jwks_uri": strings.TrimSuffix(i.issuer, "/") + keysPath,
			"response_types_supported": []string{"id_token"},
			"subject_types_supported":  []string{"public"}, "id_token_signing_alg_values_supported": algorithms,
		})
	})
	mux.HandleFunc("GET "+keysPath, func(w http.ResponseWriter, _ *http.Request) {
		set := struct {
			Keys []jwt.PublicJWK `json:"keys"`
		}{}
		for _, k := range *i.keys.Load() {
			key, err := k.JWK()
			if err != nil {
				http.Error(w, "the key cannot be shown", http.StatusInternalServerError)
				return
			}
			set.Keys = append(set.Keys, key)
		}
		respond(w, "application/jwk-set+json", set)
	})
	return mux
}

// respond writes a document that clients may keep for an hour, as in Kubernetes.
func respond(w http.ResponseWriter, contentType string, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(body)
}
