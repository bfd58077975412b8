package embedded_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

// shown returns the certificate that a member presents to a client. The client uses the certificate in a directory, or
// none. The error comes from the handshake.
func shown(t *testing.T, p *process, dir string) (*x509.Certificate, error) {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	text, err := os.ReadFile(filepath.Join(p.options.Dir, "authority.pem"))
	require.NoError(t, err)
	require.True(t, config.RootCAs.AppendCertsFromPEM(text))
	if dir != "" {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "certificate.pem"))
		require.NoError(t, err)
		config.Certificates = []tls.Certificate{pair}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	response, err := client.Get("https://" + p.options.Operations + "/version")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return response.TLS.PeerCertificates[0], nil
}

// A member makes its certificate, keeps it across restarts, and replaces it before it expires. It refuses clients
// without a certificate of its authority.
func TestMadeCertificates(t *testing.T) {
	t.Parallel()
	p := processes(t, 1)[0]
	open := func(before time.Duration) *x509.Certificate {
		p.close()
		p.options.Store.Engine.Now = func() time.Time { return time.Now().Add(-before) }
		p.mustOpen()
		certificate, err := shown(t, p, p.options.Dir)
		require.NoError(t, err)
		return certificate
	}
	first := open(21 * day)
	assert.Equal(t, first.SerialNumber, open(2*day).SerialNumber)
	later := open(0)
	assert.NotEqual(t, first.SerialNumber, later.SerialNumber)
	assert.True(t, later.NotAfter.After(first.NotAfter.Add(20*day)))
	_, err := shown(t, p, "")
	assert.ErrorContains(t, err, "certificate required")

	foreign, err := embedded.MakeAuthority()
	require.NoError(t, err)
	other := processes(t, 1)[0]
	require.NoError(t, os.WriteFile(other.options.Authority, foreign, 0o600))
	other.mustOpen()
	_, err = shown(t, p, other.options.Dir)
	assert.ErrorContains(t, err, "tls:", "a certificate of another authority")
}

// A new authority replaces an old one, while each process trusts both.
func TestAuthorityIsReplaced(t *testing.T) {
	t.Parallel()
	p := processes(t, 1)[0]
	p.mustOpen()
	old, err := os.ReadFile(p.options.Authority)
	require.NoError(t, err)
	saved := t.TempDir()
	require.NoError(t, os.CopyFS(saved, os.DirFS(p.options.Dir)))
	next, err := embedded.MakeAuthority()
	require.NoError(t, err)
	restart := func(authority []byte) *x509.Certificate {
		p.close()
		require.NoError(t, os.WriteFile(p.options.Authority, authority, 0o600))
		p.mustOpen()
		block, _ := pem.Decode(authority)
		certificate, err := shown(t, p, p.options.Dir)
		require.NoError(t, err)
		signer, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		assert.NoError(t, certificate.CheckSignatureFrom(signer), "the first authority signs")
		return certificate
	}
	restart(append(append([]byte{}, next...), old...))
	_, err = shown(t, p, saved)
	assert.NoError(t, err, "the client has not restarted yet")
	restart(next)
	_, err = shown(t, p, saved)
	assert.Error(t, err)
}

// A member with given files presents the new certificate after the files were replaced.
func TestGivenCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	maker := processes(t, 1)[0]
	maker.mustOpen()
	maker.close()
	p := processes(t, 1)[0]
	p.options.Authority = ""
	given := filepath.Join(maker.options.Dir, "certificate.pem")
	p.options.Certificate, p.options.Key = given, given
	p.options.CA = filepath.Join(maker.options.Dir, "authority.pem")
	require.NoError(t, os.WriteFile(filepath.Join(p.options.Dir, "authority.pem"), readFile(t, p.options.CA), 0o600))
	p.mustOpen()
	first, err := shown(t, p, maker.options.Dir)
	require.NoError(t, err)

	require.NoError(t, os.Remove(given))
	maker.mustOpen() // makes another certificate
	maker.close()
	second, err := shown(t, p, maker.options.Dir)
	require.NoError(t, err)
	assert.NotEqual(t, first.SerialNumber, second.SerialNumber)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}
