package conformance_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: people
contexts:
- {name: people, context: {cluster: here, user: ann}}
- {name: programs, context: {cluster: here, user: cert}}
- {name: plugin, context: {cluster: here, user: exec}}
- {name: nowhere, context: {cluster: gone, user: ann}}
clusters:
- {name: here, cluster: {server: "https://127.0.0.1:6443", certificate-authority: ca.pem}}
users:
- {name: ann, user: {tokenFile: token}}
- {name: cert, user: {client-certificate-data: Y2VydA==, client-key: key.pem}}
- {name: exec, user: {exec: {command: login}}}
`

func TestKubeconfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	for name, text := range map[string]string{"config": kubeconfig, "ca.pem": "authority", "token": "secret\n",
		"key.pem": "key"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	server := conformance.Options{Server: "https://127.0.0.1:6443", Authorities: []byte("authority")}
	withToken, withCertificate := server, server
	withToken.Token = "secret"
	withCertificate.Certificate, withCertificate.Key = []byte("cert"), []byte("key")
	for _, test := range []struct {
		context string
		want    conformance.Options
		err     string
	}{
		{"", withToken, ""},
		{"programs", withCertificate, ""},
		{"plugin", conformance.Options{}, "user exec: only tokens and client certificates are supported"},
		{"nowhere", conformance.Options{}, `the context "nowhere" names no cluster with a server`},
		{"other", conformance.Options{}, `the kubeconfig has no context "other"`},
	} {
		t.Run("context "+test.context, func(t *testing.T) {
			var got conformance.Options
			err := got.UseKubeconfig(file, test.context)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	require.Error(t, new(conformance.Options).UseKubeconfig(filepath.Join(dir, "none"), ""))
}

func TestCertificatesAreChecked(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	for _, test := range []struct {
		name string
		o    conformance.Options
		want string
	}{
		{"unknown authority", conformance.Options{}, "certificate signed by unknown authority"},
		{"authorities that are not PEM", conformance.Options{Authorities: []byte("x")}, "hold no certificate in PEM"},
		{"certificate that is not PEM", conformance.Options{Certificate: []byte("x")}, "the client certificate: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Server, test.o.Cases, test.o.Golden = server.URL, folder("one.yaml", oneCase("a", "[]")),
				folder("one.json", `{"cases":{}}`)
			_, err := conformance.Run(t.Context(), test.o)
			require.ErrorContains(t, err, test.want)
		})
	}
}
