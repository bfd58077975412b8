package server

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/callout"
)

// caller is the configuration of one of the plugins with which users review writes. It calls webhooks as the users in
// its kubeconfig file, whose names are the hosts of the webhooks.
type caller struct {
	users map[string]*clientcmdapi.AuthInfo
	// other is the user for hosts without an entry, or nil.
	other *clientcmdapi.AuthInfo
}

var callerKinds = map[string]string{mutatingPolicies: "MutatingAdmissionPolicyConfiguration",
	validatingPolicies: "ValidatingAdmissionPolicyConfiguration", mutatingWebhooks: "WebhookAdmissionConfiguration",
	validatingWebhooks: "WebhookAdmissionConfiguration"}

// manifests is what all of these plugins have in their configuration.
type manifests struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

// callerIn reads the configuration of a plugin.
func callerIn(plugin string, text []byte) (*caller, error) {
	if text == nil {
		return new(caller), nil
	}
	kind := schema.GroupVersionKind{Group: "apiserver.config.k8s.io", Version: "v1", Kind: callerKinds[plugin]}
	var config struct {
		manifests
		KubeConfigFile string `json:"kubeConfigFile"`
	}
	into := any(&config)
	if plugin == mutatingPolicies || plugin == validatingPolicies {
		into = &config.manifests // policies make no calls
	}
	err := pluginconfig.Decode(text, pluginconfig.Strict, into, kind)
	switch path := config.KubeConfigFile; {
	case err != nil:
		return nil, err
	case path != "" && !filepath.IsAbs(path):
		return nil, field.Invalid(field.NewPath("kubeConfigFile"), path, "must be an absolute file path")
	case config.StaticManifestsDir != "":
		return nil, errors.New("staticManifestsDir: kubeapi does not implement it")
	case path == "":
		return new(caller), nil
	}
	return callerOf(config.KubeConfigFile)
}

// callerOf reads a kubeconfig file. Paths in it are relative to its folder.
func callerOf(path string) (*caller, error) {
	file, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return nil, fmt.Errorf("kubeConfigFile: %w", err)
	}
	if err := clientcmd.ResolveLocalPaths(file); err != nil {
		return nil, fmt.Errorf("kubeConfigFile: %w", err)
	}
	c := &caller{users: file.AuthInfos, other: file.AuthInfos["*"]}
	if current := file.Contexts[file.CurrentContext]; c.other == nil && current != nil {
		c.other = file.AuthInfos[current.AuthInfo]
	}
	for name, user := range file.AuthInfos {
		if user.Exec != nil || user.AuthProvider != nil {
			return nil, fmt.Errorf("kubeConfigFile: %s: user %q: kubeapi runs no other program for credentials", path, name)
		}
	}
	return c, nil
}

// userFor returns the user for a host with its port, or nil. The name of the host itself goes first, then *. before
// more and more of its end; for the port 443, the same follows without the port.
func (c *caller) userFor(host string) *clientcmdapi.AuthInfo {
	hosts := []string{host}
	if name, port, err := net.SplitHostPort(host); err == nil && port == "443" {
		hosts = append(hosts, name)
	}
	for _, host := range hosts {
		for name, end := host, host; ; name = "*." + end {
			if user := c.users[name]; user != nil {
				return user
			}
			var more bool
			if _, end, more = strings.Cut(end, "."); !more {
				break
			}
		}
	}
	return c.other
}

// callerKey is the key of the caller in the context of a hook.
type callerKey struct{}

// carriedBy makes the contexts of a hook carry the caller.
func (c *caller) carriedBy(h *admission.Hook) {
	if c.users == nil {
		return
	}
	carrying := func(run func(context.Context, *admission.Request) error) func(context.Context,
		*admission.Request) error {
		if run == nil {
			return nil
		}
		return func(ctx context.Context, r *admission.Request) error {
			return run(context.WithValue(ctx, callerKey{}, c), r)
		}
	}
	h.Mutate, h.Validate = carrying(h.Mutate), carrying(h.Validate)
}

// credentialsOf returns what a call shows to a host: nothing unless the context carries a caller.
func credentialsOf(ctx context.Context, host string) (shown callout.Credentials, err error) {
	c, _ := ctx.Value(callerKey{}).(*caller)
	if c == nil {
		return shown, nil
	}
	user := c.userFor(host)
	if user == nil {
		return shown, nil
	}
	shown.Header = http.Header{}
	if user.Impersonate != "" {
		shown.Header.Set("Impersonate-User", user.Impersonate)
		if user.ImpersonateUID != "" {
			shown.Header.Set("Impersonate-Uid", user.ImpersonateUID)
		}
		shown.Header["Impersonate-Group"] = user.ImpersonateGroups
		for key, values := range user.ImpersonateUserExtra {
			shown.Header["Impersonate-Extra-"+url.PathEscape(key)] = values
		}
	}
	token := user.Token
	if token == "" && user.TokenFile != "" {
		text, err := os.ReadFile(user.TokenFile)
		if err != nil {
			return shown, err
		}
		token = strings.TrimSpace(string(text))
	}
	switch {
	case token != "":
		shown.Header.Set("Authorization", "Bearer "+token)
	case user.Username != "" || user.Password != "":
		shown.Header.Set("Authorization", "Basic "+
			base64.StdEncoding.EncodeToString([]byte(user.Username+":"+user.Password)))
	}
	shown.Certificate, err = certificateOf(user)
	return shown, err
}

// certificateOf returns the certificate of a user, or nil. The files may have changed since the last call.
func certificateOf(user *clientcmdapi.AuthInfo) (*tls.Certificate, error) {
	read := func(data []byte, path string) ([]byte, error) {
		if len(data) > 0 || path == "" {
			return data, nil
		}
		return os.ReadFile(path)
	}
	chain, err := read(user.ClientCertificateData, user.ClientCertificate)
	if err != nil || len(chain) == 0 {
		return nil, err
	}
	key, err := read(user.ClientKeyData, user.ClientKey)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, key)
	return &pair, err
}
