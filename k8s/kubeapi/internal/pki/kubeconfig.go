package pki

import (
	"encoding/base64"
	"fmt"
)

// Kubeconfig returns a kubeconfig file with a client certificate for a user.
func Kubeconfig(server string, authority *Authority, user string, groups ...string) ([]byte, error) {
	certificate, key, err := authority.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: kubeapi
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %[3]s
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
contexts:
- name: kubeapi
  context:
    cluster: kubeapi
    user: %[3]s
    namespace: default
current-context: kubeapi
`, server, encode(authority.Certificate()), user, encode(certificate), encode(key)), nil
}
